import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ok } from '../../../sdk/src/index.ts';
import { drawn } from '../../harness/axe.ts';
import { DESK } from '../../harness/chromium.ts';
import {
  ADMINISTRATOR,
  button,
  countChanges,
  goToPart,
  open,
  openLive,
  operator,
  page,
  settled,
  tab,
  tokenOf,
} from './stage.ts';
import { faultsOf, TWO_LOOKS } from './walk.ts';

describe('D93: webhooks', () => {
  let administrator: string;
  let url: string;
  /** What the answers of the receiver wait for. */
  let answered = Promise.resolve();
  const receiver = createServer((_, response) => void answered.then(() => response.writeHead(204).end()));
  beforeAll(async () => {
    administrator = await tokenOf(ADMINISTRATOR);
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/castellan`;
  });
  afterAll(() => receiver.close());
  const named = { group_name: 'Heard of', description: '' };
  afterEach(async () => {
    for (const { webhook_id } of await ok(operator.webhook.list()))
      await ok(operator.webhook.delete({ params: { webhook_id } }));
    for (const { group_id, group_name } of await ok(operator.group.list()))
      if (group_name === named.group_name) await ok(operator.group.delete({ params: { group_id } }));
  });
  const dialog = () => page.getByRole('dialog');

  it('are made, tried, stopped and deleted, and their secrets are shown once', async () => {
    await open('/applications', administrator);
    await settled();
    await goToPart('Webhooks');
    await button('New webhook').click();
    await dialog().getByLabel('Types of events').fill('group.*');
    await dialog().getByLabel('Address').fill('javascript:window.taken=true');
    await dialog().getByRole('button', { name: 'New webhook' }).click();
    await dialog().getByRole('alert').waitFor();
    await dialog().getByLabel('Address').fill(url);
    await dialog().getByLabel('Types of events').fill('group.*, user.standing_changed,');
    await dialog().getByRole('button', { name: 'New webhook' }).click();
    await page.getByText(/^whsec_/).waitFor();
    await page.getByText(`The secret of ${url}`).waitFor();
    await ok(operator.group.create({ body: named }));
    const [{ webhook_id } = { webhook_id: '' }] = await ok(operator.webhook.list());
    const delivered = { params: { webhook_id }, query: { state: 'delivered' as const } };
    await expect
      .poll(() => ok(operator.webhook.listDeliveries(delivered)))
      .toContainEqual(expect.objectContaining({ type: 'group.created' }));
    await button(`Send a test to ${url}`).click();
    await page.getByText('Delivered: answered 204.').waitFor();
    await page.getByText(`Deliveries to ${url}`).click();
    await page.getByText('Webhook test').waitFor();

    let answer: () => void = () => undefined;
    answered = new Promise((resolve) => {
      answer = resolve;
    });
    const event = page.getByRole('listitem').filter({ hasText: 'Group created' });
    await Promise.all([once(receiver, 'request'), event.getByRole('button', { name: 'Try again' }).click()]);
    await event.getByText('Waiting').waitFor();
    // While it is under way its next try is told to be a minute away: the page goes on to look when it has seen that.
    await (await page.waitForRequest(/\/delivery\?/)).response();
    answer();
    await event.getByText('Delivered').waitFor();

    await button('Deliver again').click();
    for (const nowhere of ['   ', '1,000', '-1']) {
      await dialog().getByLabel('After position').fill(nowhere);
      await dialog().getByRole('button', { name: 'Deliver again' }).click();
      await dialog().locator('input[name=after]:invalid').waitFor();
    }
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    await dialog().waitFor({ state: 'detached' });

    await button(`Disable ${url}`).click();
    await page.getByText('Somebody turned it off.').waitFor();
    await event.getByRole('button', { name: 'Try again' }).click();
    await event.getByText('next once the webhook is enabled').waitFor();
    // A test is delivered all the same.
    answered = new Promise((resolve) => {
      answer = resolve;
    });
    const test = page.getByRole('listitem').filter({ hasText: 'Webhook test' });
    await test.getByRole('button', { name: 'Try again' }).click();
    await test.getByText('Waiting').waitFor();
    expect(await test.getByText('once the webhook is enabled').count()).toBe(0);
    answer();
    await test.getByText('Delivered').waitFor();
    await button('Deliver again').click();
    await dialog().getByRole('button', { name: 'Deliver again' }).click();
    await page.getByText('is delivered once the webhook is enabled').waitFor();
    expect(await faultsOf('webhook', TWO_LOOKS)).toEqual([]);
    expect(await ok(operator.webhook.list())).toMatchObject([
      { url, enabled: false, types: ['group.*', 'user.standing_changed'], group_ids: null, ordered: false },
    ]);

    await button('Renew secret').click();
    await dialog().getByRole('button', { name: 'Renew secret' }).click();
    await dialog().waitFor({ state: 'detached' });
    await page.getByText(`The secret of ${url}`).waitFor();
    await page.reload();
    await settled();
    await goToPart('Webhooks');
    await button(`Enable ${url}`).waitFor();
    expect(await page.getByText(/^whsec_/).count()).toBe(0);
    await button('Delete webhook').click();
    await dialog().getByRole('button', { name: 'Delete webhook' }).click();
    await page.getByText('There is no webhook yet.').waitFor();
    // Of the address that was refused; the browser prints every answer above 399.
    expect(tab.complaints).toEqual([expect.stringContaining('422')]);
  });

  it('one for some groups is not made for all of them while none is chosen', async () => {
    const { group_id } = await ok(operator.group.create({ body: named }));
    await open('/applications', administrator);
    await settled();
    await goToPart('Webhooks');
    await button('New webhook').click();
    await dialog().getByLabel('Address').fill(url);
    await dialog().getByLabel('Types of events').fill('group.*');
    await dialog().getByLabel('Of groups, only some').check();
    const only = dialog().getByLabel('Of groups, only these');
    await only.fill('No group of that name');
    await only.press('Enter');
    expect(await dialog().getByRole('button', { name: 'New webhook' }).isDisabled()).toBe(true);
    expect(await ok(operator.webhook.list())).toEqual([]);
    await only.fill('Heard of');
    await page.getByRole('option', { name: 'Heard of' }).click();
    // Its choices cover the button.
    await dialog().getByLabel('Address').focus();
    await dialog().getByRole('button', { name: 'New webhook' }).click();
    await page.getByText(/^whsec_/).waitFor();
    const [made] = await ok(operator.webhook.list());
    expect(made).toMatchObject({ group_ids: [group_id] });
    await button('Edit').click();
    await dialog().getByLabel('Of groups, only some').uncheck();
    await dialog().getByRole('button', { name: 'Edit' }).click();
    await dialog().waitFor({ state: 'detached' });
    const params = { webhook_id: made?.webhook_id ?? '' };
    expect(await ok(operator.webhook.get({ params }))).toMatchObject({ group_ids: null });
    expect(tab.complaints).toEqual([]);
  });

  it('of one that somebody else changes meanwhile only what was changed here is saved', async () => {
    const body = { url, types: ['group.*'] };
    const { webhook_id } = await ok(operator.webhook.create({ body }));
    const params = { webhook_id };
    await openLive('/applications', administrator);
    await settled();
    await goToPart('Webhooks');
    await button('Edit').click();
    await dialog().getByLabel('In order').check();
    await dialog().getByLabel('Types of events').fill('group.*\nuser.*');
    await ok(operator.webhook.update({ params, body: { types: ['group.*', 'token.*'] } }));
    await page.locator('dl').getByText('token.*').waitFor();
    await dialog().getByRole('button', { name: 'Edit' }).click();
    await dialog().waitFor({ state: 'detached' });
    expect(await ok(operator.webhook.get({ params }))).toMatchObject({
      ...{ types: ['group.*', 'token.*', 'user.*'], group_ids: null, ordered: true },
    });
    expect(tab.complaints).toEqual([]);
  });

  it('one that was replayed as often as it can be in a minute says so when it is to deliver again', async () => {
    const { webhook_id, position } = await ok(operator.webhook.create({ body: { url, types: ['crash.*'] } }));
    for (let n = 0; n < 6; n += 1)
      await ok(operator.webhook.replay({ params: { webhook_id }, body: { after: position } }));
    await open('/applications', administrator);
    await settled();
    await goToPart('Webhooks');
    await button('Deliver again').click();
    await dialog().getByRole('button', { name: 'Deliver again' }).click();
    await dialog().getByRole('alert').getByText('a replay takes 5').waitFor();
    expect(tab.complaints).toEqual([expect.stringContaining('429')]);
  });

  const notBusy = () => page.locator(':not([data-loading])');

  it('the secret of one is renewed once, though a second click meets the button before its dialog has faded', async () => {
    await ok(operator.webhook.create({ body: { url, types: ['group.*'] } }));
    // What takes 200 ms, as the fading does, lasts longer than the test.
    await page.addInitScript(`(() => {
      const { setTimeout } = window;
      window.setTimeout = (run, time, ...given) => setTimeout(run, time === 200 ? 3_600_000 : time, ...given);
    })()`);
    await open('/applications', administrator);
    await settled();
    await goToPart('Webhooks');
    const changes = countChanges();
    await button('Renew secret').click();
    const confirming = page.locator('[role=dialog] button', { hasText: 'Renew secret' });
    await confirming.click();
    await page.getByText(`The secret of ${url}`).waitFor();
    await confirming.and(notBusy()).waitFor();
    await confirming.click({ force: true });
    await drawn(page);
    expect(changes()).toBe(1);
  });

  it('one that is disabled by a double click stays disabled, though its button enables it from then on', async () => {
    await ok(operator.webhook.create({ body: { url, types: ['group.*'] } }));
    await open('/applications', administrator);
    await settled();
    await goToPart('Webhooks');
    // Scrolled to its end: the browser keeps the button in place when more is told above.
    await page.setViewportSize({ ...DESK, height: 200 });
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
    const changes = countChanges();
    await button(`Disable ${url}`).click();
    await button(`Enable ${url}`).and(notBusy()).waitFor();
    await page.mouse.down({ clickCount: 2 });
    await page.mouse.up({ clickCount: 2 });
    await drawn(page);
    expect(changes()).toBe(1);
    await button(`Enable ${url}`).click();
    await button(`Disable ${url}`).waitFor();
    expect(tab.complaints).toEqual([]);
  });
});

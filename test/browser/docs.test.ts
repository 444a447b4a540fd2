import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { drawn, violations } from '../harness/axe.ts';
import { type Browser, LOOKS, launchChromium, PHONE, type Tab } from '../harness/chromium.ts';
import { build, createInstance, type Instance, ROOT } from '../harness/instance.ts';

const GUIDES = (await readdir(join(ROOT, 'docs')))
  .filter((name) => name.endsWith('.md'))
  .map((name) => name.slice(0, -3));

let instance: Instance;
let token: string;
let browser: Browser;
beforeAll(async () => {
  await build();
  instance = await createInstance();
  ({ token } = await instance.serve());
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  await instance?.remove();
});

let tab: Tab;
let page: Tab['page'];
beforeEach(async () => {
  tab = await browser.open();
  ({ page } = tab);
});
afterEach(async () => {
  expect(
    tab.complaints.filter((text) => !/the server responded with a status of 4\d\d|ERR_FAILED/.test(text)),
  ).toEqual([]);
  expect(new Set(tab.requested.map(({ origin }) => origin).filter((origin) => origin !== 'null'))).toEqual(
    new Set([instance.url]),
  );
  await page.close();
});

const open = (path: string) => page.goto(instance.url + path);

/** What axe finds in the page and what sticks out, look by look: in a page that it knows it takes half the time. */
async function expectNoFaults(name: string): Promise<void> {
  for (const { device, size, colorScheme } of LOOKS) {
    const look = `${device}-${colorScheme}`;
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme });
    await drawn(page);
    await tab.screenshot(`${name}-${look}`);
    expect([look, await violations(page)]).toEqual([look, []]);
    expect([look, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([look, size.width]);
  }
}

describe('on a phone and at a desk, light and dark', () => {
  it('axe finds nothing in the reference', async () => {
    await open('/docs');
    // Whatever is folded up at first is looked at, too.
    await page.evaluate('for (const each of document.querySelectorAll("details")) each.open = true');
    await page.locator('#updateGroup').scrollIntoViewIfNeeded();
    await expectNoFaults('reference');
  });

  it.each(GUIDES)('axe finds nothing in the guide %s', async (guide) => {
    await open(`/docs/guides/${guide}`);
    await expectNoFaults(`guide-${guide}`);
  });
});

it('tries an operation out with a token that outlives a reload, and shows the command for it', async () => {
  await open('/docs');
  await page.getByLabel('Token to try operations with').fill(token);
  await page.reload();
  await page.getByText('Try it: Create a group').click();
  const form = page.locator('#createGroup form');
  await form.getByLabel('Body').fill('{"group_name": "It\'s tried"}');
  await form.getByRole('button', { name: 'Send' }).click();
  await form.getByText(/^201 /).waitFor();
  const [answer = '', command = ''] = await form.locator('pre').allInnerTexts();
  expect(JSON.parse(answer)).toMatchObject({ group_name: "It's tried" });
  expect(command).toContain(`curl -X POST '${instance.url}/group'`);
  expect(command).not.toContain(token);

  await page.getByText('Try it: Get a group').click();
  const get = page.locator('#getGroup form');
  await get.getByLabel('group_id, in the path').fill(JSON.parse(answer).group_id);
  await get.getByLabel('group_id, in the path').press('Enter');
  await get.getByText(/^200 /).waitFor();

  await page.getByRole('button', { name: 'Forget it' }).click();
  await page.reload();
  await page.getByText('Try it: Get a group').click();
  await get.getByRole('button', { name: 'Send' }).click();
  await get.getByText(/^401 /).waitFor();
});

it('forwards paths of the game with their slashes, and query and header parameters', async () => {
  await open('/docs');
  await page.getByLabel('Token to try operations with').fill(token);
  await page.getByText('Try it: Forward a GET request to the game (by GET)').click();
  const form = page.locator('#forwardByGet form');
  await form.getByLabel('esi_path').fill('alliances/99000001');
  await form.getByLabel('all_pages').fill('perhaps');
  await form.getByRole('button', { name: 'Send' }).click();
  await form.getByText(/^422 /).waitFor();
  await form.getByLabel('all_pages').fill('');
  await form.getByRole('button', { name: 'Send' }).click();
  await form.getByText(/^200 /).waitFor();
  expect(tab.requested.at(-1)?.pathname).toBe('/ext/alliances/99000001');
});

it('finds operations and schemas by words', async () => {
  await open('/docs');
  const shown = page.locator('nav [data-find]:visible');
  const all = await shown.count();
  await page.getByLabel('Find an operation or a schema').fill('set POLICY');
  expect(await shown.allInnerTexts()).toEqual(['PUT Set the policy of a group']);
  expect(await page.locator('#found').innerText()).toBe('1 found');
  expect(await page.locator('#nav-tag-user').isVisible()).toBe(false);
  await page.getByLabel('Find an operation or a schema').fill('');
  expect(await shown.count()).toBe(all);
});

it('is used by the keyboard alone, on a phone', async () => {
  await page.setViewportSize(PHONE);
  await open('/docs');
  await page.keyboard.press('Tab');
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByRole('navigation').waitFor();
  await tab.screenshot('contents-phone');
  expect(await violations(page, '#contents')).toEqual([]);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Signing people in');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Signing people in', level: 1 }).waitFor();
});

it('leads from guide to guide', async () => {
  await open('/docs/guides/access');
  await page.getByRole('main').getByRole('link', { name: 'signing-in.md' }).click();
  await page.getByRole('heading', { name: 'Signing people in', level: 1 }).waitFor();
  expect(page.url()).toBe(`${instance.url}/docs/guides/signing-in#scopes-and-guests`);
});

it('is read without scripts, too', async () => {
  await page.route('**/page.mjs', (route) => route.abort());
  await page.goto(`${instance.url}/docs#getGroup`);
  expect(await page.locator('#getGroup').isVisible()).toBe(true);
  expect(await page.locator('form:visible').count()).toBe(0);
  await page.unroute('**/page.mjs');
  await open('/docs');
});

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ok } from '../../sdk/src/index.ts';
import { DESK, PHONE, type Stage, setStage, screenshot as shoot, type Watched } from '../harness/browser.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await setStage();
}, 120_000);
afterAll(() => stage?.remove());

let page: Page;
let complaints: Watched['complaints'];
let requested: Watched['requested'];
beforeEach(async () => {
  ({ page, complaints, requested } = await stage.open());
});
afterEach(() => page.close());

const printed = (words: string) => stage.printed(words);
const screenshot = (name: string) => shoot(page, name);

/** A page of ours on a phone: a title, nothing that sticks out, nothing to complain of. */
async function expectPhonePage(name: string, title: string): Promise<void> {
  await page.getByRole('heading', { name: title, level: 1 }).waitFor();
  await screenshot(`${name}-phone`);
  expect(await page.title()).toBe(`${title} · castellan`);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width);
  expect(complaints.filter((text) => !/the server responded with a status of 4\d\d/.test(text))).toEqual([]);
}

async function chooseFromAlliance(): Promise<void> {
  const members = page.getByRole('listitem').filter({ hasNotText: 'No alliance' });
  await members.locator('button[name=character_id]').first().click();
}

async function openProvider(): Promise<void> {
  await page.setViewportSize(PHONE);
  await page.goto(printed('Open'));
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Choose a character' }).waitFor();
}

describe('a newcomer with the printed message alone', () => {
  it('signs in, and asks the API with the command shown who that is', async () => {
    await page.goto(printed('Open'));
    await screenshot('demo-application');
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Choose a character' }).waitFor();
    await screenshot('choose-a-character');
    const somebody = page.locator('button[name=character_id]').first();
    const name = await somebody.innerText();
    const id = Number(await somebody.getAttribute('value'));
    await somebody.click();

    await page.getByRole('heading', { name: 'Signed in' }).waitFor();
    await screenshot('signed-in');
    const command = await page.locator('#command').innerText();
    expect(command).toMatch(/^curl /);
    const { stdout } = await promisify(execFile)('bash', ['-c', command]);
    expect(JSON.parse(stdout)).toMatchObject({
      token_type: 'use',
      owner: { character_id: id, character_name: name },
    });
    expect(complaints).toEqual([]);
    expect(await stage.browser.cookies()).toEqual([]);
  });

  it('reads the reference, which needs nothing from anywhere else', async () => {
    await page.goto(printed('Reference'));
    const operation = page.getByText('/token/use/from/dyn', { exact: true });
    await operation.waitFor();
    await screenshot('reference');
    await operation.click();
    await page.getByText('state_code').first().waitFor();
    await page.setViewportSize(PHONE);
    await screenshot('reference-phone');
    expect(new Set(requested.map(({ host }) => host))).toEqual(new Set([new URL(printed('API')).host]));
    expect(complaints).toEqual([]);
  });
});

describe('a player whose sign-in is refused, on a phone', () => {
  it('sees what happened after cancelling', async () => {
    await openProvider();
    await screenshot('choose-a-character-phone');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await expectPhonePage('cancelled', 'You cancelled the sign-in');
  });

  it('sees that somebody of no alliance is not let in', async () => {
    await openProvider();
    await page.getByRole('listitem').filter({ hasText: 'No alliance' }).getByRole('button').first().click();
    await expectPhonePage('not-allowed', 'You are not allowed to log in here');
  });

  it('sees which coalition keeps a member out, and goes back to the application', async () => {
    const [coalition] = await ok(stage.operator.coalition.list());
    const params = { coalition_id: coalition?.coalition_id ?? '' };
    await ok(stage.operator.coalition.update({ params, body: { authorized_to_login: false } }));
    await openProvider();
    await chooseFromAlliance();
    await expectPhonePage('kept-out', 'You are not allowed to log in here');
    await page.getByText('the coalition First Coalition').waitFor();
    await ok(stage.operator.coalition.update({ params, body: { authorized_to_login: true } }));
    await page.getByRole('link', { name: 'Back to' }).click();
    await page.getByRole('link', { name: 'Sign in' }).waitFor();
  });

  it('grants the scopes that are missing by the link of the page, and is signed in', async () => {
    const scopes = ['ext-location.read_location.v1', 'ext-wallet.read_character_wallet.v1'] as const;
    const alliances = await ok(stage.operator.alliance.list());
    for (const { alliance_id } of alliances) {
      const body = { mandatory_ext_scopes: [...scopes] };
      await ok(stage.operator.alliance.update({ params: { alliance_id }, body }));
    }
    await openProvider();
    await chooseFromAlliance();
    await expectPhonePage('too-few-scopes', 'More scopes are needed');
    await page.setViewportSize(DESK);
    await screenshot('too-few-scopes-desk');
    await page.getByRole('link', { name: 'Sign in and grant all' }).click();
    await page.getByRole('heading', { name: 'Choose a character' }).waitFor();
    expect(await page.getByRole('checkbox').count()).toBe(3);
    await chooseFromAlliance();
    await page.getByRole('heading', { name: 'Signed in' }).waitFor();
    for (const { alliance_id } of alliances) {
      await ok(
        stage.operator.alliance.update({ params: { alliance_id }, body: { mandatory_ext_scopes: [] } }),
      );
    }
  });

  it('sees that an address used twice leads nowhere', async () => {
    await page.setViewportSize(PHONE);
    await page.goto(`${printed('API')}/callback/ext?code=used&state=used`);
    await expectPhonePage('bad-request', 'This sign-in cannot be completed');
  });
});

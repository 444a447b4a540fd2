import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createClient, type ExtScope, ok } from '../../sdk/src/index.ts';
import { type Browser, DESK, launchChromium, PHONE, type Tab } from '../harness/chromium.ts';
import { build, createInstance, type Instance } from '../harness/instance.ts';

let instance: Instance;
let browser: Browser;
/** What the start printed: all that a newcomer knows. */
let message: string;
/** The permanent token that the start printed, too. */
let token: string;
beforeAll(async () => {
  await build();
  instance = await createInstance();
  const server = await instance.serve({}, ['npm', 'start']);
  message = server.output.stdout;
  token = server.token;
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  await instance?.remove();
});

let complaints: Tab['complaints'];
let screenshot: Tab['screenshot'];
let page: Page;
beforeEach(async () => {
  ({ page, complaints, screenshot } = await browser.open());
});
afterEach(() => page.close());

/** An address that the message names after these words. */
function printed(words: string): string {
  return new RegExp(`${words}\\s+(http://\\S+)`).exec(message)?.[1] ?? `no address after ${words}`;
}

/** A page of ours on a phone: a title, nothing that sticks out, nothing to complain of. */
async function expectPhonePage(name: string, title: string): Promise<void> {
  await page.getByRole('heading', { name: title, level: 1 }).waitFor();
  await screenshot(`${name}-phone`);
  expect(await page.title()).toBe(`${title} · castellan`);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width);
  expect(complaints.filter((text) => !/the server responded with a status of 4\d\d/.test(text))).toEqual([]);
}

const operator = () => createClient({ baseUrl: printed('API'), token });

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
    expect(await browser.context.cookies()).toEqual([]);
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
    const [coalition] = await ok(operator().coalition.list());
    const params = { coalition_id: coalition?.coalition_id ?? '' };
    onTestFinished(async () => {
      await ok(operator().coalition.update({ params, body: { authorized_to_login: true } }));
    });
    await ok(operator().coalition.update({ params, body: { authorized_to_login: false } }));
    await openProvider();
    await chooseFromAlliance();
    await expectPhonePage('kept-out', 'You are not allowed to log in here');
    await page.getByText('the coalition First Coalition', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Back to' }).click();
    await page.getByRole('link', { name: 'Sign in' }).waitFor();
  });

  it('grants the scopes that are missing by the link of the page, and is signed in', async () => {
    const alliances = await ok(operator().alliance.list());
    const set = async (mandatory_ext_scopes: ExtScope[]) => {
      for (const { alliance_id } of alliances)
        await ok(operator().alliance.update({ params: { alliance_id }, body: { mandatory_ext_scopes } }));
    };
    onTestFinished(() => set([]));
    await set(['ext-location.read_location.v1', 'ext-wallet.read_character_wallet.v1']);
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
  });

  it('sees that an address used twice leads nowhere', async () => {
    await page.setViewportSize(PHONE);
    await page.goto(`${printed('API')}/callback/ext?code=used&state=used`);
    await expectPhonePage('bad-request', 'This sign-in cannot be completed');
  });
});

import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, onTestFinished } from 'vitest';
import { createClient, type ExtScope, ok } from '../../../sdk/src/index.ts';
import { type Browser, DESK, launchChromium, type Tab } from '../../harness/chromium.ts';
import { build, createInstance, type Instance } from '../../harness/instance.ts';
import { signInAt } from '../../harness/sign-in-at.ts';

/** One service and one browser for everything that is tried of the console; a page for each test. */
export let instance: Instance;
export let browser: Browser;
export let tab: Tab;
export let page: Page;
/** What the start printed: all that a newcomer knows. */
export let message: string;
export let operator: ReturnType<typeof createClient>;
let root: string;

beforeAll(async () => {
  await build();
  instance = await createInstance();
  const { output, token } = await instance.serve({}, ['npm', 'start']);
  message = output.stdout;
  root = token;
  operator = createClient({ baseUrl: instance.url, token });
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  await instance?.remove();
});
beforeEach(async () => {
  tab = await browser.open();
  page = tab.page;
  await page.setViewportSize(DESK);
});
afterEach(async () => {
  if (page.url().startsWith('http')) await page.evaluate('localStorage.clear()');
  await page.close();
});

/** Of an alliance that is let in, at level 0. */
export const PILOT = 2_112_000_028;
/** Another one of the same kind. */
export const OTHER = 2_112_000_001;
/** Of another corporation of that alliance, at level 0: somebody lets it decide for a group. */
export const MODERATOR = 2_112_000_023;
/** Beside that one; somebody gives it a level. */
export const OFFICER = 2_112_000_032;
/** Whom the first start makes the administrator. */
export const ADMINISTRATOR = 2_112_000_003;
/** Of a corporation that nobody lets in. */
export const STRANGER = { id: 2_112_000_049, name: 'Jonas Drengamann' };

export const at = (path: string) => `${instance.url}/console${path}`;
export const heading = (name: string) => page.getByRole('heading', { name, level: 1 });
export const button = (name: string) => page.getByRole('button', { name, exact: true });
/** What has the focus; a dialog takes it a moment after it is there. */
export const focused = () => page.locator(':focus');
export const goToPart = (name: string) => page.getByRole('tab', { name, exact: true }).click();

/** How far the page is wider than its window: 0 where nothing sticks out. */
export const overflow = () =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');

/** Signs a character in by the page of the sign-on. */
export async function signIn(characterId: number): Promise<void> {
  await page.goto(at('/'));
  await button('Sign in with the game').click();
  await page.locator(`button[name=character_id][value="${characterId}"]`).click();
  await heading('My standing').waitFor();
}

export async function signInAsAdministrator(): Promise<void> {
  await page.goto(at('/'));
  await button('Sign in with the game').click();
  const marked = page.getByRole('listitem').filter({ hasText: 'Administrator here' });
  await marked.getByRole('button').click();
  await heading('My standing').waitFor();
}

const CALLBACK = 'http://127.0.0.1:9/elsewhere';

/** A user token of a character: for what is not about the sign-in. */
export async function tokenOf(characterId: number, scopes?: ExtScope[]): Promise<string> {
  const who = { characterId, ...(scopes !== undefined && { scopes }) };
  const back = await signInAt(instance.url, root, CALLBACK, who);
  return back.searchParams.get('user_token') ?? '';
}

/** From now on the page is that of somebody who is signed in. */
export async function become(token: string): Promise<void> {
  await page.addInitScript(`localStorage.setItem('castellan.user-token', ${JSON.stringify(token)})`);
}

/** Opens a screen as a character. */
export async function open(path: string, token: string): Promise<void> {
  await become(token);
  await page.goto(at(path));
}

/** Opens a screen, and waits until the page follows the feed: of what happens from now on it hears. */
export async function openLive(path: string, token: string): Promise<void> {
  await Promise.all([page.waitForRequest(/\/event\?/), open(path, token)]);
}

/** Requires these scopes of a corporation's members until the test has finished, however that ends. */
export async function requireScopes(
  corporation_id: number,
  mandatory_ext_scopes: readonly ExtScope[],
): Promise<void> {
  const params = { corporation_id };
  const set = (scopes: readonly ExtScope[]) =>
    ok(operator.corporation.update({ params, body: { mandatory_ext_scopes: [...scopes] } }));
  const former = await ok(operator.corporation.get({ params }));
  onTestFinished(async () => {
    await set(former.mandatory_ext_scopes);
  });
  await set(mandatory_ext_scopes);
}

/** Counts from now on what the page asks to change. */
export function countChanges(): () => number {
  let changes = 0;
  page.on('request', (request) => {
    if (request.method() !== 'GET' && !request.url().includes('dry_run=true')) changes += 1;
  });
  return () => changes;
}

/** Waits until nothing is on its way any more. */
export async function settled(): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  const outlines = page.locator('[aria-busy=true]');
  while ((await outlines.count()) > 0) await outlines.first().waitFor({ state: 'detached' });
}

/** Presses Tab until the focus is on the button, or what else has that role, of that name. */
export async function tabTo(name: string, role: 'button' | 'combobox' = 'button'): Promise<void> {
  const wanted = page.getByRole(role, { name, exact: true }).and(focused());
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press('Tab');
    if ((await wanted.count()) > 0) return;
  }
  throw new Error(`the focus never came to ${name}`);
}

/** Names that their owners chose to see what happens. */
export const HOSTILE = [
  '<script>window.taken = true</script>',
  '"><img src=x onerror="window.taken = true">',
  '\u202Egnirts sdrawkcab\u202C',
  'مرحبا بالعالم',
  'W'.repeat(100),
  '🧑‍🚀👩‍🚀🚀 ⵣ Z͑ͫa̴l͓g̖o',
];

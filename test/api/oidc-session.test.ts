import { afterAll, beforeAll, expect, it } from 'vitest';
import { letIn } from '../fixtures/registry.ts';
import { BASE_URL, startTestApp, type TestApp } from '../harness/app.ts';
import { Browser } from '../harness/browser.ts';
import { meanwhile } from '../harness/meanwhile.ts';
import { addRelyingParty, type RelyingParty } from '../harness/relying-party.ts';

const MEMBER = 2_112_000_028;
const OTHER = 2_112_000_049;
const CORPORATION = 98_000_011;

let app: TestApp;
let party: RelyingParty;
const browserOf = (characterId: number) => new Browser(app, { choice: { characterId } });

beforeAll(async () => {
  app = await startTestApp();
  await letIn(app, { alliances: [99_000_001], corporations: [CORPORATION] });
  party = await addRelyingParty(app);
});
afterAll(() => app.stop());

it('D82: a browser that did not get the answer to its consent still has its session', async () => {
  const browser = browserOf(MEMBER);
  await party.signIn(browser);
  const forum = await addRelyingParty(app, { client_name: 'Forum', first_party: false });
  const asking = await browser.go((await forum.begin()).url);
  expect(asking.html).toContain('/consent"');
  const before = [...browser.cookies];
  await browser.press(asking);
  // Its second click came while the end of the interaction was being answered: that answer, cookie and all, is dropped.
  browser.cookies = before;
  const { page } = await browser.press(asking);
  expect(page?.status).toBe(400);
  const { landed } = await party.visit(browser, { prompt: 'none' });
  expect(landed.url.searchParams.get('error')).toBeNull();
  expect(landed.url.searchParams.get('code')).toBeTruthy();
});

it('D82: a request that was under way at the end of an interaction does not end the session', async () => {
  const browser = browserOf(MEMBER);
  await party.signIn(browser);
  const forum = await addRelyingParty(app, { client_name: 'Forum' });
  const tab = browserOf(MEMBER);
  tab.cookies = [...browser.cookies];
  // Marked as trusted, with prompt=consent, as `offline_access` by the book is asked for: no page, but an interaction.
  await forum.signIn(browser, { prompt: 'consent' });
  // Sent before that answer came, so with the former cookie; answered after it, so its cookies stay.
  const { landed } = await party.visit(tab, { prompt: 'none' });
  expect(landed.url.searchParams.get('error')).toBeNull();
  browser.cookies = [...tab.cookies];
  const again = await party.visit(browser, { prompt: 'none' });
  expect(again.landed.url.searchParams.get('code')).toBeTruthy();
});

it('D82: an application that a browser opens while another interaction ends gets tokens that work', async () => {
  const browser = browserOf(MEMBER);
  await party.signIn(browser);
  const [first, second] = [await addRelyingParty(app), await addRelyingParty(app)];
  await first.signIn(browser);
  // Stored after the answer: it would wait for the lock below, too, and be taken for the code.
  const lastUse = () =>
    app.db
      .selectFrom('oidc_clients')
      .select('last_used_on')
      .where('client_id', '=', first.client.client_id)
      .executeTakeFirstOrThrow();
  await expect.poll(async () => (await lastUse()).last_used_on).not.toBeNull();
  const tab = browserOf(MEMBER);
  const client = 'select from oidc_clients where client_id = $1 for update';
  let opened: Awaited<ReturnType<RelyingParty['visit']>> | undefined;
  // The code of the first waits for its client, after the session was loaded and before it gets its new id.
  await meanwhile(
    app,
    client,
    [first.client.client_id],
    () => first.visit(browser, { prompt: 'consent' }),
    async () => {
      tab.cookies = [...browser.cookies];
      opened = await second.visit(tab);
    },
  );
  if (opened === undefined) throw new Error('it was not opened');
  const { landed, ...begun } = opened;
  const tokens = await second.redeem(begun, landed.url);
  await second.userinfo(tokens);
});

it('D82: of two sign-ins for one interaction the last one counts', async () => {
  const browser = browserOf(MEMBER);
  const { url, ...begun } = await party.begin();
  const interaction = new URL((await browser.ask(url)).headers.get('location') ?? '', BASE_URL);
  const signOn = await browser.ask(interaction);
  const callback = await app.provider.authorize(signOn.headers.get('location') ?? '', browser.choice);
  const { headers } = await browser.ask(new URL(callback));
  const login = headers.get('location') ?? '';
  expect(login).toMatch(/\/login$/);
  // That step failed with a 503 or 429. The player goes back, reads that it was completed, and follows the link of that page.
  browser.choice = { characterId: OTHER };
  app.clock.advance(1_000);
  const completed = await browser.go(callback);
  expect(completed.page?.status).toBe(400);
  const landed = await browser.follow(completed, 'Sign in with another character');
  expect((await party.redeem({ url, ...begun }, landed.url)).claims()?.sub).toBe(String(OTHER));
});

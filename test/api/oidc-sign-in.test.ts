import { sql } from 'kysely';
import * as openid from 'openid-client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ExtScope } from '../../contract/scopes.ts';
import { ok } from '../../sdk/src/index.ts';
import { createAdapter } from '../../server/oidc/adapter.ts';
import { soleId } from '../../server/person/person-id.ts';
import { saveArtifact } from '../../server/session/artifacts.queries.ts';
import { allEvents } from '../fixtures/events.ts';
import { letIn } from '../fixtures/registry.ts';
import { addUser } from '../fixtures/users.ts';
import { BASE_URL, startTestApp, type TestApp } from '../harness/app.ts';
import { Browser } from '../harness/browser.ts';
import { meanwhile, untilBehind } from '../harness/meanwhile.ts';
import { addRelyingParty, REDIRECT_URI, type RelyingParty, signInAtOnce } from '../harness/relying-party.ts';
import { expectPage, TITLES, trySignIn, userRow } from '../harness/sign-in.ts';

const ALLIANCE = 99_000_001;
const MEMBER = 2_112_000_028;
const OTHER = 2_112_000_049;
const CORPORATION = 98_000_011;
const HOUR = 3_600_000;

let app: TestApp;
let party: RelyingParty;
const browserOf = (characterId: number) => new Browser(app, { choice: { characterId } });
/** Like somebody who copied them: the service is to judge, not the browser. */
const preserveCookies = (browser: Browser) => {
  browser.cookies = browser.cookies.map((cookie) => ({ ...cookie, endsOn: Number.POSITIVE_INFINITY }));
};
const asksTheGame = ({ visited }: Browser) =>
  visited.filter((url) => url.startsWith(app.provider.ssoUrl)).length;

beforeAll(async () => {
  app = await startTestApp();
  await letIn(app, { alliances: [ALLIANCE], corporations: [CORPORATION] });
  party = await addRelyingParty(app);
});
afterAll(() => app.stop());

describe('D82: signing in', () => {
  it('D82: a browser returns from the game with a code that gives tokens', async () => {
    const tokens = await party.signIn(browserOf(MEMBER));
    expect(tokens.claims()).toMatchObject({
      sub: String(MEMBER),
      iss: BASE_URL,
      aud: party.client.client_id,
    });
    expect(tokens.expires_in).toBe(600);
    expect(tokens.refresh_token).toBeUndefined();
  });

  it('D82: it registers the user as any sign-in does, grant and all', async () => {
    const newcomer = 2_112_000_055;
    await app.db.deleteFrom('users').where('character_id', '=', newcomer).execute();
    await party.signIn(browserOf(newcomer));
    expect(await userRow(app, newcomer)).toMatchObject({ signed_in_on: app.clock.now() });
    const grants = await app.db
      .selectFrom('grants')
      .select('valid')
      .where('character_id', '=', newcomer)
      .execute();
    expect(grants).toEqual([{ valid: true }]);
  });

  it('D82: with a session the next sign-in is immediate, at another application, too', async () => {
    const browser = browserOf(MEMBER);
    await party.signIn(browser);
    const other = await addRelyingParty(app, { client_name: 'Forum' });
    await party.signIn(browser);
    await other.signIn(browser);
    expect(asksTheGame(browser)).toBe(1);
  });

  it('D82: the session is a cookie that scripts cannot read and that is not sent with forms of other sites', async () => {
    const browser = browserOf(MEMBER);
    await party.signIn(browser);
    const session = browser.cookies.find(({ name }) => name === '__Host-castellan_session');
    expect(session?.attributes.toLowerCase()).toMatch(/^path=\/; samesite=lax; secure; httponly; expires=/);
    expect(session?.attributes).not.toMatch(/domain/i);
    for (const { name, attributes } of browser.cookies) {
      expect(attributes.toLowerCase(), name).toMatch(/secure/);
      expect(attributes.toLowerCase(), name).toMatch(/httponly/);
      expect(attributes.toLowerCase(), name).toMatch(/samesite=lax/);
    }
  });

  it('D82: the cookies of a sign-in that bind its steps to the browser are gone at its end', async () => {
    const browser = browserOf(MEMBER);
    await party.visit(browser, { prompt: 'consent' });
    await party.visit(browser, { prompt: 'login' });
    await party.visit(browser, { prompt: 'login', response_mode: 'form_post' });
    expect(
      browser.visited.filter((address) => address.includes('/oidc/interaction/')).length,
    ).toBeGreaterThan(2);
    expect(browser.cookies.filter(({ name }) => name.includes('begun'))).toEqual([]);
  });

  it('D82: a session ends after 12 hours without use', async () => {
    const browser = browserOf(MEMBER);
    await party.signIn(browser);
    for (let uses = 0; uses < 3; uses += 1) {
      app.clock.advance(12 * HOUR - 60_000);
      await party.visit(browser);
    }
    expect(asksTheGame(browser)).toBe(1);
    preserveCookies(browser);
    app.clock.advance(12 * HOUR);
    await party.visit(browser);
    expect(asksTheGame(browser)).toBe(2);
  });

  it('D82: a session ends after 30 days even if it is used', async () => {
    const browser = browserOf(MEMBER);
    await party.signIn(browser);
    for (let hours = 0; hours < 30 * 24; hours += 11) {
      expect(asksTheGame(browser)).toBe(1);
      preserveCookies(browser);
      app.clock.advance(11 * HOUR);
      await party.visit(browser);
    }
    expect(asksTheGame(browser)).toBe(2);
  });

  it('D82: prompt=login goes to the game again, and answers for the character chosen there', async () => {
    const browser = browserOf(MEMBER);
    await party.signIn(browser);
    await party.signIn(browser, { prompt: 'login' });
    expect(asksTheGame(browser)).toBe(2);
    browser.choice = { characterId: OTHER };
    const tokens = await party.signIn(browser, { prompt: 'login' });
    expect(tokens.claims()?.sub).toBe(String(OTHER));
    expect((await party.signIn(browser)).claims()?.sub).toBe(String(OTHER));
  });

  it('D82: prompt=none shows no page: login_required without a session, a code with one', async () => {
    const browser = browserOf(MEMBER);
    const { landed } = await party.visit(browser, { prompt: 'none' });
    expect(landed.url.searchParams.get('error')).toBe('login_required');
    await party.signIn(browser);
    expect((await party.signIn(browser, { prompt: 'none' })).claims()?.sub).toBe(String(MEMBER));
    expect(asksTheGame(browser)).toBe(1);
  });

  it('D82: max_age sends users that signed in longer ago to the game again; auth_time is the time of the sign-in', async () => {
    const browser = browserOf(MEMBER);
    const first = await party.signIn(browser, { max_age: '3600' });
    expect(first.claims()?.auth_time).toBe(Math.floor(app.clock.now().getTime() / 1000));
    await party.signIn(browser, { max_age: '3600' });
    expect(asksTheGame(browser)).toBe(1);
    // The library uses the real clock.
    await app.db
      .updateTable('oidc_artifacts')
      .set((eb) => ({
        payload: eb.fn('jsonb_set', ['payload', eb.val('{loginTs}'), eb.cast(eb.val('1700000000'), 'jsonb')]),
      }))
      .where('model', '=', 'Session')
      .execute();
    await party.signIn(browser, { max_age: '3600' });
    expect(asksTheGame(browser)).toBe(2);
  });

  it('D82: before the first use a page shows once which application asks and what it will learn', async () => {
    const forum = await addRelyingParty(app, { client_name: 'Forum & <b>Friends</b>', first_party: false });
    const browser = browserOf(MEMBER);
    const { url } = await forum.begin({ scope: 'openid profile offline_access' });
    const page = await browser.go(url);
    expect(page.page?.status).toBe(200);
    expect(page.html).toContain('Sign in to Forum &amp; &lt;b&gt;Friends&lt;/b&gt;');
    expect(page.html).toContain('which character you are');
    expect(page.html).toContain('portrait');
    expect(page.html).toContain('while you are away');
    expect(page.html).not.toContain('the groups that it is in');
    const agreed = await browser.press(page);
    expect(agreed.url.searchParams.get('code')).toBeTruthy();
    // Not again in this session or another browser, but again for further scopes.
    for (const again of [browser, browserOf(MEMBER)]) {
      const { landed } = { landed: await again.go((await forum.begin({ scope: 'openid profile' })).url) };
      expect(landed.page).toBeUndefined();
    }
    expect((await browser.go((await forum.begin()).url)).html).toContain('the groups that it is in');
  });

  it('D82: a user who does not consent is sent back with access_denied, and nothing is granted', async () => {
    const forum = await addRelyingParty(app, { first_party: false });
    const browser = browserOf(MEMBER);
    const begun = await forum.begin();
    const page = await browser.go(begun.url);
    const { url } = await browser.follow(page, 'No, go back');
    expect(url.origin + url.pathname).toBe(forum.redirectUri);
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      error: 'access_denied',
      state: begun.state,
      iss: BASE_URL,
    });
    expect(url.searchParams.get('code')).toBeNull();
    expect((await browser.go((await forum.begin()).url)).html).toContain('Sign in to Wiki');
  });

  it('D82: whoever comes back to a sign-in that is over, or another browser’s, is told to begin anew', async () => {
    const forum = await addRelyingParty(app, { first_party: false });
    const lost = 'This sign-in cannot be completed';
    for (const end of ['deny', 'consent'] as const) {
      const browser = browserOf(MEMBER);
      const asked = await browser.go((await forum.begin()).url);
      expect((await browserOf(MEMBER).go(asked.url)).html).toContain(lost);
      const ended =
        end === 'consent' ? await browser.press(asked) : await browser.follow(asked, 'No, go back');
      expect(ended.page).toBeUndefined();
      const back = await browser.go(asked.url);
      expect(back.page?.status).toBe(400);
      expect(back.html).toContain(lost);
    }
  });

  it('D82: prompt=consent asks again; a first-party client needs no consent', async () => {
    const forum = await addRelyingParty(app, { first_party: false });
    const browser = browserOf(MEMBER);
    await forum.signIn(browser);
    expect((await browser.go((await forum.begin({ prompt: 'consent' })).url)).html).toContain('Sign in to');
    await party.signIn(browser);
    const { landed } = await party.visit(browser, { prompt: 'consent' });
    expect(landed.url.searchParams.get('code')).toBeTruthy();
    // Nobody was asked, so nobody agreed.
    const { client_id } = party.client;
    const events = await allEvents(app.db);
    const given = events.filter(({ type, targets }) => /consent/.test(type) && targets[0]?.id === client_id);
    expect(given).toEqual([]);
  });

  it('D81, D82: a session that was not asked is asked at the next request after first_party was turned off', async () => {
    const forum = await addRelyingParty(app, { first_party: true });
    const browser = browserOf(MEMBER);
    await forum.signIn(browser);
    const { client_id } = forum.client;
    const root = app.client(app.root);
    await ok(root.oidc.updateClient({ params: { client_id }, body: { first_party: false } }));
    const quietly = async () => {
      const { landed } = await forum.visit(browser, { prompt: 'none' });
      return landed.url.searchParams.get('error');
    };
    expect(await quietly()).toBe('consent_required');
    const page = await browser.go((await forum.begin()).url);
    expect(page.html).toContain('Sign in to Wiki');
    expect((await browser.press(page)).url.searchParams.get('code')).toBeTruthy();
    expect(await quietly()).toBeNull();
    // Who has agreed is not asked again when it is turned on and off once more.
    for (const first_party of [true, false]) {
      await ok(root.oidc.updateClient({ params: { client_id }, body: { first_party } }));
      expect(await quietly()).toBeNull();
    }
  });

  it('D81: nobody is sent back to a redirect URI that was removed while the page was open', async () => {
    const removed = 'https://former.example/back';
    const forum = await addRelyingParty(app, {
      first_party: false,
      redirect_uris: [REDIRECT_URI, removed],
    });
    const browser = browserOf(MEMBER);
    const asking = await browser.go((await forum.begin({ redirect_uri: removed })).url);
    const params = { client_id: forum.client.client_id };
    const root = app.client(app.root);
    await ok(root.oidc.updateClient({ params, body: { redirect_uris: [REDIRECT_URI] } }));
    const back = await browser.follow(asking, 'No, go back');
    expect(back.url.origin).toBe(BASE_URL);
    expect(back.html).toContain('This application does not come from where it says');
  });

  it('D90: a consent is told once, with its scopes, as done by whoever gave it', async () => {
    const forum = await addRelyingParty(app, { client_name: 'Forum', first_party: false });
    const browser = browserOf(MEMBER);
    await forum.signIn(browser, { scope: 'openid' });
    await forum.signIn(browser, { scope: 'openid', prompt: 'consent' });
    await forum.signIn(browser, { scope: 'openid groups' });
    const given = (await allEvents(app.db)).filter(({ type }) => type === 'oidc.consent_given');
    const { client_id } = forum.client;
    const told = given.filter(({ targets }) => targets[0]?.id === client_id);
    expect(told.map(({ changes }) => changes)).toEqual([
      [{ field: 'scopes', before: [], after: ['openid'] }],
      [{ field: 'scopes', before: ['openid'], after: ['groups', 'openid'] }],
    ]);
    for (const { actor, targets, context } of told) {
      expect(actor).toMatchObject({ kind: 'user', character_id: MEMBER });
      expect(targets).toMatchObject([
        { type: 'oidc_client', name: 'Forum' },
        { type: 'user', id: String(MEMBER) },
      ]);
      expect(context?.address).toBeTruthy();
    }
  });

  it('D82: a consent is stored, too, where overlapping requests have stored the session twice', async () => {
    const forum = await addRelyingParty(app, { first_party: false });
    const browser = browserOf(MEMBER);
    await party.signIn(browser);
    const page = await browser.go((await forum.begin({ scope: 'openid' })).url);
    const { numAffectedRows } = await sql`
      insert into oidc_artifacts (model, id_hash, payload, session_uid, character_id, expires_on)
      select model, 'twice ' || id_hash, payload, session_uid, character_id, expires_on - interval '1 minute'
      from oidc_artifacts where model = 'Session' and character_id = ${MEMBER}`.execute(app.db);
    expect(numAffectedRows).toBeGreaterThan(0n);
    const { url } = await browser.press(page);
    expect(url.searchParams.get('code')).toBeTruthy();
    await sql`delete from oidc_artifacts where id_hash like 'twice %'`.execute(app.db);
  });

  it('D82: a scope that the service does not have is granted to nobody, as no page names it', async () => {
    const forum = await addRelyingParty(app, { first_party: false });
    const browser = browserOf(MEMBER);
    const scope = 'openid admin email';
    const page = await browser.go((await forum.begin({ scope })).url);
    expect(page.html).not.toContain('an address');
    const tokens = await forum.signIn(browser, { scope });
    expect(tokens.scope).toBe('openid');
    expect(await openid.tokenIntrospection(forum.config, tokens.access_token)).toMatchObject({
      active: true,
      scope: 'openid',
    });
    const consents = await app.db.selectFrom('oidc_consents').select(['client_id', 'scopes']).execute();
    const { client_id } = forum.client;
    expect(consents).toContainEqual({ client_id, scopes: ['openid'] });
  });

  it('D84: who was refused by the application is let in when the page is loaded again after a mend', async () => {
    const { group_id } = await ok(app.client(app.root).group.create({ body: { group_name: 'Doormen' } }));
    const closed = await addRelyingParty(app, { allowed_groups: [group_id] });
    const browser = browserOf(OTHER);
    const begun = await closed.begin();
    const page = await browser.go(begun.url);
    expect(page.page?.status).toBe(403);
    expect(page.html).toContain('Doormen');
    const { character_name = '' } = (await userRow(app, OTHER)) ?? {};
    const body = { add_members: [character_name] };
    await ok(app.client(app.root).group.update({ params: { group_id }, body }));
    const { url } = await browser.go(page.url);
    expect((await closed.redeem(begun, url)).claims()?.sub).toBe(String(OTHER));
  });

  it('D91: a consent that is given twice at the same moment is told once', async () => {
    const forum = await addRelyingParty(app, { first_party: false });
    const browser = browserOf(MEMBER);
    const page = await browser.go((await forum.begin({ scope: 'openid' })).url);
    const lock = 'select from users where character_id = $1 for update';
    const clicks = () => Promise.all([browser.press(page), browser.press(page)]);
    await meanwhile(app, lock, [MEMBER], clicks, (other) => untilBehind(other, 2));
    const { client_id } = forum.client;
    const given = (await allEvents(app.db)).filter(({ type }) => type === 'oidc.consent_given');
    const told = given.filter(({ targets }) => targets[0]?.id === client_id);
    expect(told.map(({ changes }) => changes)).toEqual([
      [{ field: 'scopes', before: [], after: ['openid'] }],
    ]);
  });

  it.each([11, 55])(
    'D26: who returns from the game after %d minutes, too late, is told so and can go back',
    async (minutes) => {
      const browser = browserOf(MEMBER);
      const begun = await party.begin();
      const callback = await goToTheGame(browser, begun.url);
      app.clock.advance(minutes * 60_000);
      const page = await browser.go(callback);
      expect(page.html).toContain('This sign-in was not completed in time.');
      const { url } = await browser.follow(page, 'Back to the application');
      expect(url.searchParams.get('error')).toBe('access_denied');
      expect(url.searchParams.get('state')).toBe(begun.state);
    },
  );

  it('D82: two windows of one browser may sign in at the same time', async () => {
    const browser = browserOf(MEMBER);
    const [one, two] = [await party.begin(), await party.begin()];
    const first = await goToTheGame(browser, one.url);
    const second = await goToTheGame(browser, two.url);
    for (const [begun, callback] of [
      [one, first],
      [two, second],
    ] as const) {
      const { url } = await browser.go(callback);
      expect((await party.redeem(begun, url)).claims()?.sub).toBe(String(MEMBER));
    }
  });

  it('D82: two applications that a browser opens at the same moment both get tokens that work', async () => {
    const browser = browserOf(MEMBER);
    await party.signIn(browser);
    const parties = [await addRelyingParty(app), await addRelyingParty(app)];
    await signInAtOnce(app, browser, parties);
  });

  it('D82: an application that it opens in two windows gets tokens in both that work, of one grant', async () => {
    const forum = await addRelyingParty(app, { backchannel_logout_uri: 'https://wiki.example/out' });
    const browser = browserOf(MEMBER);
    await party.signIn(browser);
    const grants = () =>
      app.db
        .selectFrom('oidc_artifacts')
        .select('id_hash')
        .where('model', '=', 'Grant')
        .where('client_id', '=', forum.client.client_id)
        .execute();
    const inBoth = async () => {
      const [one, two] = await signInAtOnce(app, browser, [forum, forum]);
      expect(one?.claims()?.sid).toBeTruthy();
      expect(two?.claims()?.sid).toBe(one?.claims()?.sid);
      expect(await grants()).toHaveLength(1);
    };
    await inBoth();
    const { refresh_token = '' } = await forum.signIn(browser, { scope: 'openid offline_access' });
    await openid.tokenRevocation(forum.config, refresh_token);
    expect(await grants()).toEqual([]);
    await inBoth();
  });

  it('D82: of two requests of a session that add scopes at the same moment both have theirs', async () => {
    const grants = createAdapter(app.app.services, 'Grant');
    for (const scope of ['openid profile', 'openid groups']) {
      await grants.upsert('of two', { openid: { scope } }, 600);
    }
    expect(await grants.find('of two')).toMatchObject({ openid: { scope: 'openid groups profile' } });
    await grants.destroy('of two');
  });

  it('D26: too few scopes: the page links to the sign-on for all of them, which leads back to the application', async () => {
    await app.db
      .updateTable('alliances')
      .set({ mandatory_ext_scopes: ['ext-mail.read_mail.v1'] })
      .where('alliance_id', '=', ALLIANCE)
      .execute();
    const browser = browserOf(MEMBER);
    const begun = await party.begin();
    const page = await browser.go(begun.url);
    expect(page.page?.status).toBe(403);
    expect(page.html).toContain('ext-mail.read_mail.v1');
    // D82: the cookie that binds the sign-in to the browser outlives the second try, so that a late return is told so.
    const [cookie] = page.page?.headers.getSetCookie() ?? [];
    expect(cookie).toMatch(/castellan_sign_in_.*; Max-Age=3600;/);
    const { url } = await browser.follow(page, 'Sign in and grant all');
    expect((await party.redeem(begun, url)).claims()?.sub).toBe(String(MEMBER));
    await app.db
      .updateTable('alliances')
      .set({ mandatory_ext_scopes: [] })
      .where('alliance_id', '=', ALLIANCE)
      .execute();
  });

  describe('D26: scopes that the corporation requires', () => {
    const [MAIL, SKILLS] = ['ext-mail.read_mail.v1', 'ext-skills.read_skills.v1'] as const;
    const require = (mandatory_ext_scopes: ExtScope[]) =>
      app.db
        .updateTable('corporations')
        .set({ mandatory_ext_scopes })
        .where('corporation_id', '=', CORPORATION)
        .execute();
    /** Somebody whom no other test signs in, after sign-ins with each of these scopes. */
    async function somebodyWith(...scopes: ExtScope[]): Promise<number> {
      await require([]);
      const id = unused.pop() as number;
      for (const scope of scopes) await app.signIn(id, { scopes: [scope] });
      await require([MAIL, SKILLS]);
      return id;
    }
    const refused = async (id: number) => {
      const { page, html } = await browserOf(id).go((await party.begin()).url);
      return page?.status === 403 && html.includes(TITLES.tooFewScopes);
    };
    let unused: number[];
    beforeAll(() => {
      unused = app.provider.world.membersOf(CORPORATION).filter((id) => ![MEMBER, OTHER].includes(id));
    });
    afterAll(() => require([]));

    it('D26: count as granted where the valid refresh tokens have them, though this sign-in asks for public data', async () => {
      const id = await somebodyWith(MAIL, SKILLS);
      expect((await party.signIn(browserOf(id))).claims()?.sub).toBe(String(id));
    });

    it('D26: refuse whoever never granted them, or not all', async () => {
      expect(await refused(await somebodyWith())).toBe(true);
      expect(await refused(await somebodyWith(MAIL))).toBe(true);
    });

    it('D26: refuse whoever granted them by a refresh token that is not valid any more', async () => {
      const id = await somebodyWith(MAIL, SKILLS);
      await app.db.updateTable('grants').set({ valid: false }).where('character_id', '=', id).execute();
      expect(await refused(id)).toBe(true);
    });

    it('D26, D29b: refuse whoever got the character from somebody who had granted them', async () => {
      const id = await somebodyWith(MAIL, SKILLS);
      app.provider.world.handOver(id);
      expect(await refused(id)).toBe(true);
    });

    it('D26: count in a sign-in by an app token only where it grants them', async () => {
      const id = await somebodyWith(MAIL, SKILLS);
      await expectPage(await trySignIn(app, { characterId: id }), 403, TITLES.tooFewScopes);
    });
  });

  it('D26: cancelling at the game leads back to the application with access_denied', async () => {
    const browser = new Browser(app, { choice: { cancel: true } });
    const begun = await party.begin();
    const page = await browser.go(begun.url);
    expect(page.page?.status).toBe(403);
    const { url } = await browser.follow(page, 'Back to the application');
    expect(url.searchParams.get('error')).toBe('access_denied');
    expect(url.searchParams.get('state')).toBe(begun.state);
  });
});

/** Follows a sign-in up to the redirect from the game. */
async function goToTheGame(browser: Browser, authorization: URL): Promise<string> {
  const begun = await browser.ask(authorization);
  const interaction = new URL(begun.headers.get('location') ?? '', BASE_URL);
  const signOn = await browser.ask(interaction);
  return app.provider.authorize(signOn.headers.get('location') ?? '', browser.choice);
}

it('D82: an empty part that the library stores takes no application out of the session', async () => {
  const forum = await addRelyingParty(app, { first_party: false });
  await forum.signIn(browserOf(MEMBER));
  const { client_id } = forum.client;
  const part = sql<string | null>`payload->'authorizations'->${client_id}->>'grantId'`;
  const sessions = app.db
    .selectFrom('oidc_artifacts')
    .where('model', '=', 'Session')
    .where(part, 'is not', null);
  const session = await sessions.selectAll().select(part.as('grant')).executeTakeFirstOrThrow();
  // A concurrent request had loaded the session before, and only shows the consent page.
  await saveArtifact(app.db, {
    model: 'Session',
    idHash: session.id_hash,
    payload: { ...(session.payload as object), authorizations: { [client_id]: {} } },
    grantHash: null,
    sessionUid: session.session_uid,
    characterId: MEMBER,
    clientId: null,
    expiresOn: session.expires_on,
  });
  expect(await sessions.select(part.as('grant')).executeTakeFirst()).toEqual({ grant: session.grant });
});

describe('D83: what applications learn', () => {
  it('D83: profile and groups, including autogroups; nothing that was not requested', async () => {
    const group = await ok(app.client(app.root).group.create({ body: { group_name: 'Editors' } }));
    const { character_name } = (await userRow(app, MEMBER)) as { character_name: string };
    await ok(
      app.client(app.root).group.update({
        params: { group_id: group.group_id },
        body: { add_members: [character_name] },
      }),
    );
    const user = await ok(app.client(app.root).user.get({ params: { character_name } }));
    const all = await party.userinfo(await party.signIn(browserOf(MEMBER)));
    expect(all).toEqual({
      sub: String(MEMBER),
      name: character_name,
      preferred_username: character_name,
      picture: `https://images.evetech.net/characters/${MEMBER}/portrait`,
      corporation: { id: Number(user.corporation), name: expect.any(String), ticker: expect.any(String) },
      alliance: { id: ALLIANCE, name: expect.any(String), ticker: expect.any(String) },
      clearance_level: user.clearance_level,
      main: { character_id: MEMBER, character_name },
      groups: expect.arrayContaining(['Editors', (all.alliance as { name: string }).name]),
      group_ids: expect.arrayContaining([group.group_id]),
    });
    expect((all.groups as string[]).length).toBe((all.group_ids as string[]).length);
    expect((all.groups as string[]).length).toBeGreaterThanOrEqual(3);
    const bare = await party.signIn(browserOf(MEMBER), { scope: 'openid' });
    expect(await party.userinfo(bare)).toEqual({ sub: String(MEMBER) });
  });

  it('D83, D100: `main` is the main of the person', async () => {
    const tokens = await party.signIn(browserOf(MEMBER));
    const other = 2_150_000_999;
    const character_name = await addUser(app, { id: other });
    const [into, from] = [soleId(other), soleId(MEMBER)];
    const body = { person_id: from, reason: 'One human.' };
    await ok(app.client(app.root).person.merge({ params: { person_id: into }, body }));
    expect(await party.userinfo(tokens)).toMatchObject({
      sub: String(MEMBER),
      main: { character_id: other, character_name },
    });
    await app.db.deleteFrom('persons').execute();
  });

  it('D83: changes appear in the next answer', async () => {
    const tokens = await party.signIn(browserOf(MEMBER));
    await app.db
      .updateTable('users')
      .set({ clearance_level: 4 })
      .where('character_id', '=', MEMBER)
      .execute();
    expect(await party.userinfo(tokens)).toMatchObject({ clearance_level: 4 });
  });

  it('D83: an email only if OIDC_EMAIL_DOMAIN is set, and unverified', async () => {
    const tokens = await party.signIn(browserOf(MEMBER), { scope: 'openid email profile' });
    expect(await party.userinfo(tokens)).not.toHaveProperty('email');
    const mailing = await startTestApp({ env: { OIDC_EMAIL_DOMAIN: 'pilots.example' } });
    await letIn(mailing, { alliances: [ALLIANCE] });
    const there = await addRelyingParty(mailing);
    const browser = new Browser(mailing, { choice: { characterId: MEMBER } });
    const given = await there.userinfo(await there.signIn(browser, { scope: 'openid email' }));
    expect(given).toEqual({
      sub: String(MEMBER),
      email: `${MEMBER}@pilots.example`,
      email_verified: false,
    });
    await mailing.stop();
  });

  it('D81: the time when an application last got tokens is stored', async () => {
    const forum = await addRelyingParty(app);
    await forum.signIn(browserOf(MEMBER));
    const { client_id } = forum.client;
    await expect
      .poll(
        async () => (await ok(app.client(app.root).oidc.getClient({ params: { client_id } }))).last_used_on,
      )
      .toBe(app.clock.now().toISOString());
  });
});

describe('D8: a session that cannot be stored', () => {
  const failing = (sqlState: string) =>
    app.db.transaction().execute(async (tx) => {
      await sql`create function fails() returns trigger language plpgsql as
        ${sql.lit(`begin raise exception 'not stored' using errcode = '${sqlState}'; end`)}`.execute(tx);
      await sql`create trigger fails before insert or update on oidc_artifacts for each row
        when (new.model = 'Session') execute function fails()`.execute(tx);
    });
  /** Has the first session fail that says who signed in. */
  async function failingOnce() {
    await sql`create sequence failed`.execute(app.db);
    await sql`create function fails() returns trigger language plpgsql as $$begin
      if nextval('failed') = 1 then raise exception 'not stored' using errcode = '57P01'; end if; return new; end$$`.execute(
      app.db,
    );
    await sql`create trigger fails before insert on oidc_artifacts for each row
      when (new.model = 'Session' and new.character_id is not null) execute function fails()`.execute(app.db);
  }
  afterEach(async () => {
    await sql`drop function if exists fails cascade`.execute(app.db);
    await sql`drop sequence if exists failed`.execute(app.db);
  });

  it('D82: leaves the browser the session that it has, and no code', async () => {
    const browser = browserOf(MEMBER);
    await party.signIn(browser);
    const forum = await addRelyingParty(app, { client_name: 'Forum', first_party: false });
    const asking = await browser.go((await forum.begin()).url);
    await failing('57P01');
    const { page } = await browser.press(asking);
    expect({ status: page?.status, location: page?.headers.get('location') }).toEqual({
      status: 503,
      location: null,
    });
    await sql`drop function fails cascade`.execute(app.db);
    await party.signIn(browser);
    expect(asksTheGame(browser)).toBe(1);
  });

  it('D82: once, leaves the browser the session that it has all the same', async () => {
    const browser = browserOf(MEMBER);
    await party.signIn(browser);
    const forum = await addRelyingParty(app, { client_name: 'Forum', first_party: false });
    const asking = await browser.go((await forum.begin()).url);
    await failingOnce();
    expect((await browser.press(asking)).page?.status).toBe(503);
    await party.signIn(browser);
    expect(asksTheGame(browser)).toBe(1);
  });

  it('D82: at once, but at the next attempt, is the only one, and no part of it another character’s', async () => {
    const browser = browserOf(MEMBER);
    await party.signIn(browser);
    // The browser keeps its cookie, as after a hand-over.
    await sql`delete from oidc_artifacts`.execute(app.db);
    await failingOnce();
    expect((await party.visit(browser)).landed.page?.status).toBe(503);
    browser.choice = { characterId: OTHER };
    const { landed, ...begun } = await party.visit(browser);
    expect((await party.redeem(begun, landed.url)).claims()?.sub).toBe(String(OTHER));
    const { rows } = await sql`select session_uid from oidc_artifacts where model = 'Session'
      group by session_uid having count(*) > 1`.execute(app.db);
    expect(rows).toEqual([]);
  });

  async function visit() {
    const browser = browserOf(MEMBER);
    await party.signIn(browser);
    return async () => {
      const { page, html } = await browser.go((await party.begin()).url);
      return { status: page?.status, html, headers: page?.headers };
    };
  }

  it('D8: is a 503 page with Retry-After where the database goes away at that moment', async () => {
    const again = await visit();
    await failing('57P01');
    const { status, html, headers } = await again();
    expect({ status, retryAfter: headers?.get('retry-after') }).toEqual({ status: 503, retryAfter: '5' });
    expect(html).toContain('The database cannot be reached at the moment.');
  });

  it('D8: is a page with status 500 and a crash report where the reason is not foreseen', async () => {
    const again = await visit();
    await failing('22000');
    const { status, headers } = await again();
    expect(status).toBe(500);
    expect(headers?.get('content-type')).toContain('text/html');
    const root = app.client(app.root);
    const [report, ...others] = await ok(root.crash.list());
    expect(others).toEqual([]);
    expect(report?.url).toContain('/oidc/auth');
    await ok(root.crash.delete({ params: { crash_report_id: report?.id ?? '' } }));
  });
});

describe('secrets', () => {
  it('no code, token, secret or cookie is in the log or in the database', async () => {
    const browser = browserOf(MEMBER);
    const forum = await addRelyingParty(app, { first_party: false });
    const { landed, ...begun } = await forum.visit(browser, { scope: 'openid offline_access' });
    const code = landed.url.searchParams.get('code') ?? '';
    const tokens = await forum.redeem(begun, landed.url);
    await browser.go((await forum.begin({ prompt: 'login', nonce: openid.randomPKCECodeVerifier() })).url);
    const secrets = [
      ...[code, tokens.access_token, tokens.refresh_token ?? '', tokens.id_token ?? ''],
      ...[forum.client.client_secret ?? '', begun.verifier],
      ...browser.cookies.map(({ value }) => value),
    ];
    expect(secrets.every((secret) => secret.length > 20)).toBe(true);
    const logged = app.logged.join('\n');
    const rows = await app.db.selectFrom('oidc_artifacts').selectAll().execute();
    const atRest = JSON.stringify([rows, await app.db.selectFrom('state_codes').selectAll().execute()]);
    for (const secret of secrets) {
      expect(logged).not.toContain(secret);
      expect(atRest).not.toContain(secret);
    }
  });
});

import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ExtScope } from '../../contract/scopes.ts';
import type { Tracking, UserShort } from '../../contract/user.ts';
import { ok } from '../../sdk/src/index.ts';
import { checkGrants } from '../../server/grant/check-grants.ts';
import { collectors } from '../../server/history/collect.ts';
import { eventsOf } from '../fixtures/events.ts';
import { letIn, pilotsOfExecutor } from '../fixtures/registry.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { expireAccessTokens, forgetProvider, SKILLS, WALLET } from '../harness/provider.ts';
import { testRun } from '../harness/run.ts';

const ALLIANCE = 99_000_001;
const HOUR = 3_600_000;
const NO_TOKEN = { status: 404, body: { code: 'no_refresh_token' } };

let app: TestApp;
let dyn: string;
let corporation_id: number;
let people: number[];

beforeAll(async () => {
  app = await startTestApp();
  dyn = await app.dynamicToken();
  await letIn(app, { alliances: [ALLIANCE] });
  corporation_id = app.provider.world.alliance(ALLIANCE)?.executorCorporationId ?? 0;
  people = pilotsOfExecutor(app, ALLIANCE);
});
afterAll(() => app.stop());
beforeEach(async () => {
  app.provider.reset();
  await forgetProvider(app);
  await sql`delete from users where character_id <> 0`.execute(app.db);
});

async function signIn(id = people.shift() as number, scopes: readonly ExtScope[] = [SKILLS, WALLET]) {
  return { id, token: (await app.signIn(id, { dyn, scopes: [...scopes] })).token };
}

/** The character is sold, and its refresh tokens live on. */
async function sell(id: number): Promise<void> {
  app.provider.world.handOver(id, 'live on');
  await expireAccessTokens(app);
}

/** The next refresh names another owner, though the character was not sold. */
function nameAnother(): void {
  app.provider.nextAccessToken(({ claims }) => {
    claims.owner = 'somebody else';
  });
}

const check = () => checkGrants(app.app.services, testRun('check-grants', { asked: true }));
const forward = (id: number, token: string, body: { on_behalf_of?: number } = {}) =>
  app.client(token).ext.forward({ params: { esi_path: `characters/${id}/wallet` }, body });
const collect = () => collectors['collect-wallets'](app.app.services, testRun('collect-wallets'));
const entriesOf = (id: number) =>
  app.db.selectFrom('character_wallets').select('timestamp').where('character_id', '=', id).execute();
const askedFor = (id: number) =>
  app.provider.requests.filter(({ area, characterId }) => area === 'api' && characterId === id);
const refreshes = () => app.provider.requests.filter(({ path }) => path === '/v2/oauth/token');
const root = () => app.client(app.root);

async function trackingOf(id: number): Promise<string | undefined> {
  const tracking: Tracking = await ok(root().corporation.tracking({ params: { corporation_id } }));
  const holds = ([, users]: [string, UserShort[]]) => users.some(({ character_id }) => character_id === id);
  return Object.entries<UserShort[]>(tracking).find(holds)?.[0];
}

async function complianceOf(id: number) {
  const { persons } = await ok(root().corporation.compliance({ params: { corporation_id } }));
  return persons.flatMap(({ characters }) => characters).find(({ user }) => user.character_id === id);
}

describe('D29b: a refresh that names another owner of the character', () => {
  it('gives a forward no access token, nor a cached answer; the token is refreshed no more for that', async () => {
    const { id, token } = await signIn();
    expect(await forward(id, token)).toMatchObject({ status: 200 });
    await sell(id);
    await sql`update provider_cache set fresh_until = 'epoch'`.execute(app.db);
    expect(await forward(id, token)).toMatchObject(NO_TOKEN);
    await sql`update provider_cache set fresh_until = now() + interval '1 day'`.execute(app.db);
    expect(await forward(id, token)).toMatchObject(NO_TOKEN);
    expect(askedFor(id)).toHaveLength(1);
    expect(refreshes()).toHaveLength(2);
  });

  it('leaves the other refresh tokens of the character in use', async () => {
    const { id, token } = await signIn();
    await signIn(id, [WALLET]);
    await expireAccessTokens(app);
    nameAnother();
    expect(await forward(id, token)).toMatchObject({ status: 200 });
    const { rows } = await sql`select usable from standing_grants where character_id = ${id}
      order by cardinality(scopes)`.execute(app.db);
    expect(rows).toEqual([{ usable: true }, { usable: false }]);
  });

  it('in another process keeps this one from using its access token, too', async () => {
    const { id } = await signIn();
    const grants = app.db.selectFrom('grants').selectAll().where('character_id', '=', id);
    const stale = await grants.executeTakeFirstOrThrow();
    await app.db.updateTable('grants').set({ heard_owner: 'buyer' }).where('character_id', '=', id).execute();
    const held = { ...stale, access_token: null, cut_off: false };
    const before = refreshes().length;
    expect(await app.app.services.access.of(held, id, performance.now() + 10_000)).toBeUndefined();
    expect(refreshes()).toHaveLength(before);
  });

  it('ends the collecting of histories', async () => {
    const { id } = await signIn();
    await collect();
    expect(await entriesOf(id)).toHaveLength(1);
    await sell(id);
    app.clock.advance(13 * HOUR);
    await collect();
    const noticed = refreshes().length;
    app.clock.advance(13 * HOUR);
    await collect();
    expect(await entriesOf(id)).toHaveLength(1);
    expect(askedFor(id)).toHaveLength(1);
    expect(refreshes()).toHaveLength(noticed);
    const turn = app.db.selectFrom('history_turns').select('due_on').where('character_id', '=', id);
    const { due_on } = await turn.where('history', '=', 'wallet').executeTakeFirstOrThrow();
    expect(due_on.getTime()).toBeGreaterThan(app.clock.now().getTime());
  });

  it('D35, D102: tracking and compliance count the refresh token as invalid, with grace from then on', async () => {
    const { id } = await signIn();
    app.clock.advance(96 * HOUR);
    await check();
    expect([await trackingOf(id), (await complianceOf(id))?.status]).toEqual(['valid_refresh_token', 'ok']);
    await sell(id);
    await check();
    expect(await trackingOf(id)).toBe('invalid_refresh_token');
    expect(await complianceOf(id)).toMatchObject({ status: 'grace', reason: 'grant_invalid', days: 0 });
    const params = { character_name: app.provider.world.character(id)?.name ?? '' };
    const { available_ext_scopes } = await ok(root().user.get({ params }));
    expect(available_ext_scopes).toEqual([]);
  });

  it('D94: is not told as a use of the user’s data by those who then ask in vain', async () => {
    const { id } = await signIn();
    await sell(id);
    await check();
    const told = await eventsOf(app.db, async () => {
      expect(await forward(id, app.root, { on_behalf_of: id })).toMatchObject(NO_TOKEN);
    });
    expect(told.map(({ type }) => type)).toEqual([]);
  });

  it('takes nothing, so that a single odd answer is made up for by the next refresh', async () => {
    const { id, token } = await signIn();
    await expireAccessTokens(app);
    nameAnother();
    expect(await forward(id, token)).toMatchObject(NO_TOKEN);
    expect(await trackingOf(id)).toBe('invalid_refresh_token');
    await check();
    expect(await trackingOf(id)).toBe('valid_refresh_token');
    expect(await forward(id, token)).toMatchObject({ status: 200 });
  });

  it('says nothing where the owner here is not known', async () => {
    const { id, token } = await signIn();
    await sell(id);
    await app.db.updateTable('users').set({ owner_hash: null }).where('character_id', '=', id).execute();
    expect(await forward(id, token)).toMatchObject({ status: 200 });
    expect(await forward(id, token)).toMatchObject({ status: 200 });
    expect(await trackingOf(id)).toBe('valid_refresh_token');
  });

  it('ends with the sign-in of the new owner, with which the former owner’s tokens end', async () => {
    const { id, token } = await signIn();
    await sell(id);
    await check();
    const buyer = await signIn(id);
    expect((await app.client(token).token.current()).status).toBe(401);
    expect(await forward(id, buyer.token)).toMatchObject({ status: 200 });
    expect(await trackingOf(id)).toBe('valid_refresh_token');
    await collect();
    expect(await entriesOf(id)).toHaveLength(1);
  });

  it.each([
    ['with other scopes', ['publicData'] as const],
    ['without scopes', [] as const],
  ])('ends with a sign-in of the owner %s: histories go on at once', async (_, scopes) => {
    const former = await signIn();
    const { id } = former;
    await collect();
    app.clock.advance(HOUR);
    nameAnother();
    expect(await forward(id, former.token)).toMatchObject(NO_TOKEN);
    app.clock.advance(13 * HOUR);
    await collect();
    expect(await entriesOf(id)).toHaveLength(1);
    const { token } = await signIn(id, scopes);
    expect(await forward(id, token)).toMatchObject({ status: 200 });
    expect(await trackingOf(id)).toBe('valid_refresh_token');
    await collect();
    expect(await entriesOf(id)).toHaveLength(2);
  });
});

import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { addOrganizations } from '../fixtures/users.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { bundle } from '../harness/bundle.ts';
import { FAKED_CLOCK } from '../harness/faked-clock.ts';
import { addGrant, expireAccessTokens, forgetProvider, outcomeOf, ownRecord } from '../harness/provider.ts';

const ADA = 2_112_000_001;
const CORPORATION = 98_200_001;
const ENCRYPTION_KEYS = `test:${randomBytes(32).toString('base64')}`;

let app: TestApp;
let program: string;
beforeAll(async () => {
  program = await bundle('test/faults/provider-process.ts');
  app = await startTestApp({ env: { ENCRYPTION_KEYS } });
  await addOrganizations(app, [{ corporations: [CORPORATION] }]);
});
beforeEach(async () => {
  app.provider.reset();
  await app.db.deleteFrom('grants').execute();
  await forgetProvider(app);
  await addGrant(app, ADA);
  await app.db
    .updateTable('users')
    .set({ corporation_id: CORPORATION })
    .where('character_id', '=', ADA)
    .execute();
  await expireAccessTokens(app);
});
afterAll(() => app.stop());

/** Another process of the service; the first line of its output is the result of its request. */
function startAsking() {
  const { settings } = app.app.services;
  const child = spawn(process.execPath, [program, String(ADA)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env['PATH'] ?? '',
      ...FAKED_CLOCK,
      DATABASE_URL: app.databaseUrl,
      SSO_URL: settings.sso.url,
      SSO_CLIENT_ID: settings.sso.clientId,
      SSO_CLIENT_SECRET: settings.sso.clientSecret,
      EXT_API_URL: settings.extApi.url,
      EXT_API_SPEC_URL: settings.extApi.specUrl,
      ENCRYPTION_KEYS,
    },
  });
  return child;
}

/** Kills a process with signal 9 when the provider has handled its refresh, before it gets the answer. */
async function killWhileRefreshing(): Promise<void> {
  const held = app.provider.faults.add('/v2/oauth/token', {
    kind: 'hold',
    until: new Promise(() => undefined),
  });
  const child = startAsking();
  const ended = once(child, 'exit');
  await vi.waitFor(
    () => expect(app.provider.requests.at(-1)).toMatchObject({ grantType: 'refresh_token', fault: 'hold' }),
    { timeout: 60_000 },
  );
  child.kill('SIGKILL');
  expect(await ended).toEqual([null, 'SIGKILL']);
  expect(held.strikes).toBe(1);
  app.provider.faults.clear();
}

/** The user's state in tracking, and the available scopes in its record. */
async function shown() {
  const root = app.client(app.root);
  const tracking = await root.corporation.tracking({ params: { corporation_id: CORPORATION } });
  const user = await root.user.get({ params: { character_name: `Character ${ADA}` } });
  if (tracking.status !== 200 || user.status !== 200) throw new Error('tracking cannot be read');
  const lists = Object.entries(tracking.body).filter(([, users]) => users.length > 0);
  return { tracking: lists.map(([list]) => list), scopes: user.body.available_ext_scopes.length };
}
const VALID = { tracking: ['valid_refresh_token'], scopes: 3 };
const INVALID = { tracking: ['invalid_refresh_token'], scopes: 0 };

/** Moves the claim of the refresh into the past, as if its time limit had passed by the database's clock. */
const letTimePass = () =>
  sql`update grants set refresh_started_on = refresh_started_on - interval '31 seconds'`.execute(app.db);

describe('D34: a process killed between the provider’s rotation and the commit', () => {
  it('gets its answer when it is not killed', async () => {
    const child = startAsking();
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    expect(String(line)).toBe('200\n');
    expect(await shown()).toEqual(VALID);
  });

  it('the token is shown as invalid, never as valid, and the next attempt finds that it is dead', async () => {
    app.provider.rotateRefreshTokens = true;
    expect(await shown()).toEqual(VALID);
    await killWhileRefreshing();
    await letTimePass();
    expect(await shown()).toEqual(INVALID);
    expect(await outcomeOf(app.app.services.client.ask(ownRecord(ADA)))).toBe('no-token');
    expect(await shown()).toEqual(INVALID);
    const cause = await app.db.selectFrom('grants').select(['valid', 'cause']).executeTakeFirst();
    expect(cause).toEqual({ valid: false, cause: expect.stringContaining('Token missing/expired') });
    await addGrant(app, ADA);
    expect(await shown()).toEqual(VALID);
  });

  it('a token that was not rotated is valid again after the next attempt, with or without a valid access token', async () => {
    await killWhileRefreshing();
    await letTimePass();
    expect(await shown()).toEqual(INVALID);
    const inAnHour = new Date(app.clock.now().getTime() + 3_600_000);
    await app.db.updateTable('grants').set({ access_expires_on: inAnHour }).execute();
    expect(await outcomeOf(app.app.services.client.ask(ownRecord(ADA)))).toBe(200);
    expect(await shown()).toEqual(VALID);
  });
});

import pg from 'pg';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { digestOf } from '../../server/shared/digest.ts';
import { letIn } from '../fixtures/registry.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { Browser } from '../harness/browser.ts';
import { untilBehind } from '../harness/meanwhile.ts';
import { type DatabaseProxy, startProxy } from '../harness/proxy.ts';
import { addRelyingParty, postForm, type RelyingParty } from '../harness/relying-party.ts';

const ALLIANCE = 99_000_001;
const CORPORATION = 98_000_011;
const MEMBER = 2_112_000_028;
const LONG = { timeout: 60_000, interval: 100 };

let app: TestApp;
let party: RelyingParty;
let proxy: DatabaseProxy;
let direct: pg.Client;

beforeAll(async () => {
  app = await startTestApp({
    async databaseBy(databaseUrl) {
      direct = new pg.Client({ connectionString: databaseUrl });
      proxy = await startProxy(databaseUrl);
      return proxy.url;
    },
  });
  await direct.connect();
  await letIn(app, { alliances: [ALLIANCE], corporations: [CORPORATION] });
  party = await addRelyingParty(app);
});
afterAll(async () => {
  await direct?.end();
  await app?.stop();
});

it('D84: a refresh token can be sent again when the connection was lost while it was marked as used', async () => {
  const browser = new Browser(app, { choice: { characterId: MEMBER } });
  const { landed, ...begun } = await party.visit(browser, { scope: 'openid offline_access' });
  const { refresh_token = '' } = await party.redeem(begun, landed.url);
  const { client_id, client_secret = '' } = party.client;
  const refresh = () =>
    postForm(app, '/oidc/token', { grant_type: 'refresh_token', refresh_token, client_id, client_secret });
  const isUsed = async () => {
    const { rows } = await direct.query<{ used: boolean }>(
      "select consumed_on is not null as used from oidc_artifacts where model = 'RefreshToken' and id_hash = $1",
      [digestOf(refresh_token)],
    );
    return rows[0]?.used;
  };

  await direct.query('begin');
  await direct.query("select from oidc_artifacts where model = 'RefreshToken' and id_hash = $1 for update", [
    digestOf(refresh_token),
  ]);
  const refreshed = refresh();
  await untilBehind(direct, 1, refreshed);
  await proxy.cut();
  const { status, headers } = await refreshed;
  expect([status, headers.get('retry-after')]).toEqual([503, '5']);
  await direct.query('commit');
  // PostgreSQL notices the loss only when it answers, and by then it has committed.
  await vi.waitFor(async () => expect(await isUsed()).toBe(true), LONG);

  await proxy.mend();
  await vi.waitFor(async () => expect(await isUsed()).toBe(false), LONG);
  const again = await refresh();
  expect({ status: again.status, error: again.json.error }).toEqual({ status: 200, error: undefined });
});

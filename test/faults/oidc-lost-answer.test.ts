import { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createApi } from '../../server/api.ts';
import { createApp } from '../../server/app.ts';
import { listen } from '../../server/http/listen.ts';
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

/** A refresh token of somebody who signed in just now, and how to look whether it is used. */
async function fresh() {
  const browser = new Browser(app, { choice: { characterId: MEMBER } });
  const { landed, ...begun } = await party.visit(browser, { scope: 'openid offline_access' });
  const { refresh_token = '' } = await party.redeem(begun, landed.url);
  const { client_id, client_secret = '' } = party.client;
  const fields = { grant_type: 'refresh_token', refresh_token, client_id, client_secret };
  const refresh = () => postForm(app, '/oidc/token', fields);
  const row = [digestOf(refresh_token)];
  const isUsed = async () => {
    const { rows } = await direct.query<{ used: boolean }>(
      "select consumed_on is not null as used from oidc_artifacts where model = 'RefreshToken' and id_hash = $1",
      row,
    );
    return rows[0]?.used;
  };
  /** Has its use wait until `commit`. */
  const hold = async () => {
    await direct.query('begin');
    await direct.query(
      "select from oidc_artifacts where model = 'RefreshToken' and id_hash = $1 for update",
      row,
    );
  };
  return { fields, refresh, isUsed, hold };
}

it('D84: a refresh token can be sent again when the connection was lost while it was marked as used', async () => {
  const { refresh, isUsed, hold } = await fresh();
  await hold();
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

it('D84: it can be sent again when the client reset its connection, which is no outage of the database (D8)', async () => {
  await direct.query('delete from oidc_artifacts');
  const { fields, refresh, isUsed, hold } = await fresh();
  const tokens = async () =>
    (await direct.query("select from oidc_artifacts where model = 'RefreshToken'")).rowCount;
  const before = app.logged.length;
  const logged = () => app.logged.slice(before).join('');
  const end = vi.spyOn(ServerResponse.prototype, 'end');
  await hold();
  const { hostname, port } = new URL(app.url);
  const form = new URLSearchParams(fields).toString();
  const socket = connect(Number(port), hostname);
  socket.write(
    `POST /oidc/token HTTP/1.1
Host: ${hostname}
Content-Type: application/x-www-form-urlencoded
Content-Length: ${form.length}

${form}`.replaceAll('\n', '\r\n'),
  );
  await untilBehind(direct, 1);
  socket.resetAndDestroy();
  await vi.waitFor(() => expect(logged()).toContain('"aborted":true'), LONG);
  await direct.query('commit');
  // The request goes on to its end, which is that nobody has the new token.
  await vi.waitFor(async () => expect([await isUsed(), await tokens()]).toEqual([false, 2]), LONG);
  // A graceful stop would wait for an answer that is never ended.
  await vi.waitFor(() => expect(end).toHaveBeenCalledOnce(), LONG);
  end.mockRestore();
  expect((await refresh()).status).toBe(200);
  expect(logged()).not.toContain('the database cannot be reached');
});

it('D84: it can be sent again when a graceful stop has answered in its place', async () => {
  const { fields, refresh, isUsed, hold } = await fresh();
  const logged: string[] = [];
  const other = await createApp(app.app.services.settings, {
    log: pino({}, { write: (line) => logged.push(line) }),
    clock: app.clock,
    worker: false,
    database: { watched: false },
  });
  const http = await listen(createApi(other.services), '127.0.0.1', 0);
  await hold();
  const asked = postForm({ url: `http://127.0.0.1:${http.port}` }, '/oidc/token', fields);
  await untilBehind(direct, 1, asked);
  await Promise.all([http.stop(0), other.endJobs()]);
  expect((await asked).status).toBe(503);
  const closed = other.close();
  const waits = vi.waitFor(() => expect(logged.join('')).toContain('the stop waits for sign-ins'), LONG);
  await Promise.race([closed, waits]);
  await direct.query('commit');
  await closed;
  expect(await isUsed()).toBe(false);
  expect((await refresh()).status).toBe(200);
});

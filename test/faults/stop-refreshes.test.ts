import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createApi } from '../../server/api.ts';
import { type App, createApp } from '../../server/app.ts';
import { createAccessTokens } from '../../server/grant/refresh-tokens.ts';
import { listen } from '../../server/http/listen.ts';
import { createLog } from '../../server/observability/log.ts';
import { scheduledJobs } from '../../server/queue/job-catalogue.ts';
import { newSigningKey, RSA_KEY, startTestApp, type TestApp } from '../harness/app.ts';
import { farOff } from '../harness/far-off.ts';
import { build, createInstance, type Instance, PRODUCTION, PROGRAMS } from '../harness/instance.ts';
import { productionEnv } from '../harness/production.ts';
import { addGrant, expireAccessTokens, outcomeOf, ownRecord, SKILLS } from '../harness/provider.ts';
import { send } from '../harness/send.ts';

const ADA = 2_112_000_001;
const TOKEN = '/v2/oauth/token';
const WAITS = 'the stop waits for refresh tokens that are being replaced';
const LOST = /took too long to replace refresh tokens, which may be lost/;

const KEYS = {
  TOKEN_SIGNING_KEYS: JSON.stringify({ keys: [await newSigningKey(), RSA_KEY] }),
  ENCRYPTION_KEYS: `test:${randomBytes(32).toString('base64')}`,
};

let test: TestApp;
let logged: string[];
/** Lets the sign-on answer. */
let answer: () => void;
beforeAll(async () => {
  test = await startTestApp({ env: KEYS });
});
beforeEach(async () => {
  logged = [];
  const { provider, db, clock } = test;
  provider.reset();
  provider.rotateRefreshTokens = true;
  await db.deleteFrom('grants').execute();
  await addGrant(test, ADA, [SKILLS]);
  await db.updateTable('history_turns').set({ due_on: clock.now() }).execute();
  await db.deleteFrom('history_turns').where('history', '!=', 'skillpoints').execute();
  await expireAccessTokens(test);
  const until = new Promise<void>((resolve) => {
    answer = resolve;
  });
  provider.faults.add(TOKEN, { kind: 'hold', until }, { times: 1 });
});
afterAll(() => test.stop());

/** Waits until the sign-on has replaced the refresh token, and holds its answer back. */
const replaced = () =>
  expect
    .poll(() => test.provider.requests.at(-1))
    .toMatchObject({ grantType: 'refresh_token', fault: 'hold' });

/** The refresh token that came with the answer is stored, and works. */
async function expectStored(): Promise<void> {
  await expireAccessTokens(test);
  expect(await outcomeOf(test.app.services.client.ask(ownRecord(ADA)))).toBe(200);
  expect(await test.db.selectFrom('grants').select(['valid', 'cause']).execute()).toEqual([
    { valid: true, cause: null },
  ]);
}

const log = createLog('info', { write: (line) => logged.push(line) });
const heard = () => logged.map((line) => (JSON.parse(line) as { readonly msg: string }).msg);

describe('D34: a stop waits for the answer to a refresh, which may hold the only refresh token that works', () => {
  let app: App;
  const start = async (worker: boolean) => {
    const { settings } = test.app.services;
    const database = { watched: false, connectedWithin: 60_000 };
    app = await createApp(settings, { log, clock: test.clock, worker, database });
  };
  afterEach(() => app.close());

  it('of a worker', async () => {
    await start(true);
    await app.services.queue.run(test.db, 'collect-skill-points');
    await replaced();
    const stopped = app.close();
    await expect.poll(heard).toContain(WAITS);
    answer();
    await stopped;
    await expectStored();
  });

  it('of a process of the API, although the client has its 503', async () => {
    await start(false);
    const http = await listen(createApi(app.services), '127.0.0.1', 0);
    const url = `http://127.0.0.1:${http.port}`;
    const path = `/ext/characters/${ADA}/skills?on_behalf_of=${ADA}`;
    const asked = send({ url }, 'GET', path, { token: test.root });
    await replaced();
    const stopped = Promise.all([http.stop(0), app.endJobs()]).then(app.close);
    expect((await asked).status).toBe(503);
    await expect.poll(heard).toContain(WAITS);
    answer();
    await stopped;
    await expectStored();
  });

  it('that the check of refresh tokens has begun, too', async () => {
    await start(true);
    const grant = test.db.updateTable('grants').where('character_id', '=', ADA);
    await grant.set({ next_check_on: test.clock.now() }).execute();
    await app.services.queue.run(test.db, 'check-grants');
    await replaced();
    // The job itself is waited for, too, but not for as long.
    const finished = app.finishTokens();
    await expect.poll(heard).toContain(WAITS);
    answer();
    await finished;
    await expectStored();
  });
});

it('D34: when the sign-on takes too long, the log says whose refresh tokens may be lost; no refresh begins', async () => {
  const tokens = createAccessTokens({ ...test.app.services, log });
  const [row] = await test.db.selectFrom('grants').selectAll().execute();
  if (row === undefined) throw new Error('no grant');
  const grant = { ...row, cut_off: false };
  const of = () => tokens.of(grant, ADA, performance.now() + 60_000);
  const asked = of();
  await replaced();
  await tokens.finish(performance.now());
  const told = logged.filter((line) => LOST.test(line)).map((line) => JSON.parse(line));
  expect(told).toMatchObject([{ level: 'error', grant_ids: [row.grant_id] }]);
  answer();
  expect(await asked).toBeTypeOf('string');
  await expireAccessTokens(test);
  const before = test.provider.requests.length;
  await expect(of()).rejects.toMatchObject({ fault: 'unreachable' });
  expect(test.provider.requests).toHaveLength(before);
});

describe('D34: SIGTERM to', () => {
  let instance: Instance;
  let env: Record<string, string>;
  beforeAll(async () => {
    await build();
    instance = await createInstance();
    const { settings } = test.app.services;
    env = {
      ...(await productionEnv()),
      ...KEYS,
      DATABASE_URL: test.databaseUrl,
      BASE_URL: settings.baseUrl,
      SSO_URL: settings.sso.url,
      SSO_CLIENT_ID: settings.sso.clientId ?? '',
      SSO_CLIENT_SECRET: settings.sso.clientSecret ?? '',
      EXT_API_URL: settings.extApi.url,
      EXT_API_SPEC_URL: settings.extApi.specUrl,
      JOB_SCHEDULES: scheduledJobs.map((job) => `${job}=${farOff()}`).join(';'),
    };
  });
  afterAll(() => instance.remove());

  it.each([
    ['a worker, twice,', PRODUCTION.jobs, {}, /"msg":"working"/, 'twice'],
    ['its processes, twice,', PRODUCTION.server, { PROCESSES: '2' }, /all processes .* are ready/, 'twice'],
    ['the service for development', PROGRAMS.server, { NODE_ENV: '' }, /"msg":"listening"/, 'once'],
  ] as const)('%s loses no refresh token', async (_, program, more, ready, times) => {
    const server = instance.start(program, { ...env, ...more });
    await server.printed(ready);
    await test.app.services.queue.run(test.db, 'collect-skill-points');
    await replaced();
    server.signal('SIGTERM');
    await server.printed(new RegExp(WAITS));
    if (times === 'twice') {
      // Within a second of the first it would count as the same.
      await sleep(1_100);
      server.signal('SIGTERM');
      await server.printed(/asked to stop again/);
    }
    answer();
    const { code, stdout } = await server.ended;
    expect(code).toBe(times === 'twice' ? 1 : 0);
    expect(stdout).not.toMatch(LOST);
    await expectStored();
  });
});

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Fault, FaultTarget } from '../../dev/provider/faults.ts';
import { letIn } from '../fixtures/registry.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { snapshot } from '../harness/dump.ts';
import { forgetProvider } from '../harness/provider.ts';
import {
  expectPage,
  type StartedLogin,
  startLogin,
  TITLES,
  userRow,
  userTokenOf,
} from '../harness/sign-in.ts';

/** The alliance is let in, but this corporation is not registered, so that a sign-in fetches everything. */
const CORPORATION = 98_000_004;
const MEMBER = 2_112_000_023;
/** Timeouts of one answer: short for a provider that hangs, otherwise long enough for a busy machine. */
const [SHORT, LONG] = [1_200, 15_000];
const LIMITS = { milliseconds: LONG, bytes: 256 * 1024 };
/** Much longer than three tries, for a busy machine: a request that hangs would never end. */
const WITHIN = 30_000;

const FAULTS: readonly Fault[] = [
  { kind: 'status', status: 500 },
  { kind: 'status', status: 502, as: 'html' },
  { kind: 'status', status: 503, as: 'text' },
  { kind: 'status', status: 504 },
  { kind: 'status', status: 420 },
  { kind: 'status', status: 429, as: 'text' },
  { kind: 'status', status: 401 },
  { kind: 'odd 403' },
  { kind: 'not json' },
  { kind: 'not json', contentType: 'text/html' },
  { kind: 'redirect' },
  { kind: 'hang' },
  { kind: 'drip' },
  { kind: 'truncate' },
  { kind: 'reset' },
  { kind: 'lose answer' },
  { kind: 'oversized' },
];
const SOME: readonly Fault[] = [
  { kind: 'status', status: 503, as: 'html' },
  { kind: 'truncate' },
  { kind: 'hang' },
];

const cases: readonly [FaultTarget, readonly Fault[]][] = [
  ['POST /characters/affiliation', FAULTS],
  ['GET /corporations/*', SOME],
  ['GET /corporations/98000001', SOME],
  ['GET /alliances/*', SOME],
  ['POST /universe/names', SOME],
];

describe('D26: an API that fails during a sign-in', () => {
  let app: TestApp;
  let dyn: string;
  let login: StartedLogin;

  beforeAll(async () => {
    app = await startTestApp({ providerLimits: LIMITS });
    dyn = await app.dynamicToken();
    await letIn(app, { alliances: [99_000_001] });
  });
  beforeEach(async () => {
    await forgetProvider(app);
    login = await startLogin(app, { dyn });
  });
  afterEach(async () => {
    app.provider.reset();
    await app.db.deleteFrom('groups').where('corporation_id', '=', CORPORATION).execute();
    await app.db.deleteFrom('users').where('corporation_id', '=', CORPORATION).execute();
    await app.db.deleteFrom('corporations').where('corporation_id', '=', CORPORATION).execute();
  });
  afterAll(() => app.stop());

  const finish = () => app.browse(login.login_url, { characterId: MEMBER });

  async function expectFailure({ kind }: Partial<Fault> = {}): Promise<void> {
    const before = await snapshot(app.databaseUrl);
    LIMITS.milliseconds = kind === 'hang' || kind === 'drip' ? SHORT : LONG;
    const started = performance.now();
    const answer = await finish();
    expect(performance.now() - started).toBeLessThan(WITHIN);
    await expectPage(answer, 502, TITLES.providerFailed);
    expect(await snapshot(app.databaseUrl)).toEqual(before);
    LIMITS.milliseconds = LONG;
  }
  async function expectSuccess(): Promise<void> {
    expect(userTokenOf(await finish())).not.toBe('');
    expect(await userRow(app, MEMBER)).toMatchObject({ corporation_id: CORPORATION });
  }

  const named = cases.flatMap(([target, faults]) =>
    faults.map((fault) => [target, JSON.stringify(fault), fault] as const),
  );
  it.each(named)(
    '%s: %s: a 502 page in time, nothing written, and the state code works afterwards',
    async (target, _, fault) => {
      const active = app.provider.faults.add(target, fault);
      await expectFailure(fault);
      expect(active.strikes).toBeGreaterThan(0);
      app.provider.faults.clear();
      await forgetProvider(app);
      await expectSuccess();
    },
  );

  it('the daily downtime: a 502 page, and the state code works afterwards', async () => {
    app.provider.faults.downtime = true;
    await expectFailure();
    app.provider.faults.downtime = false;
    await expectSuccess();
  });

  it('the error limit used up: a 502 page, and the state code works afterwards', async () => {
    app.provider.setErrorLimit({ remaining: 0 });
    await expectFailure();
    app.provider.setErrorLimit({ remaining: 100 });
    await forgetProvider(app);
    await expectSuccess();
  });

  it.each([
    ['a 5xx', { kind: 'status', status: 503 }],
    ['a reset', { kind: 'reset' }],
    ['a cut answer', { kind: 'truncate' }],
  ] as const)('D33: %s in passing is asked again, and nobody notices', async (_, fault) => {
    const active = app.provider.faults.add('api', fault, { times: 2 });
    await expectSuccess();
    expect(active.strikes).toBe(2);
  });

  it('D33: refusals and timeouts are not retried', async () => {
    for (const fault of [{ kind: 'status', status: 420 }, { kind: 'odd 403' }, { kind: 'hang' }] as const) {
      const active = app.provider.faults.add('api', fault);
      await expectFailure(fault);
      expect(active.strikes).toBe(1);
      app.provider.faults.clear();
      await forgetProvider(app);
    }
  });

  it('a CEO whose name is not available is not registered, but the corporation is', async () => {
    app.provider.faults.add('POST /universe/names', { kind: 'status', status: 404 });
    await expectSuccess();
    const corporation = await app.db
      .selectFrom('corporations')
      .select('ceo_name')
      .where('corporation_id', '=', CORPORATION)
      .executeTakeFirst();
    expect(corporation).toEqual({ ceo_name: '#2112000004' });
    expect(await userRow(app, 2_112_000_004)).toBeUndefined();
  });
});

describe('D8: a database that fails during a sign-in', () => {
  it('is a 503 page with Retry-After, and nothing is stored', async () => {
    const app = await startTestApp();
    await letIn(app, { alliances: [99_000_001] });
    const { login_url } = await startLogin(app);
    app.app.services.db.transaction = () => {
      throw new Error('Connection terminated unexpectedly');
    };
    const answer = await app.browse(login_url, { characterId: MEMBER });
    expect(answer.headers.get('retry-after')).toBe('5');
    await expectPage(answer, 503, TITLES.failure);
    expect(await userRow(app, MEMBER)).toBeUndefined();
    await app.stop();
  });
});

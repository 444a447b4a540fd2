import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Fault } from '../../dev/provider/faults.ts';
import { ProviderError } from '../../server/provider/http.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { claimPorts } from '../harness/ports.ts';
import {
  addGrant,
  forgetProvider,
  otherProcess,
  outcomeOf,
  ownRecord,
  stayInTheMinute,
} from '../harness/provider.ts';

/** Of one answer: short for a provider that keeps silent, which it does for ever, else long enough for a busy machine. */
const [SHORT, LONG] = [2_000, 15_000];
const LIMITS = { milliseconds: LONG, bytes: 64 * 1024 };
const CORPORATION = { path: '/corporations/98000001', on: 'service' } as const;
const [ADA, BEN] = [2_112_000_001, 2_112_000_002];

/** The expected error for each fault, and the number of tries. */
const FAULTS: readonly (readonly [Fault, number | string, number])[] = [
  [{ kind: 'status', status: 500 }, 'unusable', 3],
  [{ kind: 'status', status: 502, as: 'html' }, 'unusable', 3],
  [{ kind: 'status', status: 503, as: 'text' }, 'unusable', 3],
  [{ kind: 'status', status: 503, retryAfter: 30 }, 'unusable', 1],
  [{ kind: 'status', status: 504 }, 'unusable', 3],
  [{ kind: 'status', status: 420 }, 'exhausted', 1],
  [{ kind: 'status', status: 420, as: 'html' }, 'exhausted', 1],
  [{ kind: 'status', status: 429 }, 'exhausted', 1],
  [{ kind: 'status', status: 429, as: 'text' }, 'exhausted', 1],
  [{ kind: 'status', status: 403 }, 403, 1],
  [{ kind: 'odd 403' }, 403, 1],
  [{ kind: 'status', status: 403, as: 'html' }, 'unusable', 1],
  [{ kind: 'status', status: 403, as: 'nested' }, 'unusable', 1],
  [{ kind: 'hang' }, 'timeout', 1],
  [{ kind: 'drip' }, 'timeout', 1],
  [{ kind: 'truncate' }, 'unreachable', 3],
  [{ kind: 'reset' }, 'unreachable', 3],
  [{ kind: 'lose answer' }, 'unreachable', 3],
  [{ kind: 'not json' }, 'unusable', 1],
  [{ kind: 'not json', contentType: 'text/html' }, 'unusable', 1],
  [{ kind: 'redirect' }, 'unusable', 1],
  [{ kind: 'redirect', to: 'http://127.0.0.1:9/' }, 'unusable', 1],
  [{ kind: 'oversized' }, 'too-large', 1],
];

let app: TestApp;
let ask: TestApp['app']['services']['client']['ask'];

beforeAll(async () => {
  app = await startTestApp({ providerLimits: LIMITS });
  ask = app.app.services.client.ask;
  await app.app.services.document.current();
  await addGrant(app, ADA);
  await addGrant(app, BEN);
});
beforeEach(async () => {
  stayInTheMinute(app);
  await forgetProvider(app);
  app.provider.reset();
});
afterEach(() => app.provider.reset());
afterAll(() => app.stop());

const limitFor = ({ kind }: Fault) => (kind === 'hang' || kind === 'drip' ? SHORT : LONG);
const requests = () => app.provider.requests.filter(({ area }) => area === 'api');

describe('D33: every fault of the game’s API', () => {
  const named = FAULTS.map(
    ([fault, outcome, strikes]) => [JSON.stringify(fault), fault, outcome, strikes] as const,
  );

  it.each(named)('%s: public requests', async (_, fault, outcome, strikes) => {
    const active = app.provider.faults.add('api', fault);
    LIMITS.milliseconds = limitFor(fault);
    expect(await outcomeOf(ask(CORPORATION))).toBe(outcome);
    LIMITS.milliseconds = LONG;
    expect(active.strikes).toBe(strikes);
    app.provider.faults.clear();
    await forgetProvider(app);
    expect(await ask(CORPORATION)).toMatchObject({ status: 200, data: { ticker: expect.any(String) } });
  });

  it.each(named)(
    '%s: with an access token, which nothing is held against',
    async (_, fault, outcome, strikes) => {
      const active = app.provider.faults.add('api', fault);
      LIMITS.milliseconds = limitFor(fault);
      expect(await outcomeOf(ask(ownRecord(ADA)))).toBe(outcome);
      LIMITS.milliseconds = LONG;
      expect(active.strikes).toBe(strikes);
      app.provider.faults.clear();
      await forgetProvider(app);
      expect(await ask(ownRecord(ADA))).toMatchObject({
        status: 200,
        data: { total_sp: expect.any(Number) },
      });
      const grants = await app.db.selectFrom('grants').select('valid').execute();
      expect(grants.every(({ valid }) => valid)).toBe(true);
    },
  );

  it.each([
    ['a 5xx', { kind: 'status', status: 503 }],
    ['a reset', { kind: 'reset' }],
    ['a cut answer', { kind: 'truncate' }],
    ['a 429 that asks for no pause', { kind: 'status', status: 429, retryAfter: 0 }],
  ] as const)('%s in passing is asked again, also for a bulk read', async (_, fault) => {
    app.provider.faults.add('api', fault, { times: 2 });
    expect(await outcomeOf(ask(CORPORATION))).toBe(200);
    app.provider.faults.add('api', fault, { times: 2 });
    expect(await outcomeOf(ask({ path: '/universe/names', body: [98_000_001], on: 'service' }))).toBe(200);
  });

  it('an unreachable provider costs no error of the limit', async () => {
    await ask(CORPORATION);
    const nobody = await claimPorts();
    const lost = otherProcess(app, { limits: LIMITS, url: `http://127.0.0.1:${nobody.first}` });
    for (const id of [2, 3, 4, 5, 6]) {
      const asked = lost.client.ask({ path: `/corporations/9800000${id}`, on: { caller: 'x' } });
      expect(await outcomeOf(asked)).toBe('unreachable');
    }
    await lost.stop();
    await nobody.release();
    const { rows } = await sql`
      select remaining, (select sum(errors)::int from provider_callers) as errors
      from provider_error_budget`.execute(app.db);
    expect(rows).toEqual([{ remaining: 100, errors: 0 }]);
  });

  it('the daily downtime is a 502 until its end', async () => {
    app.provider.faults.downtime = true;
    expect(await outcomeOf(ask(CORPORATION))).toBe('unusable');
    app.provider.faults.downtime = false;
    await forgetProvider(app);
    expect(await outcomeOf(ask(CORPORATION))).toBe(200);
  });
});

describe('D33: requests are sent only to the configured host', () => {
  it.each([
    '//elsewhere.invalid/status',
    '/status/../../status',
    '/%2e%2e/status',
    '/./status',
    '/status?x=1',
    '/status#x',
    '/status\\x',
    '/status\n',
    '/status/',
    'http://elsewhere.invalid/status',
    '@elsewhere.invalid/status',
    'status',
    '/',
    '',
  ])('never for %j', async (path) => {
    expect(await outcomeOf(ask({ path, on: 'service' }))).toBe('unusable');
    expect(requests()).toEqual([]);
  });

  it('query parameters are encoded', async () => {
    await ask({ path: '/status', query: [['a&b', 'c#d/../e f']], on: 'service' });
    expect(new URLSearchParams(requests()[0]?.query).get('a&b')).toBe('c#d/../e f');
  });
});

describe('D33: the cache', () => {
  it('a fresh public answer serves everybody in every process, with one statement', async () => {
    const first = await ask(CORPORATION);
    const other = otherProcess(app);
    expect(await other.client.ask(CORPORATION)).toEqual({
      ...first,
      headers: expect.objectContaining({ etag: first.headers['etag'] }),
      kept: true,
    });
    await other.stop();
    const before = app.statements.length;
    const second = await ask({ ...CORPORATION, on: { caller: '1' } });
    expect(app.statements.length - before).toBe(1);
    expect(second.data).toEqual(first.data);
    expect(requests()).toHaveLength(1);
    expect(second.headers).not.toHaveProperty('x-esi-error-limit-remain');
  });

  it('a request to the provider needs at most three statements, with an access token, too', async () => {
    await ask(CORPORATION);
    for (const request of [{ path: '/alliances/99000001', on: 'service' } as const, ownRecord(ADA)]) {
      const before = app.statements.length;
      await ask(request);
      expect(app.statements.slice(before).length).toBeLessThanOrEqual(3);
    }
  });

  it('a stale answer is revalidated by its ETag, and a 304 makes it fresh again', async () => {
    const first = await ask(CORPORATION);
    app.clock.advance(3_601_000);
    const second = await ask(CORPORATION);
    expect(requests().map(({ status }) => status)).toEqual([200, 304]);
    expect(requests()[1]?.ifNoneMatch).toBe(first.headers['etag']);
    expect(second.status).toBe(200);
    expect(second.data).toEqual(first.data);
    expect(second.headers['expires']).not.toBe(first.headers['expires']);
    await ask(CORPORATION);
    expect(requests()).toHaveLength(2);
  });

  it('D33: an answer for another compatibility date is none, nor is its ETag sent', async () => {
    await ask(CORPORATION);
    const next = otherProcess(app, { compatibilityDate: '2026-01-01' });
    const former = await next.client.ask(CORPORATION);
    await next.stop();
    expect(former.data).not.toHaveProperty('tax_rates');
    expect(requests()).toMatchObject([{ ifNoneMatch: null }, { ifNoneMatch: null }]);
    expect((await ask(CORPORATION)).data).toHaveProperty('tax_rates');
    expect(requests()).toHaveLength(2);
  });

  it('a changed answer replaces the cached one', async () => {
    const alliance = { path: '/alliances/99000001', on: 'service' } as const;
    await ask(alliance);
    app.provider.world.renameAlliance(99_000_001, 'Renamed', 'NEW');
    app.clock.advance(3_601_000);
    expect((await ask(alliance)).data).toMatchObject({ name: 'Renamed', ticker: 'NEW' });
    expect((await ask(alliance)).data).toMatchObject({ name: 'Renamed', ticker: 'NEW' });
    expect(requests().map(({ status }) => status)).toEqual([200, 200]);
  });

  it('`anew` revalidates an answer that is fresh, at the cost of a 304', async () => {
    const first = await ask(CORPORATION);
    expect((await ask({ ...CORPORATION, anew: true })).data).toEqual(first.data);
    expect(requests().map(({ status }) => status)).toEqual([200, 304]);
  });

  it('an error is not cached', async () => {
    const missing = { path: '/corporations/98999999', on: 'service' } as const;
    expect([await outcomeOf(ask(missing)), await outcomeOf(ask(missing))]).toEqual([404, 404]);
    expect(requests()).toHaveLength(2);
  });

  it('a 304 without a cached answer is unusable', async () => {
    app.provider.faults.add('api', { kind: 'status', status: 304 });
    expect(await outcomeOf(ask(CORPORATION))).toBe('unusable');
  });

  it('identical concurrent requests are sent once', async () => {
    const answers = await Promise.all(Array.from({ length: 30 }, () => ask(CORPORATION)));
    expect(new Set(answers.map(({ data }) => JSON.stringify(data))).size).toBe(1);
    expect(requests()).toHaveLength(1);
    const own = await Promise.all(Array.from({ length: 30 }, () => ask(ownRecord(ADA))));
    expect(new Set(own.map(({ data }) => JSON.stringify(data))).size).toBe(1);
    expect(requests()).toHaveLength(2);
  });

  it('answers of an access token never reach another user, whatever the path', async () => {
    const path = `/characters/${ADA}/wallet`;
    const mine = ownRecord(ADA, 'wallet');
    expect(await outcomeOf(ask(mine))).toBe(200);
    // The provider refuses the same path with Ben's token; Ada's answer is not used.
    const [stranger, again] = await Promise.all([
      outcomeOf(ask({ ...ownRecord(BEN, 'wallet'), path })),
      outcomeOf(ask(mine)),
    ]);
    expect([stranger, again]).toEqual([403, 200]);
    expect(await outcomeOf(ask({ path, on: 'service' }))).toBe(401);
    expect(requests()).toHaveLength(3);
  });

  it('answers are deleted with the grant they belong to: a character’s next owner gets none of them', async () => {
    const CARL = 2_112_000_003;
    await addGrant(app, CARL);
    await ask(ownRecord(CARL));
    await app.db.deleteFrom('grants').where('character_id', '=', CARL).execute();
    await addGrant(app, CARL);
    await ask(ownRecord(CARL));
    expect(requests()).toHaveLength(2);
    await app.db.deleteFrom('grants').where('character_id', '=', CARL).execute();
    await expect(ask(ownRecord(CARL))).rejects.toThrow(
      new ProviderError('no-token', `Could not find valid refresh token for character ${CARL}`),
    );
  });
});

it('D33: every request names the application and the compatibility date', async () => {
  await ask(CORPORATION);
  await ask({ path: '/characters/affiliation', body: [ADA], on: 'service' });
  const { userAgent, compatibilityDate } = app.app.services.settings.extApi;
  expect(requests()).toMatchObject([
    { userAgent, compatibilityDate },
    { userAgent, compatibilityDate },
  ]);
});

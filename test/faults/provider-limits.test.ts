import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type ReservationRequest,
  reserve,
  type Settlement,
  settle,
  type Verdict,
} from '../../server/provider/budget.queries.ts';
import type { ProviderRequest } from '../../server/provider/client.ts';
import { ProviderError } from '../../server/provider/http.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { untilWaiting } from '../harness/meanwhile.ts';
import {
  addGrant,
  forgetProvider,
  LOCATION,
  otherProcess,
  outcomeOf,
  ownRecord,
} from '../harness/provider.ts';

const [ADA, BEN] = [2_112_000_001, 2_112_000_002];
const GOOD = (n: number) => `/corporations/${98_000_001 + n}`;
const BAD = (n: number) => `/corporations/${98_999_001 + n}`;
type On = ProviderRequest['on'];

let app: TestApp;
let other: ReturnType<typeof otherProcess>;
let ask: TestApp['app']['services']['client']['ask'];

beforeAll(async () => {
  app = await startTestApp();
  ask = app.app.services.client.ask;
  other = otherProcess(app);
  await app.app.services.document.current();
  await other.document.current();
  await addGrant(app, ADA);
  await addGrant(app, BEN);
});
beforeEach(async () => {
  await nextMinute();
  await forgetProvider(app);
  app.provider.reset();
});
afterAll(async () => {
  await other.stop();
  await app.stop();
});

/** Advances the clock to the start of a minute, so that no test reaches its end. */
async function nextMinute(): Promise<void> {
  app.clock.advance(61_000 - (app.clock.now().getTime() % 60_000));
}

const requests = () => app.provider.requests.filter(({ area }) => area === 'api');
const statuses = () => tally(requests().map(({ status }) => String(status)));

function tally(outcomes: readonly (string | number)[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const outcome of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

/** Sends concurrent requests, alternating between both processes. */
async function load(requested: readonly { path: string; on: On }[]) {
  const clients = [app.app.services.client, other.client];
  return tally(
    await Promise.all(
      requested.map((request, n) => outcomeOf((clients[n % 2] as typeof other.client).ask(request))),
    ),
  );
}

const many = (count: number, path: (n: number) => string, on: On = 'service') =>
  Array.from({ length: count }, (_, n) => ({ path: path(n), on }));

async function refusalOf(asked: Promise<unknown>): Promise<ProviderError> {
  const error = await asked.catch((thrown: unknown) => thrown);
  if (!(error instanceof ProviderError)) throw new Error(`no refusal: ${String(error)}`);
  return error;
}

describe('D33: the error limit, shared by all processes', () => {
  it('with 10 left, two processes under load cause exactly 10 errors', async () => {
    app.provider.setErrorLimit({ remaining: 10 });
    expect(await load(many(80, BAD))).toEqual({ 404: 10, exhausted: 70 });
    expect(statuses()).toEqual({ 404: 10 });
    expect((await refusalOf(ask({ path: BAD(99), on: 'service' }))).retryAfter).toBeGreaterThan(30);
    expect(requests()).toHaveLength(10);
  });

  it('successes do not use it up, even with 1 left', async () => {
    app.provider.setErrorLimit({ remaining: 1 });
    expect(await load(many(12, GOOD))).toEqual({ 200: 12 });
    expect(await load(many(4, BAD))).toEqual({ 404: 1, exhausted: 3 });
    expect(statuses()).toEqual({ 200: 12, 404: 1 });
  });

  it('errors and successes mixed do not exceed it', async () => {
    app.provider.setErrorLimit({ remaining: 7 });
    const mixed = many(60, (n) => (n % 3 === 0 ? GOOD(n / 3) : BAD(n)));
    const outcomes = await load(mixed);
    expect(outcomes['404']).toBe(7);
    expect(statuses()['420']).toBeUndefined();
  });

  it('errors of others on the same address are noticed, because old information does not count', async () => {
    await ask({ path: GOOD(0), on: 'service' });
    app.clock.advance(5_000);
    app.provider.setErrorLimit({ remaining: 3 });
    expect(await load(many(40, BAD))).toEqual({ 404: 3, exhausted: 37 });
    expect(statuses()['420']).toBeUndefined();
  });

  it('forwarding leaves 30 errors for sign-in and jobs', async () => {
    app.provider.setErrorLimit({ remaining: 35 });
    const callers = Array.from({ length: 40 }, (_, n) => ({ path: BAD(n), on: { caller: `c${n}` } }));
    expect(await load(callers)).toEqual({ 404: 5, exhausted: 35 });
    expect(await load(many(3, GOOD))).toEqual({ 200: 3 });
    expect(await load(many(40, (n) => BAD(100 + n)))).toEqual({ 404: 30, exhausted: 10 });
    expect(statuses()['420']).toBeUndefined();
  });

  it('jobs leave 15 errors for sign-in', async () => {
    app.provider.setErrorLimit({ remaining: 20 });
    const ofJobs = many(40, BAD).map((request) => ({ ...request, on: 'job' as const }));
    expect(await load(ofJobs)).toEqual({ 404: 5, exhausted: 35 });
    expect(await load(many(40, (n) => BAD(100 + n)))).toEqual({ 404: 15, exhausted: 25 });
    expect(statuses()['420']).toBeUndefined();
  });

  it('a ban is obeyed by every process until it ends', async () => {
    app.provider.setErrorLimit({ remaining: 0 });
    const first = await refusalOf(ask({ path: GOOD(0), on: 'service' }));
    expect(first).toMatchObject({ fault: 'exhausted' });
    expect(first.retryAfter).toBeGreaterThan(30);
    expect(first.retryAfter).toBeLessThanOrEqual(60);
    const banned = [...many(5, GOOD), ...many(5, BAD)];
    expect(await load(banned)).toEqual({ exhausted: 10 });
    expect(await outcomeOf(other.client.ask(ownRecord(ADA)))).toBe('exhausted');
    expect(requests()).toHaveLength(1);
    await nextMinute();
    expect(await load(many(5, GOOD))).toEqual({ 200: 5 });
  });

  it('a ban of which only the end is known is obeyed, even by operations with a rate group', async () => {
    await ask({ path: GOOD(0), on: 'service' });
    const until = new Date(app.clock.now().getTime() + 30_000);
    await sql`update provider_error_budget set banned_until = ${until}, remaining = null, ends_on = null`.execute(
      app.db,
    );
    expect((await refusalOf(ask({ path: GOOD(1), on: 'service' }))).retryAfter).toBe(30);
    expect(await outcomeOf(other.client.ask(ownRecord(ADA)))).toBe('exhausted');
    expect(requests()).toHaveLength(1);
    app.clock.advance(31_000);
    expect(await outcomeOf(ask({ path: GOOD(1), on: 'service' }))).toBe(200);
  });

  it('a new minute starts with the provider’s numbers', async () => {
    app.provider.setErrorLimit({ remaining: 2 });
    expect(await load(many(5, BAD))).toEqual({ 404: 2, exhausted: 3 });
    await nextMinute();
    expect(await load(many(20, (n) => BAD(50 + n)))).toEqual({ 404: 20 });
  });

  it('reservations of a killed process expire with the minutes', async () => {
    await ask({ path: GOOD(0), on: 'service' });
    await sql`update provider_error_budget set reserved = 1000`.execute(app.db);
    const limits = { milliseconds: 0, bytes: 65_536 };
    const limited = otherProcess(app, { limits });
    const asked = (n: number, milliseconds: number) => {
      limits.milliseconds = milliseconds;
      return outcomeOf(limited.client.ask({ path: GOOD(n), on: 'service' }));
    };
    expect(await asked(1, 300)).toBe('timeout');
    await nextMinute();
    // Pending requests of the former minute still count in this one.
    expect(await asked(2, 15_000)).toBe(200);
    expect(await asked(3, 300)).toBe('timeout');
    await nextMinute();
    expect(await load(many(10, GOOD))).toEqual({ 200: 10 });
    await limited.stop();
  });

  it('a probing request that hangs delays the others no longer than its lease', async () => {
    const limits = { milliseconds: 1_500, bytes: 65_536 };
    const [cut, next] = [otherProcess(app, { limits }), otherProcess(app)];
    app.provider.faults.add('api', { kind: 'hang' }, { times: 1 });
    const hanging = outcomeOf(cut.client.ask({ path: GOOD(0), on: 'service' }));
    await expect.poll(requests).toHaveLength(1);
    const waiting = outcomeOf(next.client.ask({ path: GOOD(1), on: 'service' }));
    expect(await Promise.all([hanging, waiting])).toEqual(['timeout', 200]);
    await cut.stop();
    await next.stop();
  });
});

describe('D33: no caller can starve the others', () => {
  it('20 errors a minute over all processes, in batches or all at once; then 429', async () => {
    const greedy = { caller: 'greedy' };
    expect(await load(many(60, BAD, greedy))).toEqual({ 404: 20, 'caller-exhausted': 40 });
    expect(requests()).toHaveLength(20);
    const refusal = await refusalOf(other.client.ask({ path: GOOD(0), on: greedy }));
    expect(refusal.fault).toBe('caller-exhausted');
    expect(refusal.retryAfter).toBeGreaterThan(30);
    // Other callers, sign-in and jobs continue.
    expect(await load(many(5, GOOD, { caller: 'other' }))).toEqual({ 200: 5 });
    expect(await load(many(5, (n) => GOOD(5 + n)))).toEqual({ 200: 5 });
    await nextMinute();
    expect(await load(many(4, BAD, greedy))).toEqual({ 404: 4 });
  });

  it('an exhausted caller still gets fresh answers, and its refusal does not affect others with the same request', async () => {
    await ask({ path: GOOD(0), on: 'service' });
    const greedy = { caller: 'greedy' };
    await load(many(21, BAD, greedy));
    expect(await outcomeOf(ask({ path: GOOD(0), on: greedy }))).toBe(200);
    const both = [greedy, { caller: 'other' }].map((on) => outcomeOf(ask({ path: GOOD(1), on })));
    expect(await Promise.all(both)).toEqual(['caller-exhausted', 200]);
  });

  it('one that waits for its own budget holds up no other caller with the same request', async () => {
    const greedy = { caller: 'greedy' };
    expect(await load(many(19, BAD, greedy))).toEqual({ 404: 19 });
    let release = () => {};
    const until = new Promise<void>((resolve) => {
      release = resolve;
    });
    app.provider.faults.add('/corporations/98000001', { kind: 'hold', until });
    const held = outcomeOf(ask({ path: GOOD(0), on: greedy }));
    await expect.poll(requests, { timeout: 10_000 }).toHaveLength(20);
    const [waiting, other] = [greedy, { caller: 'other' }].map((on) => outcomeOf(ask({ path: GOOD(1), on })));
    expect(await other).toBe(200);
    release();
    expect(await Promise.all([held, waiting])).toEqual([200, 200]);
  });

  it('errors of rate-limited operations count for the caller, too', async () => {
    const greedy = { caller: 'greedy' };
    const foreign = (n: number) => ({
      ...ownRecord(ADA, 'skills', greedy),
      path: `/characters/${BEN + n}/skills`,
    });
    const outcomes = await Promise.all(Array.from({ length: 30 }, (_, n) => outcomeOf(ask(foreign(n)))));
    expect(tally(outcomes)).toEqual({ 403: 20, 'caller-exhausted': 10 });
  });

  it('bans and empty buckets are not charged to the caller', async () => {
    const on = { caller: 'innocent' };
    for (const status of [420, 429]) {
      app.provider.faults.add('api', { kind: 'status', status });
      for (let n = 0; n < 22; n += 1) {
        await outcomeOf(ask({ path: GOOD(n), on }));
        await sql`update provider_error_budget set banned_until = null, remaining = null, ends_on = null`.execute(
          app.db,
        );
        await sql`delete from provider_buckets`.execute(app.db);
      }
      app.provider.faults.clear();
    }
    expect(requests().length).toBe(44);
    expect(await outcomeOf(ask({ path: GOOD(30), on }))).toBe(404);
  });
});

describe('D33: one token bucket for each rate group and character', () => {
  it('a 429 stops its own bucket and nothing else, in every process', async () => {
    app.provider.faults.add(`/characters/${ADA}/wallet`, { kind: 'status', status: 429, retryAfter: 40 });
    const refusal = await refusalOf(ask(ownRecord(ADA, 'wallet')));
    expect(refusal).toMatchObject({ fault: 'exhausted', retryAfter: 40 });
    app.provider.faults.clear();
    const asked = requests().length;
    expect((await refusalOf(other.client.ask(ownRecord(ADA, 'wallet')))).retryAfter).toBeGreaterThan(35);
    expect(requests()).toHaveLength(asked);
    for (const { client } of [app.app.services, other]) {
      await sql`delete from provider_cache`.execute(app.db);
      expect(await outcomeOf(client.ask(ownRecord(ADA, 'skills')))).toBe(200);
      expect(await outcomeOf(client.ask(ownRecord(ADA, 'location')))).toBe(200);
      expect(await outcomeOf(client.ask(ownRecord(BEN, 'wallet')))).toBe(200);
      expect(await outcomeOf(client.ask({ path: GOOD(0), on: 'service' }))).toBe(200);
    }
    app.clock.advance(41_000);
    expect(await outcomeOf(other.client.ask(ownRecord(ADA, 'wallet')))).toBe(200);
  });

  it('operations of one group share their bucket', async () => {
    app.provider.faults.add(`/characters/${ADA}/location`, { kind: 'status', status: 429 });
    await outcomeOf(ask(ownRecord(ADA, 'location')));
    const sibling = { ...ownRecord(ADA, 'location'), path: `/characters/${ADA}/ship` };
    expect(await outcomeOf(ask(sibling))).toBe('exhausted');
  });

  it('a 429 of an operation without a group applies only to that operation', async () => {
    app.provider.faults.add('/alliances/*', { kind: 'status', status: 429 });
    expect(await outcomeOf(ask({ path: '/alliances/99000001', on: 'service' }))).toBe('exhausted');
    expect(await outcomeOf(ask({ path: '/alliances/99000002', on: 'service' }))).toBe('exhausted');
    expect(requests()).toHaveLength(1);
    expect(await outcomeOf(ask({ path: GOOD(0), on: 'service' }))).toBe(200);
  });

  it('an almost empty bucket is not used, before the provider refuses', async () => {
    app.provider.setRateLimit('char-wallet', 20);
    const outcomes = [];
    for (let n = 0; n < 12; n += 1) {
      await sql`delete from provider_cache`.execute(app.db);
      outcomes.push(
        await outcomeOf((n % 2 ? other.client : app.app.services.client).ask(ownRecord(ADA, 'wallet'))),
      );
    }
    // 2 tokens for each request, as long as the 5 of a refusal are left.
    expect(tally(outcomes)).toEqual({ 200: 8, exhausted: 4 });
    expect(statuses()).toEqual({ 200: 8 });
  });

  it('a group that only headers name is learned', async () => {
    const blind = otherProcess(app);
    expect(await outcomeOf(blind.client.ask(ownRecord(BEN, 'location')))).toBe(200);
    expect(blind.document.known()).toBeUndefined();
    app.provider.faults.add(`/characters/${ADA}/ship`, { kind: 'status', status: 429 });
    const ship = {
      path: `/characters/${ADA}/ship`,
      as: { characterId: ADA, scope: LOCATION },
      on: 'service',
    } as const;
    expect(await outcomeOf(ask(ship))).toBe('exhausted');
    expect(await outcomeOf(blind.client.ask(ownRecord(ADA, 'location')))).toBe('exhausted');
    expect(requests()).toHaveLength(2);
    await blind.stop();
  });

  describe('named by the document otherwise than by the answers', () => {
    let regrouped: ReturnType<typeof otherProcess>;
    beforeEach(async () => {
      // A document from before the provider moved its operations to other groups.
      const { rows } = await sql<{ stored: string }>`
        select operations::text as stored from provider_document`.execute(app.db);
      await sql`update provider_document
        set operations = regexp_replace(${rows[0]?.stored}, 'char-(location|wallet)', 'former', 'g')::jsonb`.execute(
        app.db,
      );
      regrouped = otherProcess(app);
      const former = (await regrouped.document.current()).find(`/characters/${ADA}/location`);
      expect(former).toMatchObject({ rateGroup: { name: 'former' } });
      await sql`update provider_document set operations = ${rows[0]?.stored}::jsonb`.execute(app.db);
    });
    afterEach(() => regrouped.stop());

    it('a 429 is obeyed', async () => {
      app.provider.faults.add(`/characters/${ADA}/location`, { kind: 'status', status: 429, retryAfter: 40 });
      for (let n = 0; n < 3; n += 1)
        expect(await outcomeOf(regrouped.client.ask(ownRecord(ADA, 'location')))).toBe('exhausted');
      expect(await outcomeOf(ask(ownRecord(ADA, 'location')))).toBe('exhausted');
      expect(requests()).toHaveLength(1);
      expect(await outcomeOf(regrouped.client.ask(ownRecord(BEN, 'location')))).toBe(200);
    });

    it('an almost empty bucket is not used', async () => {
      app.provider.setRateLimit('char-wallet', 20);
      const outcomes = [];
      for (let n = 0; n < 12; n += 1) {
        await sql`delete from provider_cache`.execute(app.db);
        outcomes.push(await outcomeOf(regrouped.client.ask(ownRecord(ADA, 'wallet'))));
      }
      expect(tally(outcomes)).toEqual({ 200: 8, exhausted: 4 });
      expect(statuses()).toEqual({ 200: 8 });
    });
  });

  it('a 429 is obeyed whatever group it names, and after an answer without one it is of that operation alone', async () => {
    let answered = 0;
    const heads: Record<string, string>[] = [
      { 'x-ratelimit-group': 'one' },
      { 'x-ratelimit-group': 'two', 'retry-after': '40' },
      { 'x-ratelimit-group': 'three' },
      { 'x-esi-error-limit-remain': '50', 'x-esi-error-limit-reset': '30' },
      { 'retry-after': '40' },
    ];
    const odd = createServer((_, response) => {
      const head = heads[answered] ?? {};
      answered += 1;
      response.writeHead('retry-after' in head ? 429 : 200, head).end('{}');
    }).listen(0, '127.0.0.1');
    await once(odd, 'listening');
    const url = `http://127.0.0.1:${(odd.address() as AddressInfo).port}`;
    const here = otherProcess(app, { url });
    await here.document.current();
    const outcome = () => outcomeOf(here.client.ask({ path: GOOD(0), on: 'service' }));
    expect([await outcome(), await outcome(), await outcome()]).toEqual([200, 'exhausted', 'exhausted']);
    expect(answered).toBe(2);
    app.clock.advance(41_000);
    expect([await outcome(), await outcome()]).toEqual([200, 200]);
    expect([await outcome(), await outcome(), answered]).toEqual(['exhausted', 'exhausted', 5]);
    const { rows } = await sql`select name from provider_buckets where blocked_until is not null
      order by blocked_until`.execute(app.db);
    expect(rows).toEqual([{ name: 'two' }, { name: '/corporations/{corporation_id}' }]);
    await here.stop();
    odd.close();
  });
});

describe('D33: an unknown state of the error limit', () => {
  const asking = (later = 0): ReservationRequest => ({
    ...{ now: new Date(app.clock.now().getTime() + later), kept: 30, counted: true, leaseSeconds: 10 },
    ...{ bucket: undefined, bucketCost: 0, caller: undefined, callerLimit: 20 },
  });
  const reserveMany = async (count: number, later = 0) =>
    tally(
      (await Promise.all(Array.from({ length: count }, () => reserve(app.db, asking(later))))).map(
        ({ outcome }) => outcome,
      ),
    );

  it('is probed by one request at a time; one that hangs delays the others for a second', async () => {
    expect(await reserveMany(5)).toEqual({ go: 1, wait: 4 });
    expect(await reserveMany(5, 999)).toEqual({ wait: 5 });
    expect(await reserveMany(5, 1_001)).toEqual({ go: 1, wait: 4 });
  });

  it('delays nobody if the provider never reports it', async () => {
    const wanted = asking();
    const verdict = await reserve(app.db, wanted);
    const silent: Settlement = {
      ...{ now: verdict.moment, wanted, verdict, failed: false, bucket: undefined, callerFailed: false },
      ...{ errorsLeft: undefined, errorReset: undefined, bannedFor: undefined },
      ...{ tokensLeft: undefined, blockedFor: undefined },
    };
    await settle(app.db, silent, undefined);
    expect(await reserveMany(20)).toEqual({ go: 20 });
  });
});

describe('D33: a provider that always says the same rest of its minute', () => {
  it('and answers some requests late, delays nobody for ever', async () => {
    const start = app.clock.now().getTime();
    const reserveAt = async (seconds: number) => {
      const wanted: ReservationRequest = {
        ...{ now: new Date(start + seconds * 1000), kept: 30, counted: true, leaseSeconds: 10 },
        ...{ bucket: undefined, bucketCost: 0, caller: undefined, callerLimit: 20 },
      };
      return { wanted, verdict: await reserve(app.db, wanted) };
    };
    const settleAt = (
      seconds: number,
      reserved: Awaited<ReturnType<typeof reserveAt>>,
      isAnswered: boolean,
    ) =>
      settle(
        app.db,
        {
          ...{ ...reserved, now: new Date(start + seconds * 1000), failed: !isAnswered, bucket: undefined },
          ...{ errorsLeft: isAnswered ? 100 : undefined, errorReset: isAnswered ? 60 : undefined },
          ...{ bannedFor: undefined, tokensLeft: undefined, blockedFor: undefined, callerFailed: false },
        },
        undefined,
      );
    const outcomes = [];
    for (let round = 0; round < 100; round += 1) {
      const at = round * 12;
      const late = await reserveAt(at);
      outcomes.push(late.verdict.outcome);
      for (const after of [2, 8]) {
        await settleAt(at + after, await reserveAt(at + after), true);
      }
      if (late.verdict.outcome === 'go') await settleAt(at + 9, late, false);
    }
    expect(tally(outcomes)).toEqual({ go: 100 });
    const { rows } = await sql`select reserved, carried from provider_error_budget`.execute(app.db);
    expect(rows).toEqual([{ reserved: 0, carried: 0 }]);
  });
});

describe('D33: limits that were told while the clock was ahead', () => {
  const AHEAD = 365 * 86_400_000;

  /** What the provider refuses while the clock is ahead; when it is right again, it refuses nothing any more. */
  async function whileAhead(told: () => Promise<unknown>): Promise<void> {
    app.clock.advance(AHEAD);
    await told();
    app.clock.advance(-AHEAD);
    app.provider.faults.clear();
    app.provider.reset();
    await sql`delete from provider_cache`.execute(app.db);
  }

  it('the error limit: what it left is over', async () => {
    await whileAhead(async () => {
      app.provider.setErrorLimit({ remaining: 10 });
      await outcomeOf(ask({ path: BAD(0), on: 'service' }));
    });
    for (const on of ['job', { caller: 'forwards' }] as const)
      expect(await outcomeOf(other.client.ask({ path: GOOD(0), on }))).toBe(200);
    await nextMinute();
    app.provider.setErrorLimit({ remaining: 2 });
    expect(await load(many(5, BAD))).toEqual({ 404: 2, exhausted: 3 });
  });

  it('a ban is over, and the next one is obeyed', async () => {
    const refused = () => {
      app.provider.setErrorLimit({ remaining: 0 });
      return outcomeOf(ask({ path: GOOD(0), on: 'service' }));
    };
    await whileAhead(refused);
    expect(await outcomeOf(other.client.ask({ path: GOOD(0), on: 'service' }))).toBe(200);
    await sql`delete from provider_cache`.execute(app.db);
    expect(await refused()).toBe('exhausted');
    const asked = requests().length;
    expect(await load(many(4, GOOD))).toEqual({ exhausted: 4 });
    expect(requests()).toHaveLength(asked);
  });

  it('a bucket is not empty any more, and obeyed when it is again', async () => {
    const refused = () => {
      app.provider.faults.add(`/characters/${ADA}/wallet`, { kind: 'status', status: 429, retryAfter: 40 });
      return outcomeOf(ask(ownRecord(ADA, 'wallet')));
    };
    await whileAhead(refused);
    expect(await outcomeOf(other.client.ask(ownRecord(ADA, 'wallet')))).toBe(200);
    await sql`delete from provider_cache`.execute(app.db);
    expect(await refused()).toBe('exhausted');
    const asked = requests().length;
    expect((await refusalOf(other.client.ask(ownRecord(ADA, 'wallet')))).retryAfter).toBe(40);
    expect(requests()).toHaveLength(asked);
  });

  it('a process that died while it probed delays nobody', async () => {
    await reserve(app.db, {
      ...{ now: new Date(app.clock.now().getTime() + AHEAD), kept: 0, counted: true, leaseSeconds: 10 },
      ...{ bucket: undefined, bucketCost: 0, caller: undefined, callerLimit: 20 },
    });
    expect(await outcomeOf(ask({ path: GOOD(0), on: 'service' }))).toBe(200);
  });
});

describe('D33: processes whose clocks differ by a minute', () => {
  let both: ReturnType<typeof otherProcess>[];
  beforeEach(() => {
    both = [0, 59_000].map((ahead) =>
      otherProcess(app, { clock: { now: () => new Date(Date.now() + ahead), real: true } }),
    );
  });
  afterEach(() => Promise.all(both.map(({ stop }) => stop())));

  it('count the errors of a caller together', async () => {
    const minute = async () => {
      const { rows } = await sql<{ now: number }>`
        select floor(extract(epoch from clock_timestamp()) / 60)::int as now`.execute(app.db);
      return rows[0]?.now;
    };
    const outcomes: (string | number)[] = [];
    let began: number | undefined;
    // Anew, if the minute ends meanwhile.
    do {
      await forgetProvider(app);
      began = await minute();
      outcomes.length = 0;
      for (const [n, { path, on }] of many(30, BAD, { caller: 'greedy' }).entries())
        outcomes.push(await outcomeOf((both[n % 2] as typeof other).client.ask({ path, on })));
    } while ((await minute()) !== began);
    expect(tally(outcomes)).toEqual({ 404: 20, 'caller-exhausted': 10 });
  });

  it('learn from each other what is left of the error limit, and for how long', async () => {
    const [right, ahead] = both as [typeof other, typeof other];
    await ahead.client.ask({ path: GOOD(0), on: 'service' });
    app.provider.setErrorLimit({ remaining: 50 });
    await right.client.ask({ path: GOOD(1), on: 'service' });
    const { rows } = await sql`
      select remaining, ends_on <= clock_timestamp() + interval '60 seconds' as soon
      from provider_error_budget`.execute(app.db);
    expect(rows).toEqual([{ remaining: 50, soon: true }]);
  });
});

describe('D33: concurrent requests on the same budgets', () => {
  const bucket = { name: 'char-wallet', characterId: 1 };
  const wanted = (later = 0): ReservationRequest => ({
    now: new Date(app.clock.now().getTime() + later),
    kept: 0,
    counted: false,
    leaseSeconds: 10,
    bucket,
    bucketCost: 5,
    caller: 'busy',
    callerLimit: 20,
  });

  const answered = (first: ReservationRequest, verdict: Verdict): Settlement => ({
    ...{ now: verdict.moment, wanted: first, verdict, failed: false, bucket, callerFailed: false },
    ...{ errorsLeft: undefined, errorReset: undefined, bannedFor: undefined },
    ...{ tokensLeft: 100, blockedFor: undefined },
  });

  it.each([
    ['the answer first', true, 0],
    ['the answer last', false, 0],
    ['the answer first, in the minute before', true, 60_000],
    ['the answer last, in the minute before', false, 60_000],
  ])('do not lock each other out: %s', async (_case, answerFirst, later) => {
    const first = wanted();
    const verdict = await reserve(app.db, first);
    const told = answered(first, verdict);
    const holder = new pg.Client({ connectionString: app.databaseUrl });
    await holder.connect();
    await holder.query('begin');
    await holder.query('update provider_buckets set used_on = used_on');
    const works = [() => settle(app.db, told, undefined), () => reserve(app.db, wanted(later))];
    const under: Promise<unknown>[] = [];
    for (const work of answerFirst ? works : works.reverse()) {
      under.push(work());
      await untilWaiting(holder, under.length);
    }
    await holder.query('commit');
    await holder.end();
    await Promise.all(under);
    const { rows } = await sql<{ reserved: number }>`select reserved from provider_callers`.execute(app.db);
    expect(rows).toEqual([{ reserved: 1 }]);
  });

  it('reservations of a killed process expire with the minutes, in a bucket, too', async () => {
    const first = wanted();
    const verdict = await reserve(app.db, first);
    await settle(app.db, { ...answered(first, verdict), tokensLeft: first.bucketCost }, undefined);
    expect((await reserve(app.db, wanted())).outcome).toBe('go');
    expect((await reserve(app.db, wanted())).outcome).toBe('wait');
    expect((await reserve(app.db, wanted(60_000))).outcome).toBe('go');
    const { rows } = await sql<{ reserved: number }>`select reserved from provider_buckets`.execute(app.db);
    expect(rows).toEqual([{ reserved: 1 }]);
  });

  it('an answer that names an earlier end shortens neither a ban nor a wait', async () => {
    const first = wanted();
    const verdict = await reserve(app.db, first);
    for (const seconds of [60, 1]) {
      const told = { ...answered(first, verdict), bannedFor: seconds, blockedFor: seconds };
      await settle(app.db, told, undefined);
    }
    const late = new Date(app.clock.now().getTime() + 60_000);
    const { rows } = await sql`
      select banned_until, blocked_until from provider_error_budget, provider_buckets`.execute(app.db);
    expect(rows).toEqual([{ banned_until: late, blocked_until: late }]);
  });
});

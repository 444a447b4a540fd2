import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Database } from '../../../server/database/tables.ts';
import { createLeases, type Leases, type Quota } from '../../../server/rate-limit/leases.ts';
import { createRateLimit } from '../../../server/rate-limit/rate-limit.ts';
import { giveBack } from '../../../server/rate-limit/windows.queries.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/database.ts';

const KEYS = 1_000;
const LIMIT = 600;

let database: TestDatabase;
let statements: string[];
let key: string;
/** A clock that stands still until it is advanced, so that no window ends by itself. */
let time = Date.UTC(2026, 8, 1, 12);
const clock = { now: () => new Date(time) };
const started: Leases[] = [];

beforeAll(async () => {
  database = await createTestDatabase({ onStatement: (text) => statements.push(text) });
});
beforeEach(() => {
  statements = [];
  said = [];
  key = randomUUID();
});
afterEach(() => {
  for (const leases of started.splice(0)) leases.close();
});
afterAll(async () => {
  await database.drop();
});

/** What the processes logged. */
let said: string[] = [];
const say =
  (as: string) =>
  (...args: unknown[]) =>
    said.push(`${as}: ${args.at(-1)}`);
let whispered = 0;
const log = {
  info: say('info'),
  warn: say('warn'),
  debug: () => {
    whispered += 1;
  },
};

/** The leases of one process. */
function process({ db = database.db, keys = KEYS }: { db?: Kysely<Database>; keys?: number } = {}): Leases {
  const leases = createLeases({ db, clock, log }, keys);
  started.push(leases);
  return leases;
}

/** Takes one after the other until it is refused. */
async function exhaust(leases: Leases, most = LIMIT): Promise<number> {
  for (let taken = 0; ; taken += 1) if (!(await leases.take(key, most)).allowed) return taken;
}

const times = <T>(count: number, work: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => work(n));
const takings = () => statements.filter((text) => /insert into rate_windows/.test(text));
const rows = async () =>
  (await sql<{ key: string; taken: number }>`select key, taken from rate_windows`.execute(database.db)).rows;
const takenOf = async (of: string) => (await rows()).find((row) => row.key === of)?.taken;
const allowed = (quotas: readonly Quota[]) => quotas.filter((quota) => quota.allowed).length;

describe('D60: the limit over all processes', () => {
  it.each([1, 7, 600, 6_000])(
    'a lone process gives the whole limit of %d, and not one more',
    async (most) => {
      expect(await exhaust(process(), most)).toBe(most);
      expect(takings().length).toBeLessThanOrEqual(40);
    },
  );

  it('a request that is taken back can be made once more, but only in its window', async () => {
    const leases = process();
    const first = await leases.take(key, 2);
    await leases.take(key, 2);
    leases.untake(key, first);
    expect(await exhaust(leases, 2)).toBe(1);
    time += 60_000;
    const { remaining } = await leases.take(key, 2);
    leases.untake(key, first);
    expect([remaining, await exhaust(leases, 2)]).toEqual([1, 1]);
  });

  it('four processes used in turn until all refuse allow exactly the limit', async () => {
    const four = times(4, () => process());
    const taken = await Promise.all(four.map((each) => exhaust(each)));
    expect(taken.reduce((sum, each) => sum + each, 0)).toBe(LIMIT);
  });

  it('four processes with far more concurrent requests allow exactly the limit', async () => {
    const four = times(4, () => process());
    const quotas = await Promise.all(
      times(4 * LIMIT, (n) => four[n % 4]?.take(key, LIMIT) as Promise<Quota>),
    );
    expect(allowed(quotas)).toBe(LIMIT);
  });

  it('nothing of a block is lost that arrives while more requests wait than it contains', async () => {
    const [other, one] = [process(), process()];
    await other.take(key, LIMIT);
    const asking: (Quota | Promise<Quota>)[] = [];
    await database.db.transaction().execute(async (tx) => {
      await sql`select from rate_windows where key = ${key} for update`.execute(tx);
      asking.push(one.take(key, LIMIT));
      await expect.poll(takings).toHaveLength(2);
      asking.push(...times(20, () => one.take(key, LIMIT)));
    });
    expect(allowed(await Promise.all(asking))).toBe(21);
    expect((await exhaust(one)) + (await exhaust(other))).toBe(LIMIT - 22);
  });

  it('a limit below the number of processes is observed, too', async () => {
    const four = times(4, () => process());
    const quotas = await Promise.all(times(40, (n) => four[n % 4]?.take(key, 3) as Promise<Quota>));
    expect(allowed(quotas)).toBe(3);
  });

  it('keys do not affect each other, in one statement or in several', async () => {
    const one = process();
    const quotas = await Promise.all(times(50, (n) => one.take(`${key} ${n % 10}`, 3)));
    expect(allowed(quotas)).toBe(30);
    expect(takings().length).toBeLessThanOrEqual(2);
  });

  it('the next window begins with the first request after the last one', async () => {
    const one = process();
    expect(await exhaust(one)).toBe(LIMIT);
    time += 59_999;
    expect(await exhaust(one)).toBe(0);
    time += 1;
    expect(await exhaust(one)).toBe(LIMIT);
  });

  it('returns the rest, and the end of the window', async () => {
    const one = process();
    const first = await one.take(key, LIMIT);
    expect(first).toEqual({ allowed: true, limit: LIMIT, remaining: LIMIT - 1, endsAt: time + 60_000 });
    expect(await one.take(key, LIMIT)).toEqual({ ...first, remaining: LIMIT - 2 });
    await exhaust(one);
    expect(await one.take(key, LIMIT)).toEqual({ ...first, allowed: false, remaining: 0 });
  });

  it('a process that was started with a smaller limit finds it used up', async () => {
    await exhaust(process(), 100);
    expect((await process().take(key, 50)).allowed).toBe(false);
  });

  it('a window that was started by a wrong clock does not last until that time', async () => {
    const one = process();
    time += 3_600_000;
    expect(await exhaust(one)).toBe(LIMIT);
    time -= 3_600_000;
    expect(await exhaust(one)).toBe(LIMIT);
  });
});

describe('D60: a request costs no statement', () => {
  it('with a leased block it is answered at once', async () => {
    const one = process();
    await one.take(key, LIMIT);
    statements = [];
    for (let n = 0; n < 5; n += 1) expect(one.take(key, LIMIT)).toMatchObject({ allowed: true });
    expect(statements).toEqual([]);
  });

  it('a refusal is repeated for a second without a statement', async () => {
    const one = process();
    await exhaust(one);
    statements = [];
    expect(times(1_000, () => one.take(key, LIMIT))).toEqual(
      times(1_000, () => expect.objectContaining({ allowed: false })),
    );
    time += 999;
    expect(await one.take(key, LIMIT)).toMatchObject({ allowed: false });
    expect(statements).toEqual([]);
    time += 1;
    expect(await one.take(key, LIMIT)).toMatchObject({ allowed: false });
    expect(takings()).toHaveLength(1);
  });

  it('requests that arrive together are covered by one block', async () => {
    const one = process();
    await Promise.all(times(20, () => one.take(key, LIMIT)));
    expect(takings()).toHaveLength(1);
    expect(await takenOf(key)).toBe(20);
  });
});

describe('D60: an unused rest', () => {
  it('is returned by idle processes, and leased by busy ones', async () => {
    const [idle, busy] = [process(), process()];
    // 100 at once lease a large block, of which the rest is not used.
    await Promise.all(times(100, () => idle.take(key, LIMIT)));
    for (let n = 0; n < 20; n += 1) await idle.take(key, LIMIT);
    const taken = await exhaust(busy);
    await vi.waitFor(async () => expect(await takenOf(key)).toBeLessThan(LIMIT), { timeout: 60_000 });
    time += 1_000;
    expect(taken + (await exhaust(busy))).toBe(LIMIT - 120);
  });

  it('of an ended window is not returned to the next one', async () => {
    const one = process();
    const { endsAt } = await one.take(key, LIMIT);
    time += 60_000;
    expect(await exhaust(one)).toBe(LIMIT);
    const back = (endsOn: number) =>
      giveBack(database.db, [{ key, requests: 5, endsOn: new Date(endsOn) }]).then(() => takenOf(key));
    expect(await back(endsAt)).toBe(LIMIT);
    expect(await back(time + 60_000)).toBe(LIMIT - 5);
  });
});

describe('D60: bounded', () => {
  it('in memory: the most recently used keys are kept', async () => {
    const one = process({ keys: 10 });
    for (let n = 0; n < 20; n += 1) await one.take(`${key} ${n}`, LIMIT);
    statements = [];
    for (let n = 10; n < 20; n += 1) await one.take(`${key} ${n}`, LIMIT);
    expect(statements).toEqual([]);
    await one.take(`${key} 0`, LIMIT);
    expect(takings()).toHaveLength(1);
  });

  it('in the table: more old windows are deleted than new ones created', async () => {
    await sql`truncate rate_windows`.execute(database.db);
    const one = process();
    await Promise.all(times(500, (n) => one.take(`${key} ${n}`, LIMIT)));
    time += 120_000;
    await Promise.all(times(250, (n) => one.take(`new ${key} ${n}`, LIMIT)));
    await vi.waitFor(async () => expect(await rows()).toHaveLength(250), { timeout: 60_000 });
  });
});

describe('D60: without the database', () => {
  const away = sql`alter table rate_windows rename to away`;
  const back = sql`alter table away rename to rate_windows`;
  async function withoutTable(work: () => Promise<unknown>): Promise<void> {
    await away.execute(database.db);
    try {
      await work();
    } finally {
      await back.execute(database.db);
    }
  }

  it('what a process counts by itself is not returned when it is idle', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const one = process();
      // Leases a large block.
      await Promise.all(times(100, () => one.take(key, LIMIT)));
      await withoutTable(async () => {
        while (said.length === 0) await one.take(key, LIMIT);
        // Idle for as long as it takes to look twice; the first look fails to delete old windows.
        const before = whispered;
        await vi.advanceTimersByTimeAsync(2_000);
        await expect.poll(() => whispered).toBeGreaterThan(before);
        await setImmediate();
        await vi.advanceTimersByTimeAsync(2_000);
        expect(await one.take(key, LIMIT)).toMatchObject({ allowed: true });
      });
    } finally {
      vi.useRealTimers();
    }
  });

  it('each process counts by itself, and shares again when it is back', async () => {
    const [one, two] = [process(), process()];
    await withoutTable(async () => {
      expect(await Promise.all([exhaust(one), exhaust(two)])).toEqual([LIMIT, LIMIT]);
    });
    const alone = 'warn: rate limits cannot be shared, each process counts alone';
    expect(said).toEqual([alone, alone]);
    said = [];
    time += 5_000;
    const taken = await Promise.all([exhaust(one), exhaust(two)]);
    expect(taken.reduce((sum, each) => sum + each)).toBe(LIMIT);
    const again = 'info: rate limits are shared with the other processes again';
    expect(said).toEqual([again, again]);
  });

  it('says so once, however long it lasts, and asks again every five seconds', async () => {
    const one = process();
    await withoutTable(async () => {
      await exhaust(one);
      expect(takings()).toHaveLength(1);
      time += 4_999;
      await one.take(`${key} too`, LIMIT);
      expect(takings()).toHaveLength(1);
      time += 1;
      await one.take(`${key} too`, LIMIT);
      expect(takings()).toHaveLength(2);
    });
    expect(said).toHaveLength(1);
  });

  it('a request that waited for it half a minute is answered at once', async () => {
    const one = process();
    const { asking } = await database.db.transaction().execute(async (tx) => {
      await away.execute(tx);
      const asking = one.take(key, LIMIT);
      await expect.poll(takings).toHaveLength(1);
      time += 35_000;
      return { asking };
    });
    expect(await asking).toMatchObject({ allowed: true, endsAt: time + 5_000 });
    expect(takings()).toHaveLength(1);
    await back.execute(database.db);
  });

  it('a clock that is set back does not prolong counting by itself', async () => {
    const [one, two] = [process(), process()];
    time += 3_600_000;
    await withoutTable(() => Promise.all([exhaust(one), exhaust(two)]));
    time -= 3_600_000;
    const taken = await Promise.all([exhaust(one), exhaust(two)]);
    expect(taken.reduce((sum, each) => sum + each)).toBe(LIMIT);
  });
});

describe('D60: whose limit it is', () => {
  const create = (limit: number) => createRateLimit({ db: database.db, clock, log }, limit);

  it('0 is none', () => {
    expect(create(0)).toBeUndefined();
    const least = create(1);
    expect(least).toBeDefined();
    least?.close();
  });

  it('a dynamic token’s is ten times that of any other, and of an address', async () => {
    const limits = create(LIMIT);
    const uuid = randomUUID();
    for (const kind of ['per', 'use'] as const) {
      expect(await limits?.takeFromToken({ uuid: randomUUID(), kind })).toMatchObject({ limit: LIMIT });
    }
    expect(await limits?.takeFromToken({ uuid, kind: 'dyn' })).toMatchObject({ limit: 10 * LIMIT });
    expect(await limits?.takeFromAddress('203.0.113.7')).toMatchObject({ limit: LIMIT });
    limits?.close();
  });

  it('addresses of one customer count together, others do not', async () => {
    const limits = create(LIMIT);
    const remaining = async (address: string) => (await limits?.takeFromAddress(address))?.remaining;
    expect(await remaining('2001:db8:60::1')).toBe(LIMIT - 1);
    expect(await remaining('2001:db8:60::2')).toBe(LIMIT - 2);
    expect(await remaining('2001:db8:60:1::1')).toBe(LIMIT - 1);
    limits?.close();
  });
});

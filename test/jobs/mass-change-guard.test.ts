import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { connect } from '../../server/database/connection.ts';
import { inTransactionIfKept } from '../../server/database/transaction.ts';
import {
  guardMassChange,
  type Loss,
  type Losses,
  storeRefusal,
} from '../../server/guard/mass-change-guard.ts';
import { createLog } from '../../server/observability/log.ts';
import type { Run } from '../../server/queue/run.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { testRun } from '../harness/run.ts';

const MINUTE = 60_000;
let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});
beforeEach(() => app.db.deleteFrom('held_changes').execute());
afterAll(() => app.stop());

const losses = (count: number, what = 'a'): Loss[] =>
  Array.from({ length: count }, (_, n) => [n + 1, what] as const);
const TOO_MUCH: Losses = {
  lookedAt: 1000,
  losses: losses(101),
  details: () => [],
  healthy: true,
};

/** Asks the guard as a run does, in a transaction that is rolled back when the answer is no. */
async function asks(
  losses: Partial<Losses> = {},
  run: Partial<Run> = {},
  services = app.app.services,
): Promise<boolean> {
  const refusal = await inTransactionIfKept(services.db, async (tx) => {
    const found = { ...TOO_MUCH, ...losses };
    const refusal = await guardMassChange(tx, services, testRun('sync-users', run), found);
    return { result: refusal, kept: refusal === undefined };
  });
  await storeRefusal(services, refusal);
  return refusal === undefined;
}

describe('D63: a run that would take something from too many', () => {
  it.each([
    { lookedAt: 1000, lost: 100, goesOn: true },
    { lookedAt: 1000, lost: 101, goesOn: false },
    { lookedAt: 100, lost: 19, goesOn: true },
    { lookedAt: 100, lost: 20, goesOn: false },
    { lookedAt: 199, lost: 20, goesOn: false },
    { lookedAt: 200, lost: 20, goesOn: true },
    { lookedAt: 10, lost: 10, goesOn: true },
  ])('$lost of $lookedAt: $goesOn', async ({ lookedAt, lost, goesOn }) => {
    expect(await asks({ lookedAt, losses: losses(lost) })).toBe(goesOn);
  });

  it('logs an error with the figures and counts a metric', async () => {
    const held = async () => (await app.app.services.metrics.jobsHeld.get()).values[0]?.value ?? 0;
    const before = await held();
    const lines = app.logged.length;
    expect(await asks()).toBe(false);
    expect(await held()).toBe(before + 1);
    const [line = ''] = app.logged.slice(lines);
    expect(JSON.parse(line)).toMatchObject({
      level: 'error',
      job: 'sync-users',
      losers: 101,
      looked_at: 1000,
    });
  });

  it('advises no approval where the provider fails, as nothing is listed', async () => {
    const lines = app.logged.length;
    expect(await asks({ healthy: false })).toBe(false);
    const [line = ''] = app.logged.slice(lines);
    expect(line).toContain('changed nothing; it is not listed');
    expect(line).not.toContain('approve');
  });

  it('is held without a second connection: others may have all of them, and wait for its locks', async () => {
    const { db, close } = connect({
      url: app.databaseUrl,
      log: createLog('silent'),
      poolSize: 1,
      connectedWithin: 1_000,
    });
    expect(await asks({}, {}, { ...app.app.services, db })).toBe(false);
    await close();
    expect(await app.db.selectFrom('held_changes').select('runs').execute()).toEqual([{ runs: 1 }]);
  });

  it('goes on when forced, and when it only rehearses', async () => {
    expect(await asks({}, { force: true })).toBe(true);
    expect(await asks({}, { dryRun: true })).toBe(true);
    expect(await app.db.selectFrom('held_changes').selectAll().execute()).toEqual([]);
  });

  it('goes on when the same changes are found in three runs at least 30 minutes apart', async () => {
    expect(await asks()).toBe(false);
    app.clock.advance(30 * MINUTE);
    expect(await asks()).toBe(false);
    app.clock.advance(30 * MINUTE);
    expect(await asks()).toBe(true);
    // The count starts again with another set.
    expect(await asks()).toBe(false);
  });

  it('runs closer than 30 minutes count once', async () => {
    expect(await asks()).toBe(false);
    for (let n = 0; n < 5; n += 1) {
      app.clock.advance(5 * MINUTE);
      expect(await asks()).toBe(false);
    }
    app.clock.advance(5 * MINUTE);
    expect(await asks()).toBe(false);
    app.clock.advance(29 * MINUTE);
    expect(await asks()).toBe(false);
    app.clock.advance(1 * MINUTE);
    expect(await asks()).toBe(true);
  });

  it('are half an hour apart by the clock that all workers share, not by that of each', async () => {
    for (const ahead of [0, 31, 62, 93]) {
      const clock = { now: () => new Date(Date.now() + ahead * MINUTE), real: true } as const;
      expect(await asks({}, {}, { ...app.app.services, clock })).toBe(false);
    }
  });

  it('are half an hour apart, too, after a clock was set back', async () => {
    expect(await asks()).toBe(false);
    app.clock.advance(-60 * MINUTE);
    expect(await asks()).toBe(false);
    app.clock.advance(30 * MINUTE);
    expect(await asks()).toBe(false);
    app.clock.advance(30 * MINUTE);
    expect(await asks()).toBe(true);
  });

  it('another set of changes starts a new count; a run with a failing provider does not count', async () => {
    expect(await asks()).toBe(false);
    app.clock.advance(31 * MINUTE);
    expect(await asks()).toBe(false);
    app.clock.advance(31 * MINUTE);
    expect(await asks({ healthy: false })).toBe(false);
    expect(await asks({ losses: losses(101, 'b') })).toBe(false);
    app.clock.advance(31 * MINUTE);
    expect(await asks({ losses: losses(101, 'b') })).toBe(false);
    app.clock.advance(31 * MINUTE);
    expect(await asks({ losses: losses(101, 'b') })).toBe(true);
  });

  it('runs of another job do not count', async () => {
    for (const job of ['sync-users', 'refresh-organizations', 'sync-voice-groups']) {
      expect(await asks({}, { job })).toBe(false);
      app.clock.advance(31 * MINUTE);
    }
  });

  it('a run in between that would take nothing away discards what was held', async () => {
    expect(await asks()).toBe(false);
    app.clock.advance(31 * MINUTE);
    expect(await asks()).toBe(false);
    expect(await asks({ losses: [] })).toBe(true);
    app.clock.advance(31 * MINUTE);
    expect(await asks()).toBe(false);
  });

  it.each([
    ['one with a failing provider', { healthy: false }],
    ['an incomplete one', { complete: false }],
  ])('but not %s, because that did not see everything', async (_, run) => {
    expect(await asks()).toBe(false);
    app.clock.advance(31 * MINUTE);
    expect(await asks()).toBe(false);
    expect(await asks({ losses: [], ...run })).toBe(true);
    app.clock.advance(31 * MINUTE);
    expect(await asks()).toBe(true);
  });
});

describe('D63: of what is held back, a run that did not see everything', () => {
  const partial = [
    ['with a failing provider', { healthy: false }],
    ['that is incomplete', { complete: false }],
  ] as const;

  it.each(partial)('takes nothing, however few it finds: one %s', async (_, run) => {
    expect(await asks()).toBe(false);
    expect(await asks({ losses: losses(7), ...run })).toBe(false);
    app.clock.advance(31 * MINUTE);
    expect(await asks({ losses: losses(7), ...run })).toBe(false);
    // What nobody holds back passes, and so does what one finds that saw everything.
    expect(await asks({ losses: losses(7, 'b'), ...run })).toBe(true);
    expect(await asks({ losses: losses(7) })).toBe(true);
  });

  it.each(partial)('discards nothing: one %s', async (_, run) => {
    for (const complete of [true, true]) {
      expect(await asks({ complete })).toBe(false);
      expect(await asks({ losses: losses(7), ...run })).toBe(false);
      app.clock.advance(31 * MINUTE);
    }
    expect(await asks()).toBe(true);
  });

  it('takes what was approved, or found in three runs half an hour apart, one of them it', async () => {
    const few = { losses: losses(7), complete: false };
    expect(await asks()).toBe(false);
    for (const passes of [false, true]) {
      app.clock.advance(31 * MINUTE);
      // New ones beside it hold nothing up.
      expect(await asks({ ...few, losses: [...few.losses, [passes ? 500 : 501, 'b']] })).toBe(passes);
    }
    expect(await asks()).toBe(false);
    expect(await asks(few)).toBe(false);
    const id = () => app.db.selectFrom('held_changes').select('fingerprint').executeTakeFirstOrThrow();
    expect(await asks(few, { approved: (await id()).fingerprint })).toBe(true);
  });
});

describe('D63: a set of losses that changes from run to run', () => {
  /** The losses of the users from the first to the last of these. */
  const of = (first: number, last: number) => ({ losses: losses(last).slice(first - 1) });
  const later = () => app.clock.advance(31 * MINUTE);
  const found = async () =>
    (await app.db.selectFrom('held_changes').select('runs').execute()).map(({ runs }) => runs);

  it('passes when it only becomes smaller', async () => {
    for (const first of [1, 2]) {
      expect(await asks(of(first, 150))).toBe(false);
      later();
    }
    expect(await asks(of(3, 150))).toBe(true);
  });

  it('passes with so few new losers that they would not be held back alone', async () => {
    expect(await asks(of(1, 150))).toBe(false);
    later();
    expect(await asks(of(1, 200))).toBe(false);
    later();
    expect(await asks(of(1, 250))).toBe(true);
  });

  it('is held with more new ones, until they, too, were found three times', async () => {
    for (const [last, runs] of [
      [150, 1],
      [150, 2],
      [251, 1],
      [251, 2],
    ] as const) {
      expect(await asks(of(1, last))).toBe(false);
      expect(await found()).toEqual([runs]);
      later();
    }
    expect(await asks(of(1, 251))).toBe(true);
  });

  it('is held where every run finds others, and some of them again', async () => {
    for (const first of [1, 60, 120, 180, 240, 300]) {
      expect(await asks(of(first, first + 160))).toBe(false);
      later();
    }
  });

  it('begins anew for whom a run in between did not find, even one that does not count', async () => {
    for (let n = 0; n < 2; n += 1) {
      expect(await asks(of(1, 300))).toBe(false);
      later();
    }
    app.clock.advance(-25 * MINUTE);
    expect(await asks(of(151, 300))).toBe(false);
    later();
    expect(await asks(of(1, 300))).toBe(false);
    expect(await found()).toEqual([1]);
  });

  it('counts nobody in a run that is too close to the one before', async () => {
    expect(await asks(of(1, 150))).toBe(false);
    app.clock.advance(29 * MINUTE);
    expect(await asks(of(1, 300))).toBe(false);
    expect(await found()).toEqual([0]);
    for (const runs of [1, 2]) {
      later();
      expect(await asks(of(1, 300))).toBe(false);
      expect(await found()).toEqual([runs]);
    }
    later();
    expect(await asks(of(1, 300))).toBe(true);
  });

  it('begins anew for who would lose something else', async () => {
    for (const what of ['a', 'b', 'a', 'b']) {
      expect(await asks({ losses: losses(150, what) })).toBe(false);
      expect(await found()).toEqual([1]);
      later();
    }
  });

  it('counts a user as one loser, whatever that one would lose', async () => {
    const twice = [...losses(15, 'a'), ...losses(15, 'b')];
    expect(await asks({ lookedAt: 15, losses: twice })).toBe(true);
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { guardMassChange, type Losses } from '../../server/guard/mass-change-guard.ts';
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

const losers = (count: number) => Array.from({ length: count }, (_, n) => n + 1);
const TOO_MUCH: Losses = {
  lookedAt: 1000,
  losers: losers(101),
  changes: 'a',
  details: () => [],
  healthy: true,
};

/** Asks the guard as a run does, in a transaction that is rolled back when the answer is no. */
async function asks(
  losses: Partial<Losses> = {},
  run: Partial<Run> = {},
  services = app.app.services,
): Promise<boolean> {
  const refused = new Error('refused');
  return app.db
    .transaction()
    .execute(async (tx) => {
      if (!(await guardMassChange(tx, services, testRun('sync-users', run), { ...TOO_MUCH, ...losses })))
        throw refused;
      return true;
    })
    .catch((error: unknown) => {
      if (error !== refused) throw error;
      return false;
    });
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
    expect(await asks({ lookedAt, losers: losers(lost) })).toBe(goesOn);
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
    expect(await asks({ changes: 'b' })).toBe(false);
    app.clock.advance(31 * MINUTE);
    expect(await asks({ changes: 'b' })).toBe(false);
    app.clock.advance(31 * MINUTE);
    expect(await asks({ changes: 'b' })).toBe(true);
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
    expect(await asks({ losers: [] })).toBe(true);
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
    expect(await asks({ losers: [], ...run })).toBe(true);
    app.clock.advance(31 * MINUTE);
    expect(await asks()).toBe(true);
  });
});

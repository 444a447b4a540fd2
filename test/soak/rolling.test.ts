import { afterAll, beforeAll, expect, it } from 'vitest';
import { spread, tell } from './fleet/figures.ts';
import { type Fleet, startFleet } from './fleet/fleet.ts';
import { describeFailures, type Failure, startLoad } from './fleet/load.ts';
import { lost } from './fleet/lost.ts';

/** Restarts by SIGTERM, one process after the other; and ends by SIGKILL, of an API and of PostgreSQL each. */
const RESTARTS = Number(process.env['SOAK_RESTARTS'] ?? 50);
const DEATHS = Number(process.env['SOAK_DEATHS'] ?? 50);
const CALLERS = 8;
/** Milliseconds until an API answers that was started, and until a write succeeds after PostgreSQL was killed. */
const READY_WITHIN = Number(process.env['SOAK_READY_WITHIN'] ?? 5_000);
const WRITES_WITHIN = Number(process.env['SOAK_WRITES_WITHIN'] ?? 15_000);
/** Longer than HAProxy takes to notice that `/readyz` fails. */
const DRAIN = 2;
const WITHIN = 3 * 60 * 60_000;

let fleet: Fleet;
beforeAll(async () => {
  fleet = await startFleet(DRAIN);
  await fleet.untilWhole();
}, 10 * 60_000);
afterAll(() => fleet?.stop());

/** Tells what failed, where and when, and what HAProxy thought of it. */
function tellFailures(failures: readonly Failure[]): void {
  for (const line of describeFailures(failures)) tell(`  ${line}`);
  for (const line of failures.length > 0 ? fleet.proxyLog.slice(-40) : []) tell(`    HAProxy: ${line}`);
}

it(
  `${RESTARTS} rolling restarts under load: not one request fails`,
  async () => {
    const load = startLoad(fleet.url, fleet.token, CALLERS, 'rolling');
    const stops: number[] = [];
    const starts: number[] = [];
    for (let n = 0; n < RESTARTS; n += 1) {
      const api = fleet.apis[n % 2 === 0 ? 0 : 1];
      load.phase(`stop ${n}`);
      const { code, took } = await api.end('SIGTERM');
      expect(code).toBe(0);
      stops.push(took);
      load.phase(`start ${n}`);
      starts.push(await api.begin());
      load.phase(`ready ${n}`);
      await fleet.untilWhole();
      load.phase(`whole ${n}`);
    }
    await load.stop();
    const { requests, latencies, failures, created } = load.seen;
    tell(`${RESTARTS} restarts, ${requests} requests, ${failures.length} failed: ${spread(latencies)}`);
    tell(`stops, ${DRAIN} s of drain included: ${spread(stops)}; ready after ${spread(starts)}`);
    tellFailures(failures);
    expect(failures).toEqual([]);
    expect(await lost(fleet.databaseUrl, created)).toEqual([]);
  },
  WITHIN,
);

it(
  `${DEATHS} times kill -9 of an API process: no acknowledged write is lost`,
  async () => {
    const load = startLoad(fleet.url, fleet.token, CALLERS, 'killed');
    const starts: number[] = [];
    for (let n = 0; n < DEATHS; n += 1) {
      const api = fleet.apis[n % 2 === 0 ? 0 : 1];
      load.phase(`death ${n}`);
      await api.end('SIGKILL');
      starts.push(await api.begin());
      await fleet.untilWhole();
    }
    await load.stop();
    const { requests, failures, created } = load.seen;
    tell(
      `${DEATHS} deaths of an API, ${requests} requests, ${failures.length} failed; ready after ${spread(starts)}`,
    );
    tellFailures(failures);
    expect(Math.max(...starts)).toBeLessThan(READY_WITHIN);
    // Nobody but those whose request the dead one had: its successor may be asked before the proxy has noticed a death,
    // and says that it is starting.
    const had = failures.filter(({ outcome }) => !outcome.includes('"service_starting"'));
    expect(had.length).toBeLessThanOrEqual(DEATHS * CALLERS);
    expect(await lost(fleet.databaseUrl, created)).toEqual([]);
  },
  WITHIN,
);

it(
  `${DEATHS} times kill -9 of PostgreSQL: nothing is restarted, no acknowledged write is lost`,
  async () => {
    const pauses: number[] = [];
    let requests = 0;
    for (let n = 0; n < DEATHS; n += 1) {
      const load = startLoad(fleet.apis[0].url, fleet.token, CALLERS, `database ${n}`);
      await expect.poll(() => load.seen.created.length, { timeout: 60_000 }).toBeGreaterThan(CALLERS);
      const [postmaster = 0] = await fleet.postgres();
      const killed = performance.now();
      process.kill(postmaster, 'SIGKILL');
      await expect.poll(() => load.seen.failures.length, { timeout: 60_000 }).toBeGreaterThan(0);
      const before = load.seen.created.length;
      // Each caller may just be reading the answer to a write from before.
      const again = before + CALLERS;
      await expect.poll(() => load.seen.created.length, { timeout: 60_000 }).toBeGreaterThan(again);
      pauses.push(performance.now() - killed);
      await load.stop();
      requests += load.seen.requests;
      const others = load.seen.failures.filter(({ outcome }) => !outcome.startsWith('503 '));
      expect(others).toEqual([]);
      expect(await lost(fleet.databaseUrl, load.seen.created)).toEqual([]);
    }
    tell(`${DEATHS} deaths of PostgreSQL, ${requests} requests; the next write after ${spread(pauses)}`);
    expect(Math.max(...pauses)).toBeLessThan(WRITES_WITHIN);
  },
  WITHIN,
);

import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { scheduledJobs } from '../../server/queue/job-catalogue.ts';
import { tell } from './fleet/figures.ts';
import { FAULTS, type Fault } from './mixed/faults.ts';
import { endingsTable, heapGrowth, medianOfQuarters, neverDone, sampleLine } from './mixed/figures.ts';
import { lost } from './mixed/ledger.ts';
import { type Failure, type Load, startLoad } from './mixed/load.ts';
import { type Stage, setStage } from './mixed/stage.ts';
import { look, NAMES, type Sample } from './mixed/watch.ts';

/** How long it takes in all, an hour after the warm-up; less for a quick look. */
const MINUTES = Number(process.env['SOAK_MINUTES'] ?? 90);
const SEED = Number(process.env['SOAK_SEED'] ?? 1);

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** Minutes until everything has its size: the caches of what was used last, and the metrics of every outcome. */
const WARM_UP = Math.min(MINUTES / 3, 30);
const LOOK_EVERY = 15 * SECOND;
/** In which each fault comes once; each has its slot, and lasts for a part of it. */
const ROUND = Math.min(5, MINUTES) * MINUTE;
const SLOT = ROUND / FAULTS.length;
const LASTS = SLOT * 0.4;
/** After which a fault is over for those who ask, and for what is measured. */
const AFTERMATH = 5 * SECOND;
/** Milliseconds from which on a statement that does nothing means a machine without time, and between two of them. */
const STARVED = 1_000;
const PROBE_EVERY = 500;
/** Milliseconds in which every job has to run that runs once in five minutes. */
const ON_TIME = 8 * MINUTE;

/** MiB an hour; below 30 minutes it is only told. */
const MOST_GROWTH = MINUTES >= 90 ? 1 : 4;
const GROWTH_TELLS = 30;
/** Minutes from which on a quarter of the time has every fault, so that quarters compare, and everything was done. */
const QUARTERS_TELL = 20;
/** What comes and goes: connections of callers and to the outside, and those of the pools. */
const SPARE = { descriptors: 24, connections: 6 } as const;

/** What the programs log as an error because of the faults: of the database, the voice server and the provider. */
const EXPLAINED: readonly RegExp[] = [
  /^(the database cannot be reached|the database does not answer|the job queue waits for the database)/,
  /: (.* )?(terminat|EPIPE|ECONNRESET|is not queryable|the database does not answer|connection timeout|Query read timeout|timeout exceeded)/i,
  /^the voice server failed: /,
  /^a job failed for the last time.*: (ProviderError|VoiceError): /,
  /^a job failed for the last time.*: Error: (the history of .* was kept|the check of refresh tokens ended|failed to)/,
];

describe(`${MINUTES} minutes of everything that users do, with every fault once in ${ROUND / MINUTE}`, () => {
  let stage: Stage;
  let load: Load;
  const samples: Sample[] = [];
  let start = 0;
  let window = 'quiet';
  /** When the database was in trouble, or the machine had no time for it. */
  const troubles: { readonly from: number; readonly to: number }[] = [];
  let starved = 0;
  let over = false;

  beforeAll(async () => {
    stage = await setStage(SEED);
  }, 10 * MINUTE);
  afterAll(() => stage?.stop());

  async function lookUntilOver(): Promise<void> {
    for (let n = 0; !over; n += 1) {
      await sleep(Math.max(0, start + n * LOOK_EVERY - performance.now()));
      const at = (performance.now() - start) / MINUTE;
      const before = window;
      const seen = await look(stage.watched);
      // What began meanwhile may have been seen.
      const sample = { at, window: window === before ? before : `${before}, ${window}`, ...seen };
      samples.push(sample);
      if (n % 4 === 0) tell(sampleLine(sample));
      stage.live();
    }
  }

  async function strike({ name, database, atMost = LASTS, begin }: Fault): Promise<void> {
    window = name;
    const from = performance.now();
    const end = await begin(stage);
    try {
      await sleep(Math.min(LASTS, atMost));
    } finally {
      await end();
      if (database) troubles.push({ from, to: performance.now() + AFTERMATH });
    }
    await sleep(Math.min(AFTERMATH, SLOT / 5));
    window = 'quiet';
  }

  /** Notices when the machine has no time for the database or for this process, which is no fault of the service. */
  async function probeUntilOver(): Promise<void> {
    while (!over) {
      const from = performance.now();
      await stage.watched.database.query('select');
      const to = performance.now() + AFTERMATH;
      if (to - from > AFTERMATH + STARVED) {
        troubles.push({ from, to });
        starved += 1;
      }
      await sleep(PROBE_EVERY);
    }
  }

  /** Whether the answer was 503 because of trouble with the database. */
  const meetsTrouble = ({ status, began, ended }: Failure) =>
    status === 503 && troubles.some(({ from, to }) => began <= to && ended >= from);

  it(
    'leave the heap, descriptors and connections as they were, and everything done',
    async () => {
      const { scene, watched } = stage;
      start = performance.now();
      const pids = NAMES.map((name) => watched.programs[name].pid);
      load = startLoad(scene);
      const looking = Promise.all([lookUntilOver(), probeUntilOver()]);
      const steady = sleep(WARM_UP * MINUTE).then(async () => ({
        since: performance.now(),
        cpu: await stage.cpu(),
      }));
      for (let n = 0; n * SLOT < MINUTES * MINUTE; n += 1) {
        await sleep(Math.max(0, start + n * SLOT + SLOT / 10 - performance.now()));
        await strike(FAULTS[n % FAULTS.length] as Fault);
      }
      await sleep(Math.max(0, start + MINUTES * MINUTE - performance.now()));
      over = true;
      await looking;
      await tellCores(await steady);
      await load.stop();

      tell(endingsTable(load.endings));
      for (const name of NAMES) {
        const { lines, errors } = watched.programs[name];
        tell(`${name}: ${JSON.stringify({ lines, errors })}`);
        tell(`${name}: heap grows by ${heapGrowth(samples, name, WARM_UP).toFixed(2)} MiB an hour`);
      }
      tell(`${load.passedOver} acts were not begun; the machine had no time ${starved} times`);

      // Everybody was answered as they should be, but for what the faults explain. All is told, as nobody waits twice.
      expect.soft(load.failures.filter((failure) => !meetsTrouble(failure))).toEqual([]);
      if (MINUTES >= QUARTERS_TELL) expect.soft(neverDone(load.endings)).toEqual([]);
      expect.soft(await scene.root.crash.list()).toEqual([]);
      expect.soft(await lost(scene.ledger, scene.root)).toEqual([]);
      for (const [n, name] of NAMES.entries()) {
        const { pid, ended, errors, ...program } = watched.programs[name];
        // Said when the inspector connects.
        const warnings = program.warnings.filter((line) => line !== 'Debugger attached.');
        expect.soft({ name, pid, ended: ended(), warnings }).toEqual({
          name,
          pid: pids[n],
          ended: false,
          warnings: [],
        });
        const unexplained = Object.keys(errors).filter((line) => !EXPLAINED.some((one) => one.test(line)));
        expect.soft({ name, unexplained }).toEqual({ name, unexplained: [] });
      }
      for (const name of NAMES) {
        for (const figure of ['descriptors', 'connections'] as const) {
          const { second, last } = medianOfQuarters(samples, name, figure);
          tell(`${name}: ${figure}, median ${second} in the second quarter, ${last} in the last`);
          if (MINUTES < QUARTERS_TELL) continue;
          expect.soft(last, `${figure} of ${name}`).toBeLessThanOrEqual(second + SPARE[figure]);
        }
        if (MINUTES >= GROWTH_TELLS)
          expect.soft(heapGrowth(samples, name, WARM_UP), name).toBeLessThan(MOST_GROWTH);
      }
      await jobsRunOnTime();
    },
    (MINUTES + 20) * MINUTE,
  );

  /** Cores that everybody took, once warmed up. */
  async function tellCores({ since, cpu }: { since: number; cpu: Awaited<ReturnType<Stage['cpu']>> }) {
    const lasted = performance.now() - since;
    const each = Object.entries(await stage.cpu()).map(
      ([who, used]) => [who, (used - (cpu[who] ?? 0)) / lasted] as const,
    );
    const all = each.reduce((sum, [, share]) => sum + share, 0);
    tell(
      `cores: ${each.map(([who, share]) => `${who} ${share.toFixed(3)}`).join(', ')}; ${all.toFixed(2)} in all`,
    );
  }

  /** Once all is calm, every job runs by its schedule, and none waits. */
  async function jobsRunOnTime(): Promise<void> {
    const calm = new Date().toISOString();
    await vi.waitFor(
      async () => {
        const { jobs, findings } = await stage.scene.root.system.status();
        const waiting = jobs.filter(({ ran_on, waiting }) => (ran_on ?? '') < calm || waiting > 0);
        expect(waiting).toEqual([]);
        expect(jobs.map(({ job_id }) => job_id)).toEqual(expect.arrayContaining([...scheduledJobs]));
        expect(findings.find(({ about }) => about === 'jobs')).toMatchObject({ state: 'good' });
      },
      { timeout: ON_TIME, interval: 2 * SECOND },
    );
  }
});

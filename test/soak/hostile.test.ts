import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Endings } from './hostile/attackers-process.ts';
import { attacks } from './hostile/attacks/index.ts';
import {
  addEndings,
  endingsTable,
  everyLatency,
  growthPerHour,
  latencyTable,
  oddEndings,
  pooled,
  quantile,
  sampleLine,
  summary,
} from './hostile/figures.ts';
import { type Healthy, startHealthy, type WindowSeen } from './hostile/healthy.ts';
import { type Stage, setStage } from './hostile/stage.ts';
import { largestTables, look, type Sample } from './hostile/watch.ts';

/** How long it takes in all; less for a quick look. */
const MINUTES = Number(process.env['SOAK_MINUTES'] ?? 60);
const SEED = Number(process.env['SOAK_SEED'] ?? 1);

const SECOND = 1_000;
const MIB = 1024 * 1024;
/** Quiet and hostile windows take turns, so that what else the machine does meets both alike. */
const QUIET = 25 * SECOND;
const HOSTILE = 100 * SECOND;
/** After which connections that were left are gone. */
const CALM = 5 * SECOND;
const CYCLES = Math.max(1, Math.round((MINUTES * 60 * SECOND) / (QUIET + HOSTILE + CALM)));
/** Until the code is compiled that healthy callers need, and the service is as large as it gets by itself. */
const WARM_UP = 15 * SECOND;
const LOOK_EVERY = 5 * SECOND;

const MOST = {
  rss: 768 * MIB,
  /** Kept answers may take 512 MiB; while they are put away, a little more. */
  cache: 600 * MIB,
  /** Everything else in the database, 50 MiB of it events of the changes that healthy callers make in an hour. */
  otherTables: 96 * MIB,
  /** Joined answers that wait for their readers may take 1 GiB; then the eldest go. */
  spooled: 1100 * MIB,
  /** Some hundred attackers with a connection or two, and what the service needs. */
  descriptors: 400,
  /** To the database: ten of the requests, and those of the jobs. */
  connections: 25,
} as const;
/** Connections of healthy callers and to the provider that come and go. */
const SPARE_DESCRIPTORS = 64;
/** Minutes until everything was attacked once, and the service has the size that it keeps. */
const WARM_MINUTES = 2;
/** Minutes from which on latencies and growth are told from chance. */
const TELLING = 20;

describe(`D3c, D30, D33, D60: ${MINUTES} minutes of hostile callers at level 0`, () => {
  let stage: Stage;
  let healthy: Healthy;
  const samples: Sample[] = [];
  const quiet: WindowSeen[] = [];
  const hostile: WindowSeen[] = [];
  const endings: Endings = {};
  const began = performance.now();
  let window = 'warm-up';

  beforeAll(async () => {
    stage = await setStage(SEED);
    healthy = startHealthy(stage.service.port, stage.healthy);
  });
  afterAll(async () => {
    await healthy?.stop();
    await stage?.stop();
  });

  async function takeSample(): Promise<Sample> {
    const { service, app, temporary } = stage;
    const at = (performance.now() - began) / 60_000;
    const sample = { at, window, ...(await look(service, app.db, temporary)) };
    const last = samples.at(-1);
    samples.push(sample);
    if (Math.floor(at) > Math.floor(last?.at ?? -1)) process.stdout.write(`${sampleLine(sample)}\n`);
    return sample;
  }

  /** Lets time pass, looking at the service now and then; returns what the healthy callers saw. */
  async function pass(name: string, milliseconds: number): Promise<WindowSeen> {
    window = name;
    healthy.next();
    const end = performance.now() + milliseconds;
    for (let left = milliseconds; left > 0; left = end - performance.now()) {
      await sleep(Math.min(left, LOOK_EVERY));
      await takeSample();
    }
    return healthy.next();
  }

  it(
    'cost the healthy ones no more than their like, and leave nothing behind',
    async () => {
      const { service, attackers, app } = stage;
      await pass('warm-up', WARM_UP);
      for (let cycle = 0; cycle < CYCLES; cycle += 1) {
        quiet.push(await pass('quiet', QUIET));
        attackers.begin();
        hostile.push(await pass('hostile', HOSTILE));
        const report = await attackers.end();
        addEndings(endings, report.endings);
        expect(report.memory).toBeLessThan(1024 * MIB);
        await pass('calm', CALM);
      }
      quiet.push(await pass('quiet', QUIET));

      const [still, attacked] = [pooled(quiet), pooled(hostile)];
      process.stdout.write(`${endingsTable(endings)}\n${latencyTable(still, attacked)}\n`);
      const tables = await largestTables(app.db);
      process.stdout.write(
        `${JSON.stringify({ seed: SEED, ...summary(samples), tables, log: service.lines })}\n`,
      );
      process.stdout.write(
        service.complaints
          .slice(0, 20)
          .map((line) => `${line.slice(0, 400)}\n`)
          .join(''),
      );

      // Each kind of hostility was answered as it deserves.
      expect(oddEndings(attacks, endings)).toEqual([]);
      // Nobody else was refused, and the service was always up.
      expect([...still.failures, ...attacked.failures]).toEqual([]);
      expect(service.ended()).toBe(false);
      expect(await app.db.selectFrom('crash_reports').selectAll().execute()).toEqual([]);
      expect(service.lines).not.toHaveProperty('error');
      expect(service.lines).not.toHaveProperty('fatal');
      await nothingLeft();
      for (const sample of samples) {
        expect(sample.rss, sampleLine(sample)).toBeLessThan(MOST.rss);
        expect(sample.cache, sampleLine(sample)).toBeLessThan(MOST.cache);
        expect(sample.database - sample.cache, sampleLine(sample)).toBeLessThan(MOST.otherTables);
        expect(sample.spooled, sampleLine(sample)).toBeLessThan(MOST.spooled);
        expect(sample.descriptors, sampleLine(sample)).toBeLessThan(MOST.descriptors);
        expect(sample.connections, sampleLine(sample)).toBeLessThan(MOST.connections);
      }
      if (MINUTES < TELLING) return;
      // From the first attack on: before it, most of the code has not run yet.
      const settled = samples.filter(({ at, window }) => window === 'quiet' && at > WARM_MINUTES);
      const { rss } = samples.at(-1) as Sample;
      expect(growthPerHour(settled, (sample) => sample.rss)).toBeLessThan(rss / 10);
      expect(quantile(everyLatency(attacked), 0.99)).toBeLessThan(2 * quantile(everyLatency(still), 0.99));
    },
    (MINUTES + 10) * 60 * SECOND,
  );

  /** What the attackers held is free again, to the last descriptor. */
  async function nothingLeft(): Promise<void> {
    const first = samples.find((sample) => sample.window === 'quiet') as Sample;
    await vi.waitFor(
      async () => {
        const { descriptors, spooled, joined, leftovers } = await takeSample();
        expect({ spooled, joined, leftovers }).toEqual({ spooled: 0, joined: 0, leftovers: 0 });
        expect(descriptors).toBeLessThan(first.descriptors + SPARE_DESCRIPTORS);
      },
      { timeout: 120 * SECOND, interval: SECOND },
    );
  }
});

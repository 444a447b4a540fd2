import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { catalogue, scheduledJobs } from '../../server/queue/job-catalogue.ts';
import { envBeside, newKeys } from '../harness/app.ts';
import { farOff } from '../harness/far-off.ts';
import { build, createInstance, type Instance, PROGRAMS, type Running } from '../harness/instance.ts';
import { type Asked, change, letTimePass, openTurns, turnsLeft, watchTurns } from './jobs-change.ts';
import {
  checkEvents,
  checkGrants,
  checkHistories,
  checkRegistry,
  checkRest,
  checkRevoked,
  checkVoice,
} from './jobs-check.ts';
import { checkLogouts } from './jobs-logouts.ts';
import { type Stage, setStage } from './jobs-stage.ts';
import { progressOf } from './progress.ts';

/** How often a worker is killed; fewer for a quick look. */
const KILLS = Number(process.env['SOAK_KILLS'] ?? 200);
const SEED = Number(process.env['SOAK_SEED'] ?? 1);
/** Milliseconds between two steps of the world. */
const STEP = 500;
/** A worker lives that many milliseconds at the most once it works, and one in so many dies before. */
const LIFE = 3_000;
const STILLBORN = 10;

describe(`${KILLS} kills of one of two workers, at random points of all jobs`, () => {
  let stage: Stage;
  let instance: Instance;
  let env: Record<string, string>;
  let begun = 0;
  let killed = 0;
  /** What the workers wrote about errors. */
  const errors = new Map<string, number>();
  const asked: Asked = { entries: new Map(), events: [], ended: [], revoked: [], cutOff: new Map() };

  beforeAll(async () => {
    await build();
    const keys = {
      ...(await newKeys()),
      CALLBACK_ALLOW_PRIVATE: 'true',
    };
    stage = await setStage(SEED, keys);
    await watchTurns(stage);
    instance = await createInstance();
    const { settings } = stage.app.app.services;
    env = {
      ...keys,
      ...envBeside(stage.app),
      VOICE_URL: stage.voice.url,
      VOICE_GROUPS: settings.voice.groups
        .map(({ group_id, sgid }) => group_id + (sgid === null ? '' : `=${sgid}`))
        .join(','),
      METRICS_PORT: '0',
      LOG_LEVEL: 'info',
      // Only what the test asks for is run.
      JOB_SCHEDULES: scheduledJobs.map((job) => `${job}=${farOff()}`).join(';'),
    };
  });
  afterAll(async () => {
    await instance?.remove();
    await stage?.stop();
  });

  const startWorker = () => instance.start(PROGRAMS.jobs, env);

  /** Starts a worker and kills it, until enough were. */
  async function liveAndDie(progress: (done: number) => void): Promise<void> {
    const { random } = stage;
    while (begun < KILLS) {
      begun += 1;
      const worker = startWorker();
      const alive = random() < 1 / STILLBORN ? pause(random() * 1_000) : worker.printed(/"working"/);
      await alive;
      await pause(random() * LIFE);
      worker.signal('SIGKILL');
      await worker.ended;
      noteErrors(worker);
      killed += 1;
      progress(killed);
    }
  }

  /** The world goes on meanwhile. */
  async function goOn(): Promise<void> {
    while (killed < KILLS) {
      await change(stage, asked);
      await letTimePass(stage, asked);
      await pause(STEP);
    }
  }

  function noteErrors({ output }: Running): void {
    for (const line of output.stdout.split('\n')) {
      if (!line.includes('"level":"error"') || !line.endsWith('}')) continue;
      const { msg, job, err } = JSON.parse(line) as { msg: string; job?: string; err?: { message: string } };
      const text = `${job ?? ''} ${msg}: ${err?.message ?? ''}`;
      errors.set(text, (errors.get(text) ?? 0) + 1);
    }
  }

  /** Every job once more, all of them beside each other, each to its end. */
  async function runAll(): Promise<void> {
    const { queue, db } = stage.app.app.services;
    const ids = await Promise.all(scheduledJobs.map((job) => queue.run(db, job, { force: true })));
    await vi.waitFor(
      async () => {
        await letTimePass(stage, asked);
        const { rows } = await sql<{ name: string }>`
          select name from pgboss.job where id = any(${ids}::uuid[]) and state <> 'completed'`.execute(db);
        expect(rows).toEqual([]);
      },
      { timeout: 120_000, interval: STEP },
    );
  }

  it(
    'lose nothing and do nothing twice; all is done when the workers are left alone',
    async () => {
      const soldAtFirst = [...stage.cast.sold];
      const began = performance.now();
      const progress = progressOf('kills', KILLS);
      await Promise.all([liveAndDie(progress), liveAndDie(progress), goOn()]);

      const workers = [startWorker(), startWorker()];
      await Promise.all(workers.map((worker) => worker.printed(/"working"/)));
      const { db } = stage.app;
      await vi.waitFor(
        async () => {
          await letTimePass(stage, asked);
          expect(await turnsLeft(stage)).toBe(0);
        },
        { timeout: 120_000, interval: STEP },
      );
      await openTurns(stage, asked, 1);
      await sql`truncate provider_cache`.execute(db);
      await sql`update corporations set refreshed_on = 'epoch'`.execute(db);
      await sql`update alliances set refreshed_on = 'epoch'`.execute(db);
      await sql`update grants set next_check_on = now() where valid`.execute(db);
      for (let round = 0; round < 3; round += 1) await runAll();
      for (const worker of workers) noteErrors(worker);
      const figures = {
        seed: SEED,
        kills: killed,
        seconds: Math.round((performance.now() - began) / 1000),
        cutOff: Object.fromEntries([...asked.cutOff].sort()),
        errors: Object.fromEntries(errors),
      };
      process.stdout.write(`${JSON.stringify(figures, undefined, 1)}\n`);
      await vi.waitFor(
        async () => {
          const { rows } = await sql`
            select name, state::text, start_after, retry_count, output from pgboss.job
            where name <> 'dead-letters' and state < 'completed'`.execute(db);
          expect(rows).toEqual([]);
        },
        { timeout: 60_000, interval: STEP },
      );
      const found = {
        entries: await checkHistories(stage, asked),
        users: await checkRegistry(stage),
        grants: await checkGrants(stage, soldAtFirst),
        ...(await checkEvents(stage, asked)),
        ...checkLogouts(stage.logouts, asked.ended),
        revoked: await checkRevoked(stage, asked),
        ...(await checkVoice(stage)),
        jobs: await checkRest(stage),
      };
      process.stdout.write(`${JSON.stringify(found)}\n`);
      if (KILLS >= 200) expect([...asked.cutOff.keys()].sort()).toEqual(Object.keys(catalogue).sort());
    },
    15 * 60_000,
  );
});

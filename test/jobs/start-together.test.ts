import { randomBytes } from 'node:crypto';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { openQueue } from '../../server/queue/queue.ts';
import { newKeys } from '../harness/app.ts';
import { build, createInstance, type Instance, PRODUCTION } from '../harness/instance.ts';
import { databaseUrl, onServer } from '../harness/postgres.ts';

/** Runs `work` on an empty database without any schema. */
async function onEmptyDatabase(work: (url: string) => Promise<void>): Promise<void> {
  const name = `castellan_test_${randomBytes(8).toString('hex')}`;
  await onServer(inject('templateUrl'), `create database ${name}`);
  try {
    await work(databaseUrl(inject('templateUrl'), name));
  } finally {
    await onServer(inject('templateUrl'), `drop database if exists ${name} with (force)`);
  }
}

const rounds = (count: number) => Array.from({ length: count }, (_, round) => [round + 1]);

describe('four that start together on an empty database all start', () => {
  it.each(rounds(4))('queues, round %i', async () => {
    await onEmptyDatabase(async (databaseUrl) => {
      const opened = await Promise.allSettled(
        [true, false, true, false].map((worker) =>
          openQueue({ databaseUrl, worker, log: pino({ level: 'silent' }) }),
        ),
      );
      for (const one of opened) if (one.status === 'fulfilled') await one.value.stop();
      expect(opened.filter(({ status }) => status === 'rejected')).toEqual([]);
    });
  });
});

describe('two servers and two workers', () => {
  let instances: Instance[];
  beforeAll(async () => {
    await build();
    instances = await Promise.all([createInstance(), createInstance()]);
  });
  afterAll(() => Promise.all(instances.map((instance) => instance.remove())));

  it.each(rounds(1))('that start together on an empty database all start, round %i', async () => {
    const keys = {
      ...(await newKeys()),
      // No provider is needed while they start.
      SSO_CLIENT_ID: 'castellan-test',
      SSO_CLIENT_SECRET: 'secret',
      SSO_URL: 'http://127.0.0.1:9',
      EXT_API_URL: 'http://127.0.0.1:9',
      EXT_API_SPEC_URL: 'http://127.0.0.1:9',
      METRICS_PORT: '0',
      LOG_LEVEL: 'info',
    };
    await onEmptyDatabase(async (DATABASE_URL) => {
      const started = instances.flatMap((instance) => [
        {
          program: instance.start(PRODUCTION.server, { ...keys, DATABASE_URL, WORKERS: 'none' }),
          says: /"listening"/,
        },
        { program: instance.start(PRODUCTION.jobs, { ...keys, DATABASE_URL }), says: /"working"/ },
      ]);
      const outcomes = await Promise.allSettled(started.map(({ program, says }) => program.printed(says)));
      for (const { program } of started) program.signal('SIGTERM');
      await Promise.all(started.map(({ program }) => program.ended));
      expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([]);
    });
  });
});

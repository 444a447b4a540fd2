import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import pino from 'pino';
import type { TestProject } from 'vitest/node';
import { connect } from '../../server/database/connection.ts';
import { migrate } from '../../server/database/migrate.ts';
import { ensureEventPartitions } from '../../server/event/partitions.ts';
import { openQueue } from '../../server/queue/queue.ts';
import { databaseUrl, onServer } from './postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** URL of the migrated database that every test database is a copy of. */
    templateUrl: string;
  }
}

/**
 * Provides one PostgreSQL for the whole run, with a migrated template database: the one of TEST_DATABASE_URL, whose
 * role must be allowed to create databases, or an embedded one.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env.TEST_DATABASE_URL;
  const server = given ? { url: given, stop: () => Promise.resolve() } : await startKeeper();
  const template = `castellan_template_${process.pid}`;
  const templateUrl = databaseUrl(server.url, template);
  const dropTemplate = () => onServer(server.url, `drop database if exists ${template} with (force)`);
  try {
    await dropTemplate();
    await onServer(server.url, `create database ${template}`);
    await prepareTemplate(templateUrl);
  } catch (error) {
    await server.stop();
    throw error;
  }
  project.provide('templateUrl', templateUrl);
  return async () => {
    await dropTemplate();
    await server.stop();
  };
}

/** Migrates the template, so that every test database has the tables from the start. */
async function prepareTemplate(url: string): Promise<void> {
  const log = pino({ level: 'silent' });
  const { db, close } = connect({ url, log, poolSize: 2 });
  try {
    await migrate(db, log);
    await ensureEventPartitions(db, new Date());
    // With the queue's schema: creating it takes pg-boss longer than copying the whole database.
    const queue = await openQueue({ databaseUrl: url, log, worker: false });
    await queue.stop();
  } finally {
    await close();
  }
}

/** As after a connection's first minutes: in small databases planning at each use costs more than the plan saves. */
const PLANS = 'plan_cache_mode=force_generic_plan';

async function startKeeper(): Promise<{ url: string; stop(): Promise<void> }> {
  const program = join(import.meta.dirname, 'keeper.ts');
  const keeper = spawn(process.execPath, ['--import', 'tsx', program, PLANS], {
    stdio: ['pipe', 'pipe', 'inherit'],
    // In a process group of its own, so that a signal to the run does not reach it: it ends with its standard input.
    detached: true,
  });
  const exit = once(keeper, 'exit');
  const [url] = (await Promise.race([once(createInterface(keeper.stdout), 'line'), exit])) as [unknown];
  if (typeof url !== 'string') throw new Error('The PostgreSQL for the tests did not start.');
  return {
    url,
    stop: async () => {
      keeper.stdin.end();
      await exit;
    },
  };
}

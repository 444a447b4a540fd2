import { chmod, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pino from 'pino';
import type { TestProject } from 'vitest/node';
import { connect } from '../../server/database/connection.ts';
import { isRunning } from '../../server/database/embedded/lock.ts';
import { exists } from '../../server/database/embedded/places.ts';
import { startEmbedded } from '../../server/database/embedded.ts';
import { migrate } from '../../server/database/migrate.ts';
import { databaseUrl, onServer } from './postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** URL of the migrated database that every test database is a copy of. */
    templateUrl: string;
  }
}

const log = pino({ level: 'silent' });

/** Below /tmp, not TMPDIR: every account can get there, and the socket's path stays short. */
const RUNS = '/tmp';
const RUN_PREFIX = 'castellan-test-';
/** Names the process whose run it is; what a killed run left is cleared by the next. */
const OWNER_FILE = 'run.pid';

/** Nothing of a test database has to survive a power cut. */
const FAST = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '200' };

/**
 * One PostgreSQL for the whole run (TEST_DATABASE_URL, whose role may create databases, or an embedded one) with
 * a migrated template database.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startServer();
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
  let finished: Promise<void> | undefined;
  const finish = () => {
    finished ??= dropTemplate().then(server.stop);
    return finished;
  };
  // Vitest ends on a signal without tearing down.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void finish().finally(() => process.exit(1)));
  }
  return finish;
}

/** What every test database holds from the start. */
async function prepareTemplate(url: string): Promise<void> {
  const { db, close } = connect({ url, log, poolSize: 2 });
  try {
    await migrate(db, log);
  } finally {
    await close();
  }
}

async function startServer(): Promise<{ url: string; stop(): Promise<void> }> {
  const given = process.env.TEST_DATABASE_URL;
  if (given) return { url: given, stop: () => Promise.resolve() };
  const runs = await realpath(RUNS);
  await clearKilledRuns(runs);
  const folder = await mkdtemp(join(runs, RUN_PREFIX));
  await writeFile(join(folder, OWNER_FILE), String(process.pid));
  await chmod(folder, 0o711);
  const embedded = await startEmbedded({ dataDir: join(folder, 'data'), log, settings: FAST });
  return {
    url: embedded.url,
    stop: async () => {
      await embedded.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function clearKilledRuns(runs: string): Promise<void> {
  for (const name of await readdir(runs)) {
    if (!name.startsWith(RUN_PREFIX)) continue;
    const folder = join(runs, name);
    // Another user's, or one that was made just now, has no readable owner.
    const owner = Number(await readFile(join(folder, OWNER_FILE), 'utf8').catch(() => ''));
    if (!owner || isRunning(owner)) continue;
    const dataDir = join(folder, 'data');
    // Joining and leaving stops what still runs there.
    if (await exists(join(dataDir, 'postgresql/data/postmaster.pid'))) {
      await (await startEmbedded({ dataDir, log, settings: FAST })).stop();
    }
    await rm(folder, { recursive: true, force: true });
  }
}

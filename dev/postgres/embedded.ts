import { rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { openDataDir } from '../../server/config/data-dir.ts';
import type { Log } from '../../server/database/connection.ts';
import { codeOf } from '../../server/database/errors.ts';
import { CannotStart } from '../../server/shared/cannot-start.ts';
import { chooseAccount } from './account.ts';
import * as cluster from './cluster.ts';
import { withLock } from './lock.ts';
import * as places from './places.ts';

export interface EmbeddedOptions {
  /** DATA_DIR; created when missing. */
  readonly dataDir: string;
  readonly log: Log;
  /** Server settings for the run that starts the cluster, such as `{ fsync: 'off' }`; values without spaces. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Environment variables for that run; PostgreSQL gets none of this process's variables. */
  readonly environment?: Readonly<Record<string, string>>;
}

export interface EmbeddedDatabase {
  /** The URL of the database `castellan`, over a Unix socket that only PostgreSQL's account and root can enter. */
  readonly url: string;
  /** Whether this call started PostgreSQL; false when it was running already. */
  readonly started: boolean;
  /** Leaves the cluster. The last process that leaves stops it, whichever started it. */
  stop(): Promise<void>;
}

const DATABASE = 'castellan';
/** `application_name` of the connection by which processes that use the cluster are counted. */
const PRESENCE = 'castellan presence';
const LOCK_PATIENCE_MILLIS = 90_000;
const START_PATIENCE_MILLIS = 60_000;
/**
 * Temporary errors at the start: children of a killed postmaster are still ending, or another process is starting or
 * stopping the cluster.
 */
const PASSING_TROUBLE =
  /pre-existing shared memory block|lock file ".*" already exists|could not bind Unix address/;

/**
 * Connects to the PostgreSQL cluster under DATA_DIR, creating and starting it when needed; several processes share it.
 * Files left by a killed process (of this service or PostgreSQL) are removed, and a cluster that ends while it is used
 * is started again.
 *
 * @throws on Windows, when no account can run PostgreSQL, or when it does not start (with the end of its log)
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  if (process.platform === 'win32') {
    throw new CannotStart(
      'The embedded PostgreSQL runs on Linux and macOS: set DATABASE_URL to a PostgreSQL of your own.',
    );
  }
  const { log } = options;
  const dataDir = await openDataDir(options.dataDir);
  const locked = <T>(work: () => Promise<T>) =>
    withLock(join(dataDir, 'postgresql.lock'), LOCK_PATIENCE_MILLIS, work);

  const { own, home, joined } = await locked(async () => {
    const { own, home } = await locate(dataDir, options);
    if (await cluster.initialise(own)) log.info({ folder: own.data }, 'made the PostgreSQL cluster');
    const joined = await enter(own, home, log);
    await createDatabase(joined.presence);
    return { own, home, joined };
  });

  let { presence } = joined;
  let leaving: Promise<void> | undefined;
  watch(joined.ended);
  return {
    url: urlOf(joined.socketFolder, DATABASE),
    started: joined.started,
    stop: () => {
      leaving ??= locked(() => leave(own, home, presence));
      return leaving;
    },
  };

  function watch(ended: Promise<unknown>): void {
    void ended.then(revive);
  }

  async function revive(): Promise<void> {
    for (let pause = 100; !leaving; pause = Math.min(pause * 2, 5000)) {
      try {
        log.warn('PostgreSQL ended unexpectedly, starting it again');
        await locked(async () => {
          if (leaving) return;
          const again = await enter(own, home, log);
          presence = again.presence;
          watch(again.ended);
        });
        return;
      } catch (error) {
        log.error({ err: error }, 'PostgreSQL did not start again');
        await sleep(pause);
      }
    }
  }
}

async function locate(dataDir: string, { settings = {}, environment = {} }: Partial<EmbeddedOptions>) {
  const account = await chooseAccount(join(dataDir, 'postgresql'));
  const native = await places.chooseBinaries(account);
  const at = (home: string): cluster.Cluster => ({
    account,
    native,
    settings,
    environment,
    data: join(home, 'data'),
    log: join(dataDir, 'postgresql.log'),
  });
  const home = await places.chooseHome(dataDir, account, (old) => cluster.stop(at(old)));
  return { own: at(home), home };
}

interface Joined {
  readonly presence: pg.Client;
  /** Resolves when the presence connection has ended, even if that was before anybody waited for it. */
  readonly ended: Promise<void>;
  readonly socketFolder: string;
  readonly started: boolean;
}

/** Connects to the running cluster, or starts it and connects; retries while it recovers, starts or stops. */
async function enter(own: cluster.Cluster, home: string, log: Log): Promise<Joined> {
  const deadline = Date.now() + START_PATIENCE_MILLIS;
  let trouble = '';
  let started = false;
  for (let pause = 50; ; pause = Math.min(pause * 2, 2000)) {
    const postmaster = await cluster.findPostmaster(own);
    if (postmaster?.alive) {
      const { socketFolder } = postmaster;
      if (socketFolder !== '' && (await places.isPrivate(socketFolder, own.account))) {
        const connected = await tryConnect(socketFolder);
        if (connected) return { ...connected, socketFolder, started };
      }
      trouble ||= 'it runs but does not answer';
    } else {
      const socketFolder = await places.chooseSocketFolder(home, own.account);
      if (postmaster) {
        log.warn('PostgreSQL did not end properly the last time, recovering');
        await cluster.clearStale(own, socketFolder);
      }
      const failure = await cluster.start(own, socketFolder);
      started = failure === undefined;
      if (started) continue;
      trouble = failure ?? '';
      if (!PASSING_TROUBLE.test(trouble)) break;
    }
    if (Date.now() > deadline) break;
    await sleep(pause);
  }
  throw new CannotStart(`PostgreSQL did not start (its log is ${own.log}): ${trouble}`);
}

/** Opens a presence connection; undefined when the cluster does not answer or does not accept connections yet. */
async function tryConnect(socketFolder: string): Promise<Pick<Joined, 'presence' | 'ended'> | undefined> {
  const client = new pg.Client({
    connectionString: urlOf(socketFolder, 'postgres'),
    application_name: PRESENCE,
    connectionTimeoutMillis: 5000,
  });
  // The end of the connection is watched; without a listener the error before it would end the process.
  client.on('error', () => undefined);
  const ended = new Promise<void>((resolve) => client.once('end', resolve));
  try {
    await client.connect();
    return { presence: client, ended };
  } catch (error) {
    if (['57P03', 'ENOENT', 'ECONNREFUSED', 'ECONNRESET'].includes(codeOf(error) ?? '')) return undefined;
    if (/^Connection terminated|timeout expired/.test((error as Error).message)) return undefined;
    throw error;
  }
}

async function createDatabase(presence: pg.Client): Promise<void> {
  const found = await presence.query('select from pg_database where datname = $1', [DATABASE]);
  if (found.rowCount === 0) await presence.query(`create database ${DATABASE}`);
}

/** Closes the presence connection, and stops PostgreSQL when no other process is connected. */
async function leave(own: cluster.Cluster, home: string, presence: pg.Client): Promise<void> {
  await presence.end();
  const postmaster = await cluster.findPostmaster(own);
  if (!postmaster?.alive) return;
  const { socketFolder } = postmaster;
  // Uses a new connection, as the old one may be broken. If PostgreSQL does not answer, nobody else uses it.
  const connected = await tryConnect(socketFolder);
  const others = connected ? await countOthers(connected.presence) : 0;
  await connected?.presence.end();
  if (others > 0) return;
  await cluster.stop(own);
  if (dirname(socketFolder) !== home) await rmdir(socketFolder).catch(() => undefined);
}

async function countOthers(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ others: number }>(
    'select count(*)::int as others from pg_stat_activity where application_name = $1 and pid <> pg_backend_pid()',
    [PRESENCE],
  );
  return rows[0]?.others ?? 0;
}

function urlOf(socketFolder: string, database: string): string {
  return `postgresql://${cluster.SUPERUSER}@localhost/${database}?host=${encodeURIComponent(socketFolder)}&port=${cluster.PORT}&sslmode=disable`;
}

import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { vi } from 'vitest';
import { type Account, chooseAccount, giveTo, runAs } from '../../../dev/postgres/account.ts';
import * as cluster from '../../../dev/postgres/cluster.ts';
import { chooseBinaries } from '../../../dev/postgres/places.ts';
import { alive, familyOf } from '../../harness/instance.ts';
import { onServer } from '../../harness/postgres.ts';
import { type DatabaseProxy, startProxy } from '../../harness/proxy.ts';

/** Two PostgreSQL servers, a primary and its synchronous replica, which can take each other's place. */
export interface Pair {
  /** Leads to whichever is the primary. */
  readonly url: string;
  /** Leads to whichever is a replica. */
  readonly replicaUrl: string;
  /** The addresses of the two as they are now. */
  servers(): { readonly primary: string; readonly replica: string };
  /** Whether commits wait for the replica. */
  isSynchronous(): Promise<boolean>;
  /** Breaks the network between the two: what either sends is lost, and neither is told. */
  part(): void;
  /** Kills every process of the primary. */
  kill(): Promise<void>;
  /** Makes the replica the primary, and waits until it is. */
  promote(): Promise<void>;
  /** Makes the killed one the synchronous replica of the present primary. */
  rebuild(): Promise<void>;
  stop(): Promise<void>;
}

interface Server {
  readonly own: cluster.Cluster;
  readonly url: string;
}

const DATABASE = 'castellan';
const HOST = '127.0.0.1';

/** Starts both below a folder. What tells them apart is in their own folders, as with Patroni: a copy gets none of it. */
export async function startPair(folder: string, ports: readonly [number, number]): Promise<Pair> {
  const account = await chooseAccount(folder);
  const native = await chooseBinaries(account);

  async function prepare(port: number): Promise<Server> {
    const home = join(folder, String(port));
    await makeFolder(home, account);
    const settings = {
      ...{ port: String(port), listen_addresses: HOST, hot_standby_feedback: 'on' },
      // Enough for what is written while a copy is made.
      wal_keep_size: '256MB',
    };
    return {
      own: {
        ...{ account, native, settings, environment: {} },
        data: join(home, 'data'),
        log: join(home, 'postgresql.log'),
      },
      url: `postgres://${cluster.SUPERUSER}@${HOST}:${port}/${DATABASE}`,
    };
  }

  let primary = await prepare(ports[0]);
  let replica = await prepare(ports[1]);
  let link: DatabaseProxy;
  await cluster.initialise(primary.own);
  await start(primary);
  await onServer(primary.url, `create database ${DATABASE}`);
  await makeFolder(replica.own.data, account);
  await follow();

  async function follow(): Promise<void> {
    link = await startProxy(primary.url);
    await copy(primary, replica);
    const port = new URL(link.url).port;
    const settings = `primary_conninfo = 'host=${HOST} port=${port} user=${cluster.SUPERUSER}'\n`;
    await write(replica, 'postgresql.auto.conf', settings);
    await write(replica, 'standby.signal', '');
    await start(replica);
    await onServer(
      primary.url,
      `alter system set synchronous_standby_names = '*'`,
      'select pg_reload_conf()',
    );
    await vi.waitUntil(isSynchronous, { timeout: 60_000 });
  }

  async function isSynchronous(): Promise<boolean> {
    const rows = await query(primary.url, 'select sync_state from pg_stat_replication');
    return rows.some(({ sync_state }) => sync_state === 'sync');
  }

  const hosts = ports.map((port) => `${HOST}:${port}`).join(',');
  const either = `postgres://${cluster.SUPERUSER}@${hosts}/${DATABASE}?target_session_attrs=`;
  return {
    url: `${either}read-write`,
    replicaUrl: `${either}standby`,
    servers: () => ({ primary: primary.url, replica: replica.url }),
    isSynchronous,
    part: () => link.mute(),
    async kill() {
      const file = await readFile(join(primary.own.data, 'postmaster.pid'), 'utf8');
      const pids = familyOf(Number.parseInt(file, 10));
      // By one command, the postmaster first: its children end when they notice that it is gone.
      await runAs(account, 'kill', ['-KILL', ...pids.map(String)]);
      await vi.waitUntil(() => alive(pids).length === 0, { interval: 10, timeout: 10_000 });
    },
    async promote() {
      [primary, replica] = [replica, primary];
      await onServer(primary.url, 'select pg_promote()');
    },
    async rebuild() {
      await link.cut();
      await follow();
    },
    async stop() {
      await link.cut();
      for (const { own } of [primary, replica]) {
        // A killed one has left its files.
        if ((await cluster.findPostmaster(own))?.alive) await cluster.stop(own);
      }
    },
  };
}

async function start({ own }: Server): Promise<void> {
  const failure = await cluster.start(own, '');
  if (failure !== undefined) throw new Error(`PostgreSQL did not start: ${failure}`);
}

/** The rows of one statement on a connection of its own. */
export async function query(url: string, text: string, values: unknown[] = []): Promise<pg.QueryResultRow[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(text, values);
  await client.end();
  return rows;
}

/** Copies a running server's folder as pg_basebackup does, which does not come with the binaries. */
async function copy(from: Server, to: Server): Promise<void> {
  const { account, data } = to.own;
  // Emptied, not removed: by this very folder PostgreSQL finds the shared memory of a killed predecessor, and frees it.
  for (const name of await readdir(data)) await rm(join(data, name), { recursive: true });
  const backup = new pg.Client({ connectionString: from.url });
  await backup.connect();
  await backup.query(`select pg_backup_start('replica', fast => true)`);
  const { output } = await runAs(account, 'cp', ['-R', `${from.own.data}/.`, data]);
  // Files may be removed while they are copied.
  const faults = output.split('\n').filter((line) => line !== '' && !line.includes('No such file'));
  if (faults.length > 0) throw new Error(`The primary could not be copied: ${faults.join('\n')}`);
  const { rows } = await backup.query<{ labelfile: string }>(
    'select labelfile from pg_backup_stop(wait_for_archive => false)',
  );
  await backup.end();
  await write(to, 'backup_label', rows[0]?.labelfile ?? '');
  // The primary's alone; what is missing of its log the replica asks for.
  for (const name of ['postmaster.pid', 'postmaster.opts', 'pg_wal']) {
    await rm(join(data, name), { recursive: true });
  }
  await makeFolder(join(data, 'pg_wal'), account);
}

async function write({ own }: Server, name: string, text: string): Promise<void> {
  const file = join(own.data, name);
  await writeFile(file, text, { mode: 0o600 });
  await giveTo(own.account, file);
}

async function makeFolder(folder: string, account: Account): Promise<void> {
  await mkdir(folder, { mode: 0o700 });
  await giveTo(account, folder);
}

import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { open, readdir, readFile, readlink, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { CannotStart } from '../../server/shared/cannot-start.ts';
import { type Account, runAs } from './account.ts';
import { isRunning } from './lock.ts';
import { exists } from './places.ts';

/** A PostgreSQL cluster on disk, with what is needed to run it. */
export interface Cluster {
  readonly account: Account;
  /** Folder with `bin`. */
  readonly native: string;
  readonly data: string;
  readonly log: string;
  /** Server settings (`name: value`) for this run; values without spaces. */
  readonly settings: Readonly<Record<string, string>>;
  /** Environment variables for this run. */
  readonly environment: Readonly<Record<string, string>>;
}

/** The cluster's superuser and only role; needs no password, because the socket's folder is private. */
export const SUPERUSER = 'castellan';
export const PORT = 5432;

const START_SECONDS = 60;
const STOP_SECONDS = 6;
const LONGEST_LOG_BYTES = 10 * 1024 * 1024;

const pgCtl = (cluster: Cluster, args: readonly string[], logTo?: number) =>
  // Runs in the data folder, because pg_ctl builds a shell command and "." needs no quoting.
  runAs(cluster.account, join(cluster.native, 'bin/pg_ctl'), [...args, '-D', '.'], {
    cwd: cluster.data,
    environment: cluster.environment,
    ...(logTo !== undefined && { logTo }),
  });

/**
 * Creates the cluster unless it exists. It is created under another name and renamed, so that an interruption leaves
 * nothing that looks like a cluster. Not synced to disk, which would take most of the time, as it contains no data yet.
 */
export async function initialise(cluster: Cluster): Promise<boolean> {
  const { account, data, native } = cluster;
  if (await exists(join(data, 'PG_VERSION'))) return false;
  const home = dirname(data);
  for (const name of await readdir(home)) {
    if (name.startsWith('new-')) await rm(join(home, name), { recursive: true, force: true });
  }
  const aside = join(home, `new-${randomBytes(4).toString('hex')}`);
  const { code, output } = await runAs(account, join(native, 'bin/initdb'), [
    ...['-D', aside, '-U', SUPERUSER, '--auth=trust', '--no-sync', '--no-instructions'],
    ...['-E', 'UTF8', '--locale-provider=builtin', '--locale=C', '--builtin-locale=C.UTF-8'],
    ...['-c', 'listen_addresses=', '-c', 'unix_socket_permissions=0700', '-c', 'cluster_name=castellan'],
    ...['-c', 'timezone=UTC', '-c', 'log_timezone=UTC'],
  ]);
  if (code !== 0) throw new CannotStart(`initdb failed: ${output}`);
  await rename(aside, data);
  return true;
}

/**
 * Starts PostgreSQL and waits until it takes connections.
 *
 * @returns undefined, or why it did not start.
 */
export async function start(cluster: Cluster, socketFolder: string): Promise<string | undefined> {
  const settings = { unix_socket_directories: socketFolder, ...cluster.settings };
  const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
  const written = (await stat(cluster.log).catch(() => undefined))?.size ?? 0;
  const begin = written > LONGEST_LOG_BYTES ? 0 : written;
  if (begin < written) await rename(cluster.log, `${cluster.log}.1`);
  // Opened here, because the account may not have access to the log's folder.
  const log = await open(cluster.log, 'a', 0o600);
  try {
    const { code, output } = await pgCtl(
      cluster,
      ['start', '-w', '-t', String(START_SECONDS), '-o', options.join(' ')],
      log.fd,
    );
    if (code === 0) return undefined;
    const lines = (await readFile(cluster.log)).subarray(begin).toString().trim().split('\n');
    return [output, ...lines.slice(-12)].join('\n').trim();
  } finally {
    await log.close();
  }
}

/** Stops PostgreSQL, cutting connections and rolling transactions back, within a few seconds. */
export async function stop(cluster: Cluster): Promise<void> {
  if (!(await exists(join(cluster.data, 'postmaster.pid')))) return;
  const fast = await pgCtl(cluster, ['stop', '-w', '-m', 'fast', '-t', String(STOP_SECONDS)]);
  if (fast.code === 0) return;
  const immediate = await pgCtl(cluster, ['stop', '-w', '-m', 'immediate', '-t', '2']);
  if (immediate.code !== 0) throw new Error(`PostgreSQL could not be stopped: ${immediate.output}`);
}

/** The contents of postmaster.pid. */
export interface Postmaster {
  readonly alive: boolean;
  /** Empty until PostgreSQL has opened its socket. */
  readonly socketFolder: string;
}

/** The cluster's postmaster by its lock file, undefined without one. */
export async function findPostmaster(cluster: Cluster): Promise<Postmaster | undefined> {
  const text = await readFile(join(cluster.data, 'postmaster.pid'), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const lines = text.split('\n');
  return { alive: await isPostmaster(Number(lines[0]), cluster.data), socketFolder: lines[4]?.trim() ?? '' };
}

/**
 * PostgreSQL itself only checks that a process with that id exists, but ids are reused, and zombies count as existing.
 */
async function isPostmaster(pid: number, data: string): Promise<boolean> {
  if (!isRunning(pid)) return false;
  if (process.platform === 'linux') {
    return (await readlink(`/proc/${pid}/cwd`).catch(() => undefined)) === data;
  }
  const { stdout } = await promisify(execFile)('ps', ['-o', 'comm=', '-p', String(pid)]).catch(() => ({
    stdout: '',
  }));
  return stdout.includes('postgres');
}

/** Removes files that a killed postmaster left; PostgreSQL itself cleans up its shared memory. */
export async function clearStale(cluster: Cluster, socketFolder: string): Promise<void> {
  const socket = join(socketFolder, `.s.PGSQL.${PORT}`);
  for (const file of [join(cluster.data, 'postmaster.pid'), socket, `${socket}.lock`])
    await rm(file, { force: true });
}

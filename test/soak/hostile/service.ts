import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, readlink, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { PRODUCTION, ROOT } from '../../harness/instance.ts';

/** What the service's process holds at one moment. */
export interface Held {
  /** Bytes of memory. */
  readonly rss: number;
  readonly descriptors: number;
  /** Bytes in temporary files, which have no name. */
  readonly spooled: number;
  /** Milliseconds of CPU so far. */
  readonly cpu: number;
}

export interface Service {
  readonly port: number;
  /** Lines logged at each level. */
  readonly lines: Readonly<Record<string, number>>;
  /** Lines above `info`, the first ones of them. */
  readonly complaints: readonly string[];
  /** Whether the process has ended by itself. */
  readonly ended: () => boolean;
  held(): Promise<Held>;
  /** Bytes of memory alone: thousands of descriptors take time to look at. */
  memory(): Promise<number>;
  stop(): Promise<void>;
}

const MOST_COMPLAINTS = 200;

/** The compiled service as production runs it; of its log no more is kept than is worth reading. */
export async function startService(env: Readonly<Record<string, string>>, port: number): Promise<Service> {
  const [program = 'node', ...args] = PRODUCTION.server;
  const child = spawn(program, args, {
    cwd: ROOT,
    env: { PATH: process.env['PATH'], ...env, HOST: '127.0.0.1', PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const lines: Record<string, number> = {};
  const complaints: string[] = [];
  createInterface(child.stdout).on('line', (line) => {
    const level = /^\{"level":"(\w+)"/.exec(line)?.[1] ?? 'other';
    lines[level] = (lines[level] ?? 0) + 1;
    if (level !== 'info' && complaints.length < MOST_COMPLAINTS) complaints.push(line);
  });
  await untilReady(child, port);
  return {
    port,
    lines,
    complaints,
    ended: () => child.exitCode !== null || child.signalCode !== null,
    held: () => heldBy(child.pid as number),
    memory: () => memoryOf(child.pid as number),
    async stop() {
      child.kill('SIGTERM');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      process.off('exit', kill);
    },
  };
}

async function untilReady(child: ChildProcess, port: number): Promise<void> {
  while (child.exitCode === null) {
    const answer = await request(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
    await answer?.body.dump();
    if (answer?.statusCode === 200) return;
    await sleep(100);
  }
  throw new Error('The service did not start.');
}

async function heldBy(pid: number): Promise<Held> {
  const times = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? [];
  const links = (await readdir(`/proc/${pid}/fd`)).map((fd) => join(`/proc/${pid}/fd`, fd));
  return {
    rss: await memoryOf(pid),
    descriptors: links.length,
    spooled: (await Promise.all(links.map(spoolSize))).reduce((sum, size) => sum + size, 0),
    cpu: (Number(times[11]) + Number(times[12])) * 10,
  };
}

async function memoryOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1024;
}

/** A descriptor may be closed while it is looked at. */
async function spoolSize(link: string): Promise<number> {
  try {
    return /\/castellan-.*deleted/.test(await readlink(link)) ? (await stat(link)).size : 0;
  } catch {
    return 0;
  }
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, readlink, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { PRODUCTION, ROOT } from '../../harness/instance.ts';

/** What a process holds at one moment. */
export interface Held {
  /** Bytes of memory. */
  readonly rss: number;
  readonly descriptors: number;
  /** Bytes in temporary files, which have no name. */
  readonly spooled: number;
  /** Milliseconds of CPU so far. */
  readonly cpu: number;
}

/** A program of production in a process of its own; of its log no more is kept than is worth reading. */
export interface Program {
  readonly pid: number;
  /** Lines logged at each level. */
  readonly lines: Readonly<Record<string, number>>;
  /** Lines above `info`, the first ones of them. */
  readonly complaints: readonly string[];
  /** What was logged as an error, and how often. */
  readonly errors: Readonly<Record<string, number>>;
  /** What was written to standard error: warnings of Node among it. */
  readonly warnings: readonly string[];
  /** Whether the process has ended by itself. */
  readonly ended: () => boolean;
  held(): Promise<Held>;
  /** Bytes of memory alone: thousands of descriptors take time to look at. */
  memory(): Promise<number>;
  stop(): Promise<void>;
}

export interface Service extends Program {
  readonly port: number;
}

const MOST_COMPLAINTS = 200;

export function startProgram(
  [program = 'node', ...args]: readonly string[],
  env: Readonly<Record<string, string>>,
): Program {
  const child = spawn(program, args, {
    cwd: ROOT,
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const lines: Record<string, number> = {};
  const errors: Record<string, number> = {};
  const complaints: string[] = [];
  const warnings: string[] = [];
  createInterface(child.stdout).on('line', (line) => {
    const level = /^\{"level":"(\w+)"/.exec(line)?.[1] ?? 'other';
    lines[level] = (lines[level] ?? 0) + 1;
    if (level !== 'info' && complaints.length < MOST_COMPLAINTS) complaints.push(line);
    if (level !== 'error' && level !== 'fatal') return;
    const error = describe(line);
    errors[error] = (errors[error] ?? 0) + 1;
  });
  createInterface(child.stderr).on('line', (line) => {
    process.stderr.write(`${line}\n`);
    warnings.push(line);
  });
  return {
    pid: child.pid as number,
    lines,
    complaints,
    errors,
    warnings,
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

/** What a line about an error says, and why; the numbers in it do not count. */
function describe(line: string): string {
  const { msg, err, reason } = JSON.parse(line) as {
    msg: string;
    err?: { type: string; message: string };
    reason?: string;
  };
  const why = err === undefined ? reason : `${err.type}: ${err.message}`;
  return `${msg}${why === undefined ? '' : `: ${why}`}`.replace(/\d+/g, 'N');
}

/**
 * The compiled service as production runs it.
 * @param flags of Node
 */
export async function startService(
  env: Readonly<Record<string, string>>,
  port: number,
  flags: readonly string[] = [],
): Promise<Service> {
  const [program = 'node', ...args] = PRODUCTION.server;
  const own = { HOST: '127.0.0.1', PORT: String(port) };
  const service = startProgram([program, ...flags, ...args], { ...env, ...own });
  await untilReady(service, port);
  return { ...service, port };
}

async function untilReady(service: Program, port: number): Promise<void> {
  while (!service.ended()) {
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

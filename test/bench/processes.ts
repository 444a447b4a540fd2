import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import type { BareReady } from './bare.ts';
import type { ProviderReady } from './provider.ts';

export interface Running {
  readonly pid: number;
  stop(): Promise<void>;
}

export interface Server extends Running {
  readonly origin: string;
}

const ROOT = join(import.meta.dirname, '../..');
const HOST = '127.0.0.1';
const READY_WITHIN = 30_000;

/** PostgreSQL in a temporary folder; it ends with this process, however that ends. */
export async function startDatabase(): Promise<Running & { readonly url: string }> {
  const { line: url, ...running } = await startProgram('test/harness/keeper.ts', []);
  return { url, ...running };
}

export async function startBare(databaseUrl: string, apiUrl: string): Promise<Server> {
  const { line, ...running } = await startProgram('test/bench/bare.ts', [databaseUrl, apiUrl]);
  const { port } = JSON.parse(line) as BareReady;
  return { origin: `http://${HOST}:${port}`, ...running };
}

export async function startProvider(): Promise<Server & Pick<ProviderReady, 'settings'>> {
  const { line, ...running } = await startProgram('test/bench/provider.ts', []);
  const { url, settings } = JSON.parse(line) as ProviderReady;
  return { origin: url, settings, ...running };
}

/** A program of ours that prints a line when it is ready and ends when its input does. */
export async function startProgram(
  path: string,
  args: readonly string[],
): Promise<Running & { readonly line: string }> {
  const child = spawn(process.execPath, ['--import', 'tsx', join(ROOT, path), ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
    // A Ctrl-C is not for it: it would end before those that use it.
    detached: true,
  });
  const [line] = (await Promise.race([once(createInterface(child.stdout), 'line'), once(child, 'exit')])) as [
    unknown,
  ];
  if (typeof line !== 'string') throw new Error(`${path} did not start.`);
  const stop = async () => {
    child.stdin.end();
    await ended(child);
  };
  return { line, pid: child.pid as number, stop };
}

/** Compiles what production runs. */
export function build(): void {
  const { status } = spawnSync(process.execPath, ['scripts/build-when-stale.mjs'], {
    cwd: ROOT,
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error('The service did not compile.');
}

/** The compiled service on a free port; with a folder for `profile`, it leaves its CPU profile there. */
export async function startService(
  settings: NodeJS.ProcessEnv,
  profile: string | undefined,
): Promise<Server> {
  const port = await freePort();
  const profiling = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${resolve(profile)}`];
  const child = spawn(process.execPath, [...profiling, 'dist/server/main.js'], {
    cwd: ROOT,
    env: { ...settings, HOST, PORT: String(port) },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const kill = () => child.kill();
  process.once('exit', kill);
  const origin = `http://${HOST}:${port}`;
  await untilReady(child, origin);
  const stop = async () => {
    kill();
    await ended(child);
    process.off('exit', kill);
  };
  return { origin, pid: child.pid as number, stop };
}

async function untilReady(child: ChildProcess, origin: string): Promise<void> {
  for (const end = performance.now() + READY_WITHIN; performance.now() < end; await sleep(100)) {
    if (child.exitCode !== null) throw new Error('The service did not start.');
    const answer = await request(`${origin}/readyz`).catch(() => undefined);
    await answer?.body.dump();
    if (answer?.statusCode === 200) return;
  }
  child.kill();
  throw new Error(`The service was not ready within ${READY_WITHIN / 1000} s.`);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, HOST);
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

/** Milliseconds of CPU that a process has used so far, in steps of 10; undefined where there is no /proc. */
export function cpuTime({ pid }: Running): number | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return undefined;
  }
}

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { vi } from 'vitest';
import { withLock } from '../../dev/postgres/lock.ts';
import { makeClusterFolder } from './cluster-folder.ts';
import { claimPorts } from './ports.ts';

/** The checkout, in which `npm` runs and which is compiled. */
export const ROOT = resolve(import.meta.dirname, '../..');

/** The programs as a developer starts them, with stand-ins for what the settings leave out. */
export const PROGRAMS = {
  server: ['node', join(ROOT, 'dist-dev/dev/main.js')],
  token: ['node', join(ROOT, 'dist-dev/dev/token.js')],
  jobs: ['node', join(ROOT, 'dist-dev/dev/worker.js')],
  doctor: ['node', join(ROOT, 'dist-dev/dev/doctor.js')],
  openapi: ['node', join(ROOT, 'dist-dev/server/cli/openapi.js')],
} as const;

/** The programs as production starts them. */
export const PRODUCTION = {
  server: ['node', join(ROOT, 'dist/server/main.js')],
  token: ['node', join(ROOT, 'dist/server/cli/token.js')],
  jobs: ['node', join(ROOT, 'dist/server/worker.js')],
} as const;

/** Settings that a developer's environment or `.env` may hold; an empty one counts as not set. */
const UNSET = Object.fromEntries(
  [
    ...[
      'NODE_ENV',
      'HOST',
      'PORT',
      'BASE_URL',
      'DATABASE_URL',
      'DATABASE_REPLICA_URL',
      'DATA_DIR',
      'LOG_LEVEL',
      'WORKERS',
      'PROCESSES',
    ],
    ...['SSO_URL', 'SSO_CLIENT_ID', 'SSO_CLIENT_SECRET', 'EXT_API_URL', 'EXT_API_SPEC_URL'],
    ...[
      'EXT_SCOPE_PREFIX',
      'EXT_USER_AGENT',
      'EXT_COMPATIBILITY_DATE',
      'EXT_IMAGE_URL',
      'OIDC_EMAIL_DOMAIN',
      'METRICS_PORT',
      'VOICE_URL',
    ],
    ...['VOICE_AUTH_GROUP', 'VOICE_GROUPS', 'TOKEN_SIGNING_KEYS', 'ENCRYPTION_KEYS', 'FORCE_KEY_REMOVAL'],
    ...['TRUSTED_PROXIES', 'CORS_ORIGINS', 'CALLBACK_ALLOW_PRIVATE', 'METRICS_HOST'],
    ...['FORCE_GRANT_LOSS', 'LOG_FORMAT', 'DRAIN_SECONDS', 'JOB_SCHEDULES', 'JOB_TIME_ZONE', 'COMMIT'],
    'CONSOLE',
  ].map((name) => [name, '']),
);

type Env = Readonly<Record<string, string>>;

/** A running service with its own DATA_DIR, ports and processes. */
export interface Instance {
  readonly dataDir: string;
  /** Port of the service; the simulated provider and the demo application use the next two. */
  readonly port: number;
  readonly url: string;
  /** Starts a program in a process group of its own, like a command in a terminal. */
  start(command: readonly string[], env?: Env): Running;
  /** Runs a program to its end. */
  run(command: readonly string[], env?: Env): Promise<Finished>;
  /** Starts the service and waits until it is ready. */
  serve(env?: Env, command?: readonly string[]): Promise<Running & { readonly token: string }>;
  /** Process ids of the embedded PostgreSQL, postmaster first; empty when it is not running. */
  database(): Promise<number[]>;
  /** Kills all remaining processes and removes the folder. */
  remove(): Promise<void>;
}

export interface Finished {
  /** Exit code; null after a signal. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly pid: number;
  readonly output: { readonly stdout: string; readonly stderr: string };
  readonly ended: Promise<Finished>;
  /** Waits for a match on standard output; fails with the whole output when the process ends before. */
  printed(pattern: RegExp): Promise<RegExpMatchArray>;
  signal(signal: NodeJS.Signals): void;
  /** Closes the pipe of its standard output, as `head` does after its last line. */
  hangUp(): void;
  /** Stops reading its standard output without closing the pipe. */
  stall(): void;
  /** Sends a signal to every process of the group, as a terminal does at Ctrl-C. */
  signalGroup(signal: NodeJS.Signals): void;
}

let built: Promise<void> | undefined;

/** Compiles the service once for all test files, which wait for each other. */
export function build(): Promise<void> {
  built ??= compile();
  return built;
}

function compile(): Promise<void> {
  return withLock(join(ROOT, 'node_modules/.castellan-build.lock'), 60_000, async () => {
    const { status, stderr } = spawnSync('node', ['scripts/build-when-stale.mjs'], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`The service does not compile: ${stderr}`);
  });
}

export async function createInstance(): Promise<Instance> {
  const dataDir = await makeClusterFolder('castellan-instance-');
  const ports = await claimPorts();
  const port = ports.first;
  const started: Running[] = [];

  const instance: Instance = {
    dataDir,
    port,
    url: `http://127.0.0.1:${port}`,
    start(command, env = {}) {
      const own = { DATA_DIR: dataDir, PORT: String(port), RATE_LIMIT: '0', ...env };
      const running = start(command, { ...process.env, ...UNSET, ...own });
      started.push(running);
      return running;
    },
    run: (command, env) => instance.start(command, env).ended,
    async serve(env, command = PROGRAMS.server) {
      const running = instance.start(command, env);
      await running.printed(/Ctrl-C stops everything/);
      return { ...running, token: /^eyJ\S+$/m.exec(running.output.stdout)?.[0] ?? '' };
    },
    async database() {
      const file = await readFile(join(dataDir, 'postgresql/data/postmaster.pid'), 'utf8').catch(() => '');
      return familyOf(Number.parseInt(file, 10));
    },
    async remove() {
      for (const { signalGroup } of started) signalGroup('SIGKILL');
      await Promise.all(started.map(({ ended }) => ended));
      const pids = await instance.database();
      // PostgreSQL's immediate shutdown, which ends all of its processes.
      if (pids[0] !== undefined) process.kill(pids[0], 'SIGQUIT');
      await allGone(pids);
      await rm(dataDir, { recursive: true, force: true });
      await ports.release();
    },
  };
  return instance;
}

/** Running process groups. */
const groups = new Set<number>();
// Processes that a test leaves behind must end with the run.
process.once('exit', () => {
  for (const pid of groups) send(-pid, 'SIGKILL');
});

/** Sends a signal to a process that may have ended already. */
function send(target: number, signal: NodeJS.Signals): void {
  try {
    process.kill(target, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function start([program = '', ...args]: readonly string[], env: NodeJS.ProcessEnv): Running {
  const child = spawn(program, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const pid = child.pid ?? 0;
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text;
  });
  const ended = once(child, 'close').then(([code]): Finished => ({ code: code as number | null, ...output }));
  groups.add(pid);
  void ended.then(() => groups.delete(pid));
  return {
    pid,
    output,
    ended,
    async printed(pattern) {
      for (;;) {
        const match = pattern.exec(output.stdout);
        if (match) return match;
        if (!child.stdout.readable)
          throw new Error(`It ended without ${pattern}:\n${output.stdout}${output.stderr}`);
        const heard = new AbortController();
        const { signal } = heard;
        await Promise.race([once(child.stdout, 'data', { signal }), once(child.stdout, 'close', { signal })]);
        heard.abort();
      }
    },
    signal: (signal) => send(pid, signal),
    hangUp: () => void child.stdout.destroy(),
    stall: () => void child.stdout.pause(),
    signalGroup: (signal) => send(-pid, signal),
  };
}

/** Waits until none of these processes is left. */
async function allGone(pids: readonly number[]): Promise<void> {
  await vi.waitFor(
    () => {
      const left = alive(pids);
      if (left.length > 0) throw new Error(`still running: ${left.join(', ')}`);
    },
    { timeout: 60_000, interval: 50 },
  );
}

/** Those of the processes that are still running. */
export function alive(pids: readonly number[]): number[] {
  return processes()
    .map(({ pid }) => pid)
    .filter((pid) => pids.includes(pid));
}

/** The process with all its descendants; empty when it is not running. */
export function familyOf(pid: number): number[] {
  const all = processes();
  const below = (parent: number): number[] =>
    all.filter(({ ppid }) => ppid === parent).flatMap((child) => [child.pid, ...below(child.pid)]);
  return all.some((each) => each.pid === pid) ? [pid, ...below(pid)] : [];
}

/** Every process of the machine except zombies. */
function processes(): { readonly pid: number; readonly ppid: number }[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid=,stat='], { encoding: 'utf8' });
  return stdout
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , state]) => !state?.startsWith('Z'))
    .map(([pid, ppid]) => ({ pid: Number(pid), ppid: Number(ppid) }));
}

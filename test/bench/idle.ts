/**
 * What a service costs that nobody uses: the CPU of a server, a worker and their PostgreSQL, all jobs on their usual
 * schedules, with nobody registered.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { build, type Running, startDatabase, startProvider, startService } from './processes.ts';
import { productionSettings } from './service.ts';

/** Seconds in which whatever a start does comes to its end; V8 gives back the memory that it took after some 80. */
const SETTLE = 120;

/** Starts what it needs, watches it for so many seconds and returns the report. */
export async function benchIdle(seconds: number): Promise<string> {
  const closers: (() => Promise<void>)[] = [];
  try {
    const database = await startDatabase();
    closers.push(database.stop);
    const provider = await startProvider();
    closers.push(provider.stop);
    const env = { ...process.env, ...(await productionSettings(database.url, provider.settings)) };
    build();
    const service = await startService(env, undefined);
    closers.push(service.stop);
    const worker = startWorker(env);
    closers.push(worker.stop);
    const postmaster = await postmasterOf(database.url);
    await sleep(SETTLE * 1000);
    const used = () => [ticksOf(service.pid), ticksOf(worker.pid), ticksOfFamily(postmaster)];
    const before = used();
    const began = performance.now();
    await sleep(seconds * 1000);
    const passed = (performance.now() - began) / 1000;
    const after = used();
    // A tick is a hundredth of a second.
    const shares = after.map((ticks, n) => (ticks - (before[n] ?? 0)) / passed);
    const all = shares.reduce((sum, share) => sum + share, 0);
    return ['server', 'worker', 'PostgreSQL', 'together']
      .map((name, n) => `${name.padEnd(12)}${(shares[n] ?? all).toFixed(2).padStart(6)} % of a core\n`)
      .join('');
  } finally {
    for (const close of closers.reverse()) await close();
  }
}

function startWorker(env: NodeJS.ProcessEnv): Running {
  const child = spawn(process.execPath, ['dist/server/worker.js'], {
    cwd: join(import.meta.dirname, '../..'),
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const kill = () => child.kill();
  process.once('exit', kill);
  return {
    pid: child.pid as number,
    async stop() {
      process.off('exit', kill);
      kill();
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}

async function postmasterOf(databaseUrl: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const parent = fieldsOf(rows[0]?.pid ?? 0)[1];
  await client.end();
  return Number(parent);
}

/** What the kernel says about a process: state, parent, and so on. */
function fieldsOf(pid: number): string[] {
  return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
}

function ticksOf(pid: number): number {
  const fields = fieldsOf(pid);
  return Number(fields[11]) + Number(fields[12]);
}

/** Of a process, its children, and those of them that have ended. */
function ticksOfFamily(pid: number): number {
  const fields = fieldsOf(pid);
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        return fieldsOf(Number(name))[1] === String(pid) ? [ticksOf(Number(name))] : [];
      } catch {
        // It has ended meanwhile.
        return [];
      }
    });
  return [ticksOf(pid), Number(fields[13]), Number(fields[14]), ...children].reduce(
    (sum, ticks) => sum + ticks,
  );
}

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import pino from 'pino';
import { request } from 'undici';
import { startEmbedded } from '../../../dev/postgres/embedded.ts';
import { build, createInstance, PRODUCTION, type Running } from '../../harness/instance.ts';
import { productionEnv } from '../../harness/production.ts';
import { postgresProcesses } from './postgres.ts';
import { startProxy } from './proxy.ts';

interface Api {
  readonly url: string;
  /** Bytes of memory that it holds. */
  memory(): number;
  /** Ends the process, and returns the milliseconds until it was gone and its exit code. */
  end(signal: NodeJS.Signals): Promise<{ readonly code: number | null; readonly took: number }>;
  /** Starts it again, and returns the milliseconds until it was ready. */
  begin(): Promise<number>;
}

export interface Fleet {
  /** HAProxy's. */
  readonly url: string;
  readonly token: string;
  readonly databaseUrl: string;
  /** Where PostgreSQL has its data, and whatever else is written. */
  readonly folder: string;
  readonly apis: readonly [Api, Api];
  /** What HAProxy logged. */
  readonly proxyLog: readonly string[];
  /** Waits until the proxy sends requests to both. */
  untilWhole(): Promise<void>;
  /** PostgreSQL's processes, the postmaster first. */
  postgres(): Promise<number[]>;
  stop(): Promise<void>;
}

/** Two API processes as production runs them behind HAProxy, on a PostgreSQL that keeps what it acknowledged. */
export async function startFleet(
  drainSeconds: number,
  { onSmallDisk = false }: { readonly onSmallDisk?: boolean } = {},
): Promise<Fleet> {
  await build();
  const instance = await createInstance();
  if (onSmallDisk) mount('-t', 'tmpfs', '-o', `size=${SMALL_DISK},mode=0711`, 'none', instance.dataDir);
  const log = pino({ level: 'silent' });
  const database = await startEmbedded({ dataDir: instance.dataDir, log });
  const env = {
    ...(await productionEnv()),
    DATABASE_URL: database.url,
    LOG_LEVEL: 'error',
    DRAIN_SECONDS: String(drainSeconds),
  };
  const ports = [instance.port, instance.port + 1] as const;
  const url = `http://127.0.0.1:${instance.port + 2}`;
  const proxy = await startProxy(instance.dataDir, instance.port + 2, ports);

  function createApi(port: number): Api {
    let running: Running | undefined;
    const address = `http://127.0.0.1:${port}`;
    return {
      url: address,
      memory() {
        const status = readFileSync(`/proc/${running?.pid}/status`, 'utf8');
        return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
      },
      async begin() {
        const began = performance.now();
        running = instance.start(PRODUCTION.server, { ...env, PORT: String(port) });
        let ended = false;
        void running.ended.then(() => {
          ended = true;
        });
        while (!(await isReady(address))) {
          if (ended) throw new Error(`The API did not start: ${running.output.stderr}`);
          await sleep(20);
        }
        return performance.now() - began;
      },
      async end(signal) {
        if (running === undefined) throw new Error('it does not run');
        const began = performance.now();
        running.signal(signal);
        const { code } = await running.ended;
        return { code, took: performance.now() - began };
      },
    };
  }

  const apis = [createApi(ports[0]), createApi(ports[1])] as const;
  for (const api of apis) await api.begin();
  const { stdout } = await instance.run(PRODUCTION.token, env);
  return {
    url,
    token: stdout.trim().split('\n').at(-1) ?? '',
    databaseUrl: database.url,
    folder: instance.dataDir,
    apis,
    proxyLog: proxy.log,
    untilWhole: () => proxy.untilUp(apis.length),
    postgres: () => postgresProcesses(database.url),
    async stop() {
      await Promise.all(apis.map((api) => api.end('SIGTERM')));
      await proxy.stop();
      await database.stop();
      if (onSmallDisk) spawnSync('umount', ['-l', instance.dataDir]);
      await instance.remove();
    },
  };
}

/** Room for PostgreSQL and little more. */
const SMALL_DISK = '300m';

function mount(...args: string[]): void {
  const { status, stderr } = spawnSync('mount', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`A small disk needs root: ${stderr}`);
}

async function isReady(url: string): Promise<boolean> {
  const answer = await request(`${url}/readyz`).catch(() => undefined);
  await answer?.body.dump();
  return answer?.statusCode === 200;
}

import { spawnSync } from 'node:child_process';
import pino from 'pino';
import { startEmbedded } from '../../../dev/postgres/embedded.ts';
import { build, createInstance, PRODUCTION } from '../../harness/instance.ts';
import { productionEnv } from '../../harness/production.ts';
import { type Api, createApi } from './api.ts';
import { postgresProcesses } from './postgres.ts';
import { startProxy } from './proxy.ts';

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

  const apis = [createApi(instance, env, ports[0]), createApi(instance, env, ports[1])] as const;
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

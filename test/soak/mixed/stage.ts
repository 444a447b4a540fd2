import pg from 'pg';
import pino from 'pino';
import { startEmbedded } from '../../../dev/postgres/embedded.ts';
import { createCastellan } from '../../../sdk/src/index.ts';
import { scheduledJobs } from '../../../server/queue/job-catalogue.ts';
import { BASE_URL, newKeys, RSA_KEY } from '../../harness/app.ts';
import { build, createInstance, type Instance, PRODUCTION } from '../../harness/instance.ts';
import { productionEnv } from '../../harness/production.ts';
import { postgresProcesses } from '../fleet/postgres.ts';
import { type Program, startProgram, startService } from '../hostile/service.ts';
import { inspect } from '../inspector.ts';
import { gather } from './crowd.ts';
import { type OutsideWorld, startOutside } from './outside.ts';
import type { Scene } from './scene.ts';
import { APPLICATIONS, cpuOf, type Name, type Watched } from './watch.ts';

const CLIENT = { clientId: 'castellan-soak', clientSecret: 'of no worth' };
/** Every job once in five minutes, one after the other. */
const SCHEDULES = scheduledJobs.map((job, n) => `${job}=${n % 5}-59/5 * * * *`).join(';');

export interface Stage {
  readonly scene: Scene;
  readonly databaseUrl: string;
  readonly watched: Watched;
  /** Milliseconds of CPU so far, by who used them. */
  cpu(): Promise<Readonly<Record<string, number>>>;
  /** Time passes in the game. */
  live(): void;
  stop(): Promise<void>;
}

/** API and worker as production runs them, PostgreSQL and the world outside: a process each. */
export async function setStage(seed: number): Promise<Stage> {
  await build();
  const instance = await createInstance();
  const log = pino({ level: 'silent' });
  const embedded = await startEmbedded({ dataDir: instance.dataDir, log });
  const outside = await startOutside(CLIENT);
  const { port } = instance;
  const ports = { inspectors: { api: port + 1, worker: port + 2 }, metrics: port + 3 };
  const env = await environment(outside);
  const own = (name: Name) => ({ ...env, DATABASE_URL: addressFor(embedded.url, name) });
  const flags = (name: Name) => [
    `--inspect=127.0.0.1:${ports.inspectors[name]}`,
    '--inspect-publish-uid=http',
    // The optimising compiler's code is on the heap and grows for hours, a MiB in twenty minutes on a slow machine, with
    // no object more that is kept.
    '--no-opt',
  ];

  const metrics = { METRICS_PORT: String(ports.metrics) };
  const api = await startService({ ...own('api'), ...metrics, WORKERS: 'none' }, port, flags('api'));
  const rootToken = await tokenOf(instance, own('api'));
  const group = await voiceGroup(instance.url, rootToken);
  const [node = 'node', ...program] = PRODUCTION.jobs;
  const worker = startProgram([node, ...flags('worker'), ...program], {
    ...own('worker'),
    VOICE_GROUPS: group,
  });
  const { scene, movers } = await gather({ url: instance.url, rootToken }, outside, seed);

  const database = new pg.Client({ connectionString: embedded.url, application_name: 'soak watch' });
  await database.connect();
  const inspectors = {
    api: await inspect(ports.inspectors.api),
    worker: await inspect(ports.inspectors.worker),
  };
  const programs: Record<Name, Program> = { api, worker };
  const [postmaster = 0] = await postgresProcesses(embedded.url);
  return {
    scene,
    databaseUrl: embedded.url,
    watched: { programs, inspectors, database, metricsUrl: `http://127.0.0.1:${ports.metrics}/metrics` },
    async cpu() {
      const { user, system } = process.cpuUsage();
      const postgres = await postgresProcesses(embedded.url);
      return {
        api: await cpuOf([api.pid]),
        worker: await cpuOf([worker.pid]),
        postgres: await cpuOf([postmaster, ...postgres.filter((pid) => pid !== postmaster)]),
        outside: await cpuOf([outside.pid]),
        callers: (user + system) / 1_000,
      };
    },
    live: () => outside.live(movers),
    async stop() {
      for (const inspector of Object.values(inspectors)) await inspector.close();
      await database.end();
      await Promise.all([api.stop(), worker.stop()]);
      outside.stop();
      await embedded.stop();
      await instance.remove();
    },
  };
}

/** Everything as production has it by default, but for the schedules. */
async function environment(outside: OutsideWorld): Promise<Record<string, string>> {
  return {
    ...(await productionEnv()),
    BASE_URL,
    ...(await newKeys(RSA_KEY)),
    ...{ SSO_URL: outside.ssoUrl, SSO_CLIENT_ID: CLIENT.clientId, SSO_CLIENT_SECRET: CLIENT.clientSecret },
    ...{ EXT_API_URL: outside.apiUrl, EXT_API_SPEC_URL: outside.specUrl, VOICE_URL: outside.voiceUrl },
    CALLBACK_ALLOW_PRIVATE: 'true',
    JOB_SCHEDULES: SCHEDULES,
  };
}

function addressFor(databaseUrl: string, name: Name): string {
  const more = `application_name=${encodeURIComponent(APPLICATIONS[name])}`;
  return `${databaseUrl}${databaseUrl.includes('?') ? '&' : '?'}${more}`;
}

async function tokenOf(instance: Instance, env: Record<string, string>): Promise<string> {
  const { stdout, stderr } = await instance.run(PRODUCTION.token, env);
  const token = stdout.trim().split('\n').at(-1);
  if (token === undefined || token === '') throw new Error(`There is no token: ${stderr}`);
  return token;
}

/** A group that the jobs keep on the voice server, too. */
async function voiceGroup(url: string, token: string): Promise<string> {
  const { group } = createCastellan({ baseUrl: url, token });
  return (await group.create({ body: { group_name: 'On voice' } })).group_id;
}

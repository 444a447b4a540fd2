import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { alive, build, createInstance, type Instance, PRODUCTION } from '../harness/instance.ts';
import { productionEnv } from '../harness/production.ts';
import { type Api, createApi } from './fleet/api.ts';
import { spread, tell } from './fleet/figures.ts';
import { describeFailures, type Load, startLoad } from './fleet/load.ts';
import { lost } from './fleet/lost.ts';
import { type Pair, query, startPair } from './fleet/pair.ts';

/** Each time the other server becomes the primary, and the killed one its replica. */
const FAILOVERS = Number(process.env['SOAK_FAILOVERS'] ?? 3);
/** Callers of each API. */
const CALLERS = 4;
/** Groups that each API makes before. */
const WRITTEN = 100;
/** Milliseconds from the primary's death until each API writes again; whoever promotes the replica does so at once. */
const WRITES_WITHIN = 20_000;
/** Milliseconds for which the replica hears nothing before: what is acknowledged meanwhile would be lost. */
const PARTED = 500;
/** Milliseconds until lists are read from a replica again that has come up. */
const FOUND_WITHIN = 15_000;
const PROMPT = { interval: 20, timeout: 60_000 };

let instance: Instance;
let pair: Pair;
let apis: readonly [Api, Api];
let processes: number[];
let token: string;

beforeAll(async () => {
  await build();
  instance = await createInstance();
  const { port, dataDir } = instance;
  pair = await startPair(dataDir, [port + 2, port + 3]);
  const env = {
    ...(await productionEnv()),
    DATABASE_URL: pair.url,
    DATABASE_REPLICA_URL: pair.replicaUrl,
    LOG_LEVEL: 'error',
    WORKERS: 'none',
  };
  apis = [createApi(instance, env, port), createApi(instance, env, port + 1)];
  for (const api of apis) await api.begin();
  const worker = instance.start(PRODUCTION.jobs, env);
  processes = [...apis.map(({ pid }) => pid), worker.pid];
  const { stdout } = await instance.run(PRODUCTION.token, env);
  token = stdout.trim().split('\n').at(-1) ?? '';
  await runJob(apis[0]);
  await untilReplicaIsRead();
}, 10 * 60_000);
afterAll(async () => {
  await Promise.all((apis ?? []).map((api) => api.end('SIGTERM')));
  try {
    await pair?.stop();
  } finally {
    await instance?.remove();
  }
});

async function ask<T>(api: Api, path: string, method: 'GET' | 'POST' = 'GET'): Promise<T> {
  const { statusCode, body } = await request(`${api.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}` },
  });
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`${path}: ${statusCode} ${text}`);
  return JSON.parse(text) as T;
}

/** Has a job run, and waits for its end; returns the milliseconds that this took. */
async function runJob(api: Api): Promise<number> {
  const began = performance.now();
  const { run_id } = await ask<{ run_id: string }>(api, '/system/job/end-sessions', 'POST');
  await vi.waitUntil(async () => {
    const [job] = await query(pair.servers().primary, 'select state from pgboss.job where id = $1', [run_id]);
    return job?.state === 'completed';
  }, PROMPT);
  return performance.now() - began;
}

/** Waits until every API reads lists from the replica; returns the milliseconds that this took. */
async function untilReplicaIsRead(): Promise<number> {
  const began = performance.now();
  await vi.waitUntil(
    async () => {
      for (const api of apis) await ask(api, '/group');
      const { primary, replica } = pair.servers();
      return (await readersOf(primary)) === 0 && (await readersOf(replica)) >= apis.length;
    },
    { timeout: FOUND_WITHIN },
  );
  return performance.now() - began;
}

/** Connections of the service at a server that only lists are read by. */
async function readersOf(server: string): Promise<number> {
  const readers = `select from pg_stat_activity where application_name = 'castellan reads'`;
  return (await query(server, readers)).length;
}

/** Asks for a list all the while; how often there was which outcome. */
function listUntilEnded(api: Api) {
  const outcomes: Record<string, number> = {};
  let going = true;
  const listing = (async () => {
    while (going) {
      const outcome = await ask(api, '/group').then(
        () => '200',
        (error: Error) => error.message.slice(0, 11),
      );
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      await sleep(50);
    }
  })();
  return async () => {
    going = false;
    await listing;
    return outcomes;
  };
}

/** Waits for a number of acknowledged writes more. */
async function untilWritten({ seen: { created } }: Load, more: number): Promise<void> {
  const before = created.length;
  await vi.waitUntil(() => created.length >= before + more, PROMPT);
}

it(
  `${FAILOVERS} times kill -9 of the primary: its synchronous replica takes over, nothing is restarted or lost`,
  async () => {
    const figures: Record<'promoted' | 'writes' | 'jobs' | 'replica', number[]> = {
      promoted: [],
      writes: [],
      jobs: [],
      replica: [],
    };
    for (let n = 0; n < FAILOVERS; n += 1) {
      const loads = apis.map(({ url }, which) => startLoad(url, token, CALLERS, `failover ${n} ${which}`));
      const endListing = listUntilEnded(apis[0]);
      await Promise.all(loads.map((load) => untilWritten(load, WRITTEN)));
      expect(await pair.isSynchronous()).toBe(true);
      // As when a machine dies: its network first.
      pair.part();
      await sleep(PARTED);
      const killed = performance.now();
      await pair.kill();
      const writing = loads.map(async (load) => {
        await untilWritten(load, 1);
        figures.writes.push(performance.now() - killed);
      });
      await pair.promote();
      figures.promoted.push(performance.now() - killed);
      await Promise.all(writing);
      figures.jobs.push(await runJob(apis[1]));
      await Promise.all(loads.map((load) => load.stop()));
      const listed = await endListing();

      const seen = loads.map((load) => load.seen);
      const failures = seen.flatMap((each) => each.failures);
      const created = seen.flatMap((each) => each.created);
      const requests = seen.reduce((sum, each) => sum + each.requests, 0);
      tell(`failover ${n}: ${requests} requests, ${failures.length} failed, ${created.length} groups made`);
      tell(`  lists: ${JSON.stringify(listed)}`);
      const others = failures.filter(({ outcome }) => !outcome.startsWith('503 '));
      for (const line of describeFailures(others)) tell(`  ${line}`);
      expect(others).toEqual([]);
      expect(Object.keys(listed).filter((outcome) => !['200', '/group: 503'].includes(outcome))).toEqual([]);
      expect(await lost(pair.servers().primary, created)).toEqual([]);
      expect(alive(processes).length).toBe(processes.length);
      await pair.rebuild();
      figures.replica.push(await untilReplicaIsRead());
    }
    tell(`promoted ${spread(figures.promoted)} after the death; writes after ${spread(figures.writes)}`);
    tell(`a job took ${spread(figures.jobs)}; the new replica was read after ${spread(figures.replica)}`);
    expect(Math.max(...figures.writes)).toBeLessThan(WRITES_WITHIN);
  },
  FAILOVERS * 5 * 60_000,
);

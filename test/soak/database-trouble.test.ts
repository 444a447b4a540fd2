import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { spread, tell } from './fleet/figures.ts';
import { type Fleet, startFleet } from './fleet/fleet.ts';

/** Seconds for which the trouble lasts. */
const SECONDS = Number(process.env['SOAK_TROUBLE'] ?? 30);
/** Milliseconds within which whoever asks in trouble has an answer, and those who were waiting when it began. */
const WITHIN = 2_000;
const WAITING_WITHIN = 5_000;
const MIB = 1024 * 1024;

interface Answered {
  readonly status: number;
  readonly retryAfter: unknown;
  readonly took: number;
}

/** Bytes that the process may hold more after a trouble than before all. */
const MORE_MEMORY = 64 * MIB;
/** Requests after which a process holds what it needs. */
const WARM = 500;

let fleet: Fleet;
let memory: number;
beforeAll(async () => {
  fleet = await startFleet(0, { onSmallDisk: true });
  for (let n = 0; n < WARM; n += 1) await ask('/token');
  memory = fleet.apis[0].memory();
}, 10 * 60_000);
afterAll(() => fleet?.stop());

async function ask(path: string, body?: object): Promise<Answered> {
  const began = performance.now();
  const answer = await request(`${fleet.apis[0].url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${fleet.token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  await answer.body.dump();
  const retryAfter = answer.headers['retry-after'];
  return { status: answer.statusCode, retryAfter, took: performance.now() - began };
}

const create = () => ask('/group', { group_name: `Group ${Math.random()}`, description: 'x'.repeat(4_000) });

/** Asks all the while, and looks whether the process is up. */
async function endure(
  what: string,
  work: () => Promise<Answered>,
): Promise<{ answers: Answered[]; health: number[] }> {
  const answers: Answered[] = [];
  const health: number[] = [];
  for (const end = performance.now() + SECONDS * 1000; performance.now() < end; await sleep(50)) {
    const [answer, healthz] = await Promise.all([work(), ask('/healthz')]);
    expect(healthz.status).toBe(200);
    answers.push(answer);
    health.push(healthz.took);
  }
  tell(
    `${what}: ${answers.length} asked, ${spread(answers.map(({ took }) => took))}; healthz ${spread(health)}`,
  );
  return { answers, health };
}

function expectRefusals(answers: readonly Answered[], within = WITHIN): void {
  for (const answer of answers) {
    expect(answer).toMatchObject({ status: 503, retryAfter: '5' });
    expect(answer.took).toBeLessThan(within);
  }
}

async function expectRecovery(what: string, work: () => Promise<Answered>): Promise<void> {
  const began = performance.now();
  await expect.poll(async () => (await work()).status, { timeout: 60_000 }).toBeLessThan(300);
  const more = fleet.apis[0].memory() - memory;
  tell(
    `${what}: as before after ${Math.round(performance.now() - began)} ms, without a restart; ${Math.round(memory / MIB)} MiB, and ${Math.round(more / MIB)} MiB more`,
  );
  expect(more).toBeLessThan(MORE_MEMORY);
}

describe(`D8: ${SECONDS} s of trouble with PostgreSQL`, () => {
  it('frozen', async () => {
    const processes = await fleet.postgres();
    const signal = (name: NodeJS.Signals) => {
      for (const pid of processes) process.kill(pid, name);
    };
    expect((await ask('/token')).status).toBe(200);
    const more = await fleet.postgres();
    processes.push(...more.filter((pid) => !processes.includes(pid)));
    signal('SIGSTOP');
    try {
      expectRefusals(await Promise.all(Array.from({ length: 10 }, () => ask('/token'))), WAITING_WITHIN);
      expectRefusals((await endure('frozen', () => ask('/token'))).answers);
    } finally {
      signal('SIGCONT');
    }
    await expectRecovery('frozen', () => ask('/token'));
  });

  it('its connections are exhausted', async () => {
    const others: pg.Client[] = [];
    const own = new pg.Client({ connectionString: fleet.databaseUrl });
    await own.connect();
    const takeAll = async () => {
      for (;;) {
        const client = new pg.Client({ connectionString: fleet.databaseUrl });
        client.on('error', () => undefined);
        try {
          await client.connect();
        } catch {
          return;
        }
        others.push(client);
      }
    };
    try {
      // Those that the service has are ended until none of them comes back.
      for (let ended = 1; ended > 0; ) {
        await takeAll();
        const { rows } = await own.query(
          "select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'castellan%' and application_name <> 'castellan presence'",
        );
        ended = rows.length;
      }
      await takeAll();
      expectRefusals((await endure('exhausted', () => ask('/token'))).answers);
    } finally {
      await Promise.all(others.map((client) => client.end().catch(() => undefined)));
      await own.end();
    }
    await expectRecovery('exhausted', () => ask('/token'));
  });

  it('its disk is full', async () => {
    const filling = join(fleet.folder, 'filling');
    const { bavail, bsize } = await statfs(fleet.folder);
    const file = openSync(filling, 'w');
    spawnSync('head', ['-c', String(bavail * bsize + MIB), '/dev/zero'], {
      stdio: ['ignore', file, 'ignore'],
    });
    closeSync(file);
    try {
      const { answers } = await endure('disk full', create);
      // What still fits is written.
      const refused = answers.filter(({ status }) => status !== 201);
      expect(refused.length).toBeGreaterThan(0);
      expectRefusals(refused);
    } finally {
      await rm(filling);
    }
    await expectRecovery('disk full', create);
  });
});

import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Event } from '../../contract/event.ts';
import { type SimulatedProvider, startSimulatedProvider } from '../../dev/provider/provider.ts';
import { createClient, ok } from '../../sdk/src/index.ts';
import { verifyEvents } from '../../server/event/verify.ts';
import { scheduledJobs } from '../../server/queue/job-catalogue.ts';
import { syncUsers } from '../../server/registry/sync-users.ts';
import { allEvents, misfits } from '../fixtures/events.ts';
import { populate } from '../fixtures/population.ts';
import { BASE_URL, newKeys, RSA_KEY, startTestApp } from '../harness/app.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { farOff } from '../harness/far-off.ts';
import { build, createInstance, type Instance, PROGRAMS } from '../harness/instance.ts';
import { follow, headOf, type Known, present } from '../harness/replay.ts';
import { testRun } from '../harness/run.ts';
import { progressOf } from './progress.ts';

/** How often the service is killed. */
const KILLS = Number(process.env['SOAK_KILLS'] ?? 100);
/** Milliseconds that it lives at the most, once it serves. */
const LIFE = 1_500;
/** Callers that change something one change after another, each a group of its own. */
const CALLERS = 6;
/** Characters that move before each run of the sync. */
const MOVES = 8;
const TIME_LIMIT = KILLS * 60_000;
const CLIENT = { clientId: 'castellan-soak', clientSecret: 'of no worth' };

/** What a caller was told, of its groups in order. */
interface Told {
  readonly id: string;
  /** The last number that an answer said is stored, and the last one that was asked for. */
  stored: number;
  asked: number;
}

describe(`${KILLS} kills of the service in the middle of changes by operations and jobs`, () => {
  let instance: Instance;
  let database: TestDatabase;
  let provider: SimulatedProvider;
  let env: Record<string, string>;
  let token: string;
  let before: { readonly known: Known; readonly head: number };
  beforeAll(async () => {
    await build();
    database = await createTestDatabase();
    instance = await createInstance();
    provider = await startSimulatedProvider({ ...CLIENT, alliances: 3, corporations: 12, characters: 240 });
    env = {
      BASE_URL,
      ...(await newKeys(RSA_KEY)),
      ...{ SSO_URL: provider.ssoUrl, SSO_CLIENT_ID: CLIENT.clientId, SSO_CLIENT_SECRET: CLIENT.clientSecret },
      ...{ EXT_API_URL: provider.apiUrl, EXT_API_SPEC_URL: provider.specUrl },
      // Only what the test asks for is run.
      JOB_SCHEDULES: scheduledJobs.map((job) => `${job}=${farOff()}`).join(';'),
    };
    before = await beside(async (app) => {
      const coalition_id = await populate({ ...app, provider });
      await syncUsers(app.app.services, testRun('sync-users', { force: true }));
      // What was put into the tables by hand gets its autogroup by its first change.
      const alliances = [provider.world.alliances[0]?.id ?? 0];
      const { coalition } = app.client(app.root);
      for (const change of ['remove_member_alliances', 'add_member_alliances']) {
        await ok(coalition.update({ params: { coalition_id }, body: { [change]: alliances } }));
      }
      token = app.root;
      return { known: await present(app), head: await headOf(app) };
    });
  });
  afterAll(async () => {
    await instance?.remove();
    await provider?.stop();
    await database?.drop();
  });

  /** Does some work with a service of the test's own on the database that the killed ones use. */
  async function beside<T>(work: (app: Awaited<ReturnType<typeof startTestApp>>) => Promise<T>): Promise<T> {
    const app = await startTestApp({ databaseBy: async () => database.url, env });
    try {
      return await work(app);
    } finally {
      await app.stop();
    }
  }

  const told: Told[] = [];
  let runs = 0;
  async function serve() {
    const running = instance.start(PROGRAMS.server, {
      ...env,
      DATABASE_URL: database.url,
      WORKERS: 'embedded',
    });
    const ready = async () => expect((await fetch(`${instance.url}/readyz`)).status).toBe(200);
    await vi.waitFor(ready, { timeout: 60_000, interval: 20 });
    return running;
  }

  /** Makes a group and counts in its description, until the service is gone. */
  async function count(name: string): Promise<void> {
    const { group } = createClient({ baseUrl: instance.url, token, retries: 0 });
    try {
      const made = await group.create({ body: { group_name: name } });
      if (made.status !== 201) throw new Error(`${made.status}`);
      const mine: Told = { id: made.body.group_id, stored: 0, asked: 0 };
      told.push(mine);
      for (;;) {
        mine.asked += 1;
        const params = { group_id: mine.id };
        const { status } = await group.update({ params, body: { description: String(mine.asked) } });
        if (status !== 200) throw new Error(`${status}`);
        mine.stored = mine.asked;
      }
    } catch {
      // It was killed, and what was asked last may be stored or not.
    }
  }

  /** Lets characters move, and the sync find that, until the service is gone. */
  async function sync(): Promise<void> {
    const { system } = createClient({ baseUrl: instance.url, token, retries: 0 });
    try {
      for (;;) {
        move();
        await sql`delete from provider_cache`.execute(database.db);
        await ok(system.runJob({ params: { job_id: 'sync-users' }, query: { force: true } }));
        runs += 1;
        await pause(100);
      }
    } catch {
      // It was killed.
    }
  }

  function move(): void {
    const { world } = provider;
    const players = world.corporations.filter(({ npc, closed }) => !npc && !closed);
    const any = <T>(of: readonly T[]) => of[Math.floor(Math.random() * of.length)] as T;
    for (let n = 0; n < MOVES; n += 1) {
      const ids = world.membersOf(any(players).id).filter((id) => !world.character(id)?.isCeo);
      if (ids.length > 0) world.moveCharacter(any(ids), any(players).id);
    }
  }

  /** What ran when it was killed is over, as it would be at the end of its time limit. */
  const endRuns = () =>
    sql`update pgboss.job set state = 'failed', completed_on = now() where state = 'active'`;

  it(
    'lose no event and invent none; the order, the positions and the chain are whole',
    async () => {
      const tell = progressOf('kills', KILLS);
      for (let kill = 0; kill < KILLS; kill += 1) {
        const service = await serve();
        const work = Array.from({ length: CALLERS }, (_, n) => count(`Group ${kill} ${n}`));
        work.push(sync());
        await pause(Math.random() * LIFE);
        service.signal('SIGKILL');
        await Promise.all([service.ended, ...work]);
        await endRuns().execute(database.db);
        tell(kill + 1);
      }
      const last = await serve();
      const { system } = createClient({ baseUrl: instance.url, token });
      const run = await ok(system.runJob({ params: { job_id: 'sync-users' }, query: { force: true } }));
      const run_id = 'run_id' in run ? run.run_id : '';
      await vi.waitFor(
        async () => {
          const { rows } = await sql`select state from pgboss.job where id = ${run_id}`.execute(database.db);
          expect(rows).toEqual([{ state: 'completed' }]);
        },
        { timeout: 60_000, interval: 200 },
      );
      const events = await allEvents(database.db);
      last.signal('SIGTERM');
      await last.ended;

      expect(events.map(({ position }) => position)).toEqual(events.map((_, n) => n + 1));
      expect((await verifyEvents(database.db, new Date())).fault).toBeUndefined();
      expect(misfits(events.slice(before.head))).toEqual([]);
      const rows = await database.db
        .selectFrom('groups')
        .select(['group_id', 'description'])
        .where('group_id', 'in', [...countsOf(events).keys(), ...told.map(({ id }) => id)])
        .execute();
      const stored = new Map(rows.map((row) => [row.group_id, Number(row.description)]));
      const counted = countsOf(events);
      // Each group has its events, and each event its group.
      expect(new Set(counted.keys())).toEqual(new Set(stored.keys()));
      for (const [id, numbers] of counted) expect(numbers).toEqual(upTo(stored.get(id) ?? 0));
      for (const { id, stored: answered, asked } of told) {
        expect(stored.get(id)).toBeGreaterThanOrEqual(answered);
        expect(stored.get(id)).toBeLessThanOrEqual(asked);
      }
      // What the jobs and all others did is what their events say.
      await beside(async (app) => {
        await follow(app, before.known, before.head);
        expect(before.known).toEqual(await present(app));
      });
      const changes = told.reduce((sum, { stored: of }) => sum + of + 1, 0);
      const moves = events.filter(({ type }) => type === 'user.moved').length;
      process.stdout.write(
        `${KILLS} kills, ${changes} changes answered, ${runs} runs asked for, ${moves} moves, ${events.length} events\n`,
      );
      expect(moves).toBeGreaterThan(KILLS / 10);
    },
    TIME_LIMIT,
  );
});

/** Which numbers each group that counts was given, in the order of the events. */
function countsOf(events: readonly Event[]): Map<string, number[]> {
  const counts = new Map<string, number[]>();
  for (const { type, targets, changes } of events) {
    const [target] = targets;
    const id = target?.id ?? '';
    if (type === 'group.created' && /^Group \d+ \d+$/.test(target?.name ?? '')) counts.set(id, []);
    const [change] = changes;
    if (type !== 'group.updated' || change === undefined || !('after' in change)) continue;
    counts.get(id)?.push(Number(change.after));
  }
  return counts;
}

const upTo = (last: number) => Array.from({ length: last }, (_, n) => n + 1);

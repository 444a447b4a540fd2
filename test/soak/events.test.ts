import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Event } from '../../contract/event.ts';
import { createClient } from '../../sdk/src/index.ts';
import { verifyEvents } from '../../server/event/verify.ts';
import { allEvents } from '../fixtures/events.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { build, createInstance, type Instance } from '../harness/instance.ts';
import { progressOf } from './progress.ts';

/** How often the API is killed. */
const KILLS = Number(process.env['SOAK_KILLS'] ?? 100);
/** Milliseconds that it lives at the most, once it serves. */
const LIFE = 1_500;
/** Callers that change something one change after another, each a group of its own. */
const CALLERS = 8;
const TIME_LIMIT = KILLS * 60_000;

/** What a caller was told, of its groups in order. */
interface Told {
  readonly id: string;
  /** The last number that an answer said is stored, and the last one that was asked for. */
  stored: number;
  asked: number;
}

describe(`${KILLS} kills of the API in the middle of changes`, () => {
  let instance: Instance;
  let database: TestDatabase;
  beforeAll(async () => {
    await build();
    database = await createTestDatabase();
    instance = await createInstance();
  });
  afterAll(async () => {
    await instance?.remove();
    await database?.drop();
  });

  const told: Told[] = [];
  const serve = () => instance.serve({ DATABASE_URL: database.url, WORKERS: 'none' });

  /** Makes a group and counts in its description, until the service is gone. */
  async function count(token: string, name: string): Promise<void> {
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

  it(
    'lose no event and invent none; the order, the positions and the chain are whole',
    async () => {
      const tell = progressOf('kills', KILLS);
      for (let kill = 0; kill < KILLS; kill += 1) {
        const service = await serve();
        const work = Array.from({ length: CALLERS }, (_, n) => count(service.token, `Group ${kill} ${n}`));
        await pause(Math.random() * LIFE);
        service.signal('SIGKILL');
        await Promise.all([service.ended, ...work]);
        tell(kill + 1);
      }
      const last = await serve();
      const events = await allEvents(database.db);
      last.signal('SIGTERM');
      await last.ended;

      expect(events.map(({ position }) => position)).toEqual(events.map((_, n) => n + 1));
      expect((await verifyEvents(database.db, new Date())).fault).toBeUndefined();
      const rows = await database.db.selectFrom('groups').select(['group_id', 'description']).execute();
      const stored = new Map(rows.map((row) => [row.group_id, Number(row.description)]));
      const counted = countsOf(events);
      // Each group has its events, and each event its group.
      expect(new Set(counted.keys())).toEqual(new Set(stored.keys()));
      for (const [id, numbers] of counted) expect(numbers).toEqual(upTo(stored.get(id) ?? 0));
      for (const { id, stored: answered, asked } of told) {
        expect(stored.get(id)).toBeGreaterThanOrEqual(answered);
        expect(stored.get(id)).toBeLessThanOrEqual(asked);
      }
      const changes = told.reduce((sum, { stored: of }) => sum + of + 1, 0);
      process.stdout.write(`${KILLS} kills, ${changes} changes answered, ${events.length} events\n`);
    },
    TIME_LIMIT,
  );
});

/** Which numbers each group was given, in the order of the events. */
function countsOf(events: readonly Event[]): Map<string, number[]> {
  const counts = new Map<string, number[]>();
  for (const { type, targets, changes } of events) {
    const id = targets[0]?.id ?? '';
    if (type === 'group.created') counts.set(id, []);
    const [change] = changes;
    if (type !== 'group.updated' || change === undefined || !('after' in change)) continue;
    counts.get(id)?.push(Number(change.after));
  }
  return counts;
}

const upTo = (last: number) => Array.from({ length: last }, (_, n) => n + 1);

import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventIds } from '../../../server/event/event-id.ts';
import { sealEvents } from '../../../server/event/seal.queries.ts';
import { verifyEvents } from '../../../server/event/verify.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/database.ts';

const EVENTS = 10_500;
const NOW = new Date('2026-08-15T12:00:00Z');

let database: TestDatabase;
/** The events' ids in the order of their positions. */
let ids: string[];
beforeAll(async () => {
  database = await createTestDatabase();
  ids = eventIds(EVENTS, NOW);
  await insert(ids);
  while ((await sealEvents(database.db, 1000)) > 0);
});
afterAll(() => database.drop());

async function insert(some: readonly string[]): Promise<void> {
  await sql`insert into events (kept, event_id, type, concerns, targets, body)
    select case n % 2 when 0 then 'short' else 'long' end, id, 'group.created', '{}', '{}', n::text
    from unnest(${[...some]}::uuid[]) with ordinality as made (id, n)`.execute(database.db);
}

/** What is found while an event lies beside this one that has neither a seal nor a place in the queue for one. */
async function besidePosition(position: number, most?: number): Promise<string | undefined> {
  const beside = ids[position - 1]?.replace(/.$/, (last) => (last === 'f' ? 'e' : 'f')) as string;
  const past = (statement: string) =>
    database.db.connection().execute(async (db) => {
      await sql`set session_replication_role = replica`.execute(db);
      await sql.raw(statement).execute(db);
      await sql`reset session_replication_role`.execute(db);
    });
  await past(`insert into events (kept, event_id, type, concerns, targets, body)
    values ('short', '${beside}', 'group.created', '{}', '{}', '')`);
  const { fault } = await verifyEvents(database.db, NOW, most);
  await past(`delete from events where event_id = '${beside}'`);
  return fault?.replace(beside, 'beside');
}

describe('D90: an event without a seal', () => {
  it.each([3, 5_000, 5_001, 10_000, EVENTS])('is found among all, beside position %i', async (position) => {
    expect(await besidePosition(position)).toBe('event beside has no position any more');
  });

  it('is found by a look at the last ones if it is of their time: no event before them is read', async () => {
    expect(await besidePosition(EVENTS - 50, 100)).toBe('event beside has no position any more');
    expect(await besidePosition(EVENTS - 200, 100)).toBeUndefined();
  });

  it('is none that waits for its seal', async () => {
    const [late] = eventIds(1, new Date(NOW.getTime() + 1)) as [string];
    await insert([late]);
    expect((await verifyEvents(database.db, NOW, 100)).fault).toBeUndefined();
    expect((await verifyEvents(database.db, NOW)).fault).toBeUndefined();
  });
});

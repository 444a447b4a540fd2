import { type Kysely, sql } from 'kysely';
import type { Database } from '../database/tables.ts';

/** The event bodies of all stored checkpoints, oldest first; there is one for each day (D90). */
export async function listCheckpoints(db: Kysely<Database>): Promise<string[]> {
  const rows = await db
    .selectFrom('events')
    .select('body')
    .where('type', '=', 'audit.checkpoint')
    .orderBy('event_id')
    .execute();
  return rows.map(({ body }) => body);
}

/** The chain's hash at each of these positions, in hexadecimal; positions that do not exist are left out. */
export async function readHashes(
  db: Kysely<Database>,
  positions: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const rows = await db
    .selectFrom('event_seals')
    .select(['position', sql<string>`encode(hash, 'hex')`.as('hash')])
    .where('position', '=', sql<number>`any(${[...positions]}::bigint[])`)
    .execute();
  return new Map(rows.map(({ position, hash }) => [position, hash]));
}

/** The id of the oldest stored event. */
export async function findFirstEvent(db: Kysely<Database>): Promise<string | undefined> {
  const row = await db
    .selectFrom('events')
    .select('event_id')
    .orderBy('event_id')
    .limit(1)
    .executeTakeFirst();
  return row?.event_id;
}

import { type Kysely, sql } from 'kysely';
import type { Database } from '../database/tables.ts';

/** The holder of a slot: one request of a caller. */
export interface Holder {
  readonly caller: string;
  readonly id: string;
}

/** Takes one of a caller's slots for some seconds by the database's clock; false when all are taken. */
export async function takeSlot(
  db: Kysely<Database>,
  { caller, id }: Holder,
  slots: number,
  seconds: number,
): Promise<boolean> {
  const { rows } = await sql<{ taken: boolean }>`
    select take_place(${caller}, ${slots}, ${id}, ${seconds} * interval '1 second') as taken`.execute(db);
  return rows[0]?.taken ?? false;
}

export async function renewSlot(
  db: Kysely<Database>,
  { caller, id }: Holder,
  seconds: number,
): Promise<void> {
  await db
    .updateTable('joined_answers')
    .set({ until: sql`now() + ${seconds} * interval '1 second'` })
    .where('caller', '=', caller)
    .where('holder', '=', id)
    .execute();
}

export async function leaveSlot(db: Kysely<Database>, { caller, id }: Holder): Promise<void> {
  await db.deleteFrom('joined_answers').where('caller', '=', caller).where('holder', '=', id).execute();
}

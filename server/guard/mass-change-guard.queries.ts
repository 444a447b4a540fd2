import type { Kysely } from 'kysely';
import type { Database } from '../database/tables.ts';

/** Minimum milliseconds between two runs that count as separate confirmations of the same losses. */
export const APART = 30 * 60_000;

/** What a job holds back, as stored. */
export interface Held {
  readonly job_id: string;
  readonly fingerprint: string;
  readonly runs: number;
  readonly counted_on: Date;
  /** In how many runs each loss was found, by its fingerprint. */
  readonly found: Readonly<Record<string, number>>;
}

export async function lockHeld(tx: Kysely<Database>, job: string): Promise<Held | undefined> {
  return tx
    .selectFrom('held_changes')
    .selectAll()
    .$castTo<Held>()
    .where('job_id', '=', job)
    .forUpdate()
    .executeTakeFirst();
}

export async function saveHeld(db: Kysely<Database>, held: Held): Promise<void> {
  const row = { ...held, found: JSON.stringify(held.found) };
  await db
    .insertInto('held_changes')
    .values(row)
    .onConflict((conflict) => conflict.column('job_id').doUpdateSet(row))
    .execute();
}

/** Forgets the changes that a job held back: they no longer exist, or are applied now. */
export async function forgetHeld(db: Kysely<Database>, job: string): Promise<void> {
  await db.deleteFrom('held_changes').where('job_id', '=', job).execute();
}

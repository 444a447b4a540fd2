import type { Kysely, Transaction } from 'kysely';
import { isUndone } from './errors.ts';
import type { Database } from './tables.ts';

const TRIES = 4;

/** Runs `work` in one transaction, again when PostgreSQL undid it to end a deadlock. */
export async function inTransaction<T>(
  db: Kysely<Database>,
  work: (tx: Transaction<Database>) => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await db.transaction().execute(work);
    } catch (error) {
      if (tries === TRIES || !isUndone(error)) throw error;
    }
  }
}

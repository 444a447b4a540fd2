import type { Kysely, Transaction } from 'kysely';
import { codeOf } from './errors.ts';
import type { Database } from './tables.ts';

/** Deadlock and serialization failure: the work was undone and may be done again. */
const AGAIN = new Set(['40P01', '40001']);
const TRIES = 4;

/** Runs `work` in one transaction, once more when PostgreSQL chose it as the victim of a deadlock. */
export async function inTransaction<T>(
  db: Kysely<Database>,
  work: (tx: Transaction<Database>) => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await db.transaction().execute(work);
    } catch (error) {
      if (tries === TRIES || !AGAIN.has(codeOf(error) ?? '')) throw error;
    }
  }
}

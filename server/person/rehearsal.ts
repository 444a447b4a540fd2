import type { Kysely, Transaction } from 'kysely';
import type { Database } from '../database/tables.ts';
import { inTransaction } from '../database/transaction.ts';

/** Thrown to undo what was only tried. */
class Undone<T> extends Error {
  readonly result: T;
  constructor(result: T) {
    super('undone');
    this.result = result;
  }
}

/** Does the work in a transaction; where it is only tried, answers the same and leaves everything as it was. */
export async function rehearsed<T>(
  db: Kysely<Database>,
  onlyTried: boolean,
  work: (tx: Transaction<Database>) => Promise<T>,
): Promise<T> {
  try {
    return await inTransaction(db, async (tx) => {
      const result = await work(tx);
      if (onlyTried) throw new Undone(result);
      return result;
    });
  } catch (error) {
    if (error instanceof Undone) return error.result as T;
    throw error;
  }
}

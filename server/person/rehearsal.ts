import type { Kysely, Transaction } from 'kysely';
import type { Database } from '../database/tables.ts';
import { inTransaction } from '../database/transaction.ts';

/** Thrown to roll a rehearsal back. */
class RolledBack<T> extends Error {
  readonly result: T;
  constructor(result: T) {
    super('rolled back');
    this.result = result;
  }
}

/** Runs the work in a transaction and returns its result; for a dry run the transaction is rolled back. */
export async function rehearsed<T>(
  db: Kysely<Database>,
  dryRun: boolean,
  work: (tx: Transaction<Database>) => Promise<T>,
): Promise<T> {
  try {
    return await inTransaction(db, async (tx) => {
      const result = await work(tx);
      if (dryRun) throw new RolledBack(result);
      return result;
    });
  } catch (error) {
    if (error instanceof RolledBack) return error.result as T;
    throw error;
  }
}

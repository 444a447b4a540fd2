import type { Kysely, Transaction } from 'kysely';
import { isUndone } from './errors.ts';
import type { Database } from './tables.ts';

const TRIES = 4;

/**
 * Runs `work` in one transaction, again when PostgreSQL undid it to end a deadlock. Within a transaction it is a part of
 * that one: who began it ends it.
 */
export async function inTransaction<T>(
  db: Kysely<Database>,
  work: (tx: Transaction<Database>) => Promise<T>,
): Promise<T> {
  if (isTransaction(db)) return work(db);
  return repeated(TRIES, () => db.transaction().execute(work));
}

/** A rehearsal waits for nobody and is in nobody's way for long: it may be tried more often. */
const REHEARSALS = 20;

/**
 * Runs `work` in one transaction and undoes it, whatever it did: nothing is stored, no job is sent. It sees the
 * database as it was when it began, so that nothing that others do meanwhile looks like its doing.
 */
export async function inRehearsal<T>(
  db: Kysely<Database>,
  work: (tx: Transaction<Database>) => Promise<T>,
): Promise<T> {
  return repeated(REHEARSALS, async () => {
    let outcome: { readonly of: T } | undefined;
    const undo = new Error('undone');
    const begun = db.transaction().setIsolationLevel('repeatable read');
    try {
      await begun.execute(async (tx) => {
        outcome = { of: await work(tx) };
        throw undo;
      });
    } catch (error) {
      if (error === undo && outcome !== undefined) return outcome.of;
      throw error;
    }
    throw new Error('a rehearsal was not undone');
  });
}

async function repeated<T>(times: number, run: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await run();
    } catch (error) {
      if (tries === times || !isUndone(error)) throw error;
    }
  }
}

function isTransaction(db: Kysely<Database>): db is Transaction<Database> {
  return db.isTransaction;
}

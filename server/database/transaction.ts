import { type Kysely, sql, type Transaction } from 'kysely';
import { constraintOf, isUndone } from './errors.ts';
import type { Database } from './tables.ts';

const TRIES = 4;

/** Thrown to repeat a transaction, because others changed the data from which it had chosen the rows to lock. */
export class Overtaken extends Error {
  /** PostgreSQL's code for a serialization failure, so that {@link isUndone} recognises it. */
  readonly code = '40001';
  constructor() {
    super('others changed meanwhile what this transaction goes by');
  }
}

/**
 * Runs `work` in one transaction, and retries it after a deadlock or if it was {@link Overtaken}. If `db` is a
 * transaction already, `work` runs within it, and its owner commits.
 */
export async function inTransaction<T>(
  db: Kysely<Database>,
  work: (tx: Transaction<Database>) => Promise<T>,
): Promise<T> {
  if (isTransaction(db)) return work(db);
  return repeated({ times: TRIES, if: isUndone }, () => db.transaction().execute(work));
}

/** What became of the work in a transaction. */
export interface Outcome<T> {
  readonly result: T;
  /** Whether what it wrote stays; else it is rolled back. */
  readonly kept: boolean;
}

class NotKept<T> extends Error {
  readonly result: T;
  constructor(result: T) {
    super('rolled back');
    this.result = result;
  }
}

/** Runs `work` in one transaction that `work` itself may have rolled back; returns its result in either case. */
export async function inTransactionIfKept<T>(
  db: Kysely<Database>,
  work: (tx: Transaction<Database>) => Promise<Outcome<T>>,
): Promise<T> {
  try {
    return await inTransaction(db, async (tx) => {
      const { result, kept } = await work(tx);
      if (!kept) throw new NotKept(result);
      return result;
    });
  } catch (error) {
    if (error instanceof NotKept) return error.result as T;
    throw error;
  }
}

/**
 * Maximum attempts of a rehearsal: more than for a transaction, because its snapshot conflicts with concurrent changes
 * more often and it is short.
 */
const REHEARSALS = 20;

/**
 * Runs `work` in a transaction that is always rolled back: nothing is stored, no job is sent. It uses a snapshot of its
 * beginning, so that concurrent changes do not appear as effects of `work`.
 */
export async function inRehearsal<T>(
  db: Kysely<Database>,
  work: (tx: Transaction<Database>) => Promise<T>,
): Promise<T> {
  return repeated({ times: REHEARSALS, if: isOutdated }, async () => {
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

/** Runs `work` within a transaction, and takes back what it wrote, unlike the rest of the transaction, if it says so. */
export async function tried<T>(tx: Transaction<Database>, work: () => Promise<Outcome<T>>): Promise<T> {
  await sql`savepoint tried`.execute(tx);
  const { result, kept } = await work();
  if (!kept) await sql`rollback to savepoint tried`.execute(tx);
  return result;
}

/** Runs `work` within a transaction and takes back what it wrote, unlike the rest of the transaction. */
export async function undone<T>(tx: Transaction<Database>, work: () => Promise<T>): Promise<T> {
  return tried(tx, async () => ({ result: await work(), kept: false }));
}

/**
 * Keeps PostgreSQL from compiling the statements of this transaction: for those that it expects to be long that takes
 * seconds, each time, and saves less.
 */
export async function withoutJit(tx: Transaction<Database>): Promise<void> {
  await sql`set local jit = off`.execute(tx);
}

/** Whether others changed what the snapshot shows; it does not show rows that are unique with those it adds, either. */
function isOutdated(error: unknown): boolean {
  return isUndone(error) || constraintOf(error)?.kind === 'unique';
}

async function repeated<T>(
  { times, if: retries }: { readonly times: number; readonly if: (error: unknown) => boolean },
  run: () => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await run();
    } catch (error) {
      if (tries === times || !retries(error)) throw error;
    }
  }
}

function isTransaction(db: Kysely<Database>): db is Transaction<Database> {
  return db.isTransaction;
}

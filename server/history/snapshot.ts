import type { Kysely } from 'kysely';
import { codeOf, constraintOf } from '../database/errors.ts';
import type { Database } from '../database/tables.ts';
import type { SnapshotTable } from './kinds.ts';
import { type Page, toPage } from './page.ts';
import { ensurePartitions, shownAfter } from './partitions.ts';
import { type EntryRow, findEntries, insertEntry, type NewEntry } from './snapshot.queries.ts';
import type { Subject } from './subject.queries.ts';
import type { Turn } from './turn.queries.ts';

/** Stores a snapshot of a character, once even if it is repeated, and completes its turn. */
export async function store<Table extends SnapshotTable>(
  db: Kysely<Database>,
  table: Table,
  subject: Subject,
  now: Date,
  snapshot: NewEntry<Table>,
  turn: Turn | undefined,
): Promise<void> {
  await withPartitions(db, now, () => insertEntry(db, table, subject, now, snapshot, turn));
}

/** Creates the partition of entries of that time if the insertion finds none, and repeats it. */
export async function withPartitions<T>(
  db: Kysely<Database>,
  now: Date,
  insert: () => Promise<T>,
): Promise<T> {
  try {
    return await insert();
  } catch (error) {
    if (!isMissingPartition(error)) throw error;
    await ensurePartitions(db, now);
    return insert();
  }
}

/** PostgreSQL reports a missing partition as a check violation without a constraint name. */
function isMissingPartition(error: unknown): boolean {
  return codeOf(error) === '23514' && constraintOf(error) === undefined;
}

/** One page of a history within the visible period (D36). */
export async function listEntries<Table extends SnapshotTable, Entry>(
  db: Kysely<Database>,
  table: Table,
  { characterId, page, now }: { readonly characterId: number; readonly page: number; readonly now: Date },
  toEntry: (row: EntryRow<Table>) => Entry,
): Promise<Page<Entry>> {
  return toPage(await findEntries(db, table, characterId, { after: shownAfter(now), page }), page, toEntry);
}

import type { Kysely } from 'kysely';
import { codeOf, constraintOf } from '../database/errors.ts';
import type { Database } from '../database/tables.ts';
import type { SnapshotTable } from './kinds.ts';
import { type Page, toPage } from './page.ts';
import { ensurePartitions, shownAfter } from './partitions.ts';
import { type EntryRow, findEntries, insertEntry, type NewEntry } from './snapshot.queries.ts';
import type { Subject } from './subject.queries.ts';
import type { Turn } from './turn.queries.ts';

/**
 * Stores a snapshot of a character, once even if it is repeated, and completes its turn. Creates the partition if it is
 * missing.
 */
export async function store<Table extends SnapshotTable>(
  db: Kysely<Database>,
  table: Table,
  subject: Subject,
  now: Date,
  snapshot: NewEntry<Table>,
  turn: Turn | undefined,
): Promise<void> {
  try {
    await insertEntry(db, table, subject, now, snapshot, turn);
  } catch (error) {
    if (!isMissingPartition(error)) throw error;
    await ensurePartitions(db, now);
    await insertEntry(db, table, subject, now, snapshot, turn);
  }
}

/** PostgreSQL reports a missing partition as a check violation without a constraint name. */
function isMissingPartition(error: unknown): boolean {
  return codeOf(error) === '23514' && constraintOf(error) === undefined;
}

/** One page of a history within the visible period (D36). */
export async function pageOf<Table extends SnapshotTable, Entry>(
  db: Kysely<Database>,
  table: Table,
  { characterId, page, now }: { readonly characterId: number; readonly page: number; readonly now: Date },
  toEntry: (row: EntryRow<Table>) => Entry,
): Promise<Page<Entry>> {
  return toPage(await findEntries(db, table, characterId, { after: shownAfter(now), page }), page, toEntry);
}

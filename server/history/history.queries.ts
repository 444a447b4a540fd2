import type { Kysely } from 'kysely';
import type { Database } from '../database/tables.ts';
import { deleteMailboxes } from './mail.queries.ts';
import { deleteSnapshots } from './snapshot.queries.ts';

/** Deletes everything that is kept of the characters' past (D19b, D29b); within a transaction that locked the users. */
export async function deleteHistories(db: Kysely<Database>, characterIds: readonly number[]): Promise<void> {
  await deleteSnapshots(db, characterIds);
  await deleteMailboxes(db, characterIds);
}

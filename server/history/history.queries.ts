import type { Kysely } from 'kysely';
import type { Database } from '../database/tables.ts';
import { deleteMailboxes } from './mail.queries.ts';
import { deleteSnapshots } from './snapshot.queries.ts';

/** Deletes all histories of the characters (D19b, D29b); call it in a transaction that has locked the users. */
export async function deleteHistories(db: Kysely<Database>, characterIds: readonly number[]): Promise<void> {
  await deleteSnapshots(db, characterIds);
  await deleteMailboxes(db, characterIds);
}

import type { Kysely } from 'kysely';
import type { Database } from '../database/tables.ts';
import { deleteMailbox } from './mail.queries.ts';
import { deleteSnapshots } from './snapshot.queries.ts';

/** Deletes everything that is kept of a character's past (D19b, D29b); within a transaction that locked the user. */
export async function deleteHistories(db: Kysely<Database>, characterId: number): Promise<void> {
  await deleteSnapshots(db, characterId);
  await deleteMailbox(db, characterId);
}

import type { Kysely } from 'kysely';
import type { Database } from '../database/tables.ts';
import { deleteOffices, type Ended, endApplicationsOf } from './pending.queries.ts';

/** The former owner's wishes and offices are not the new owner's (D29b). Returns the applications that ended by it. */
export async function forgetJoining(db: Kysely<Database>, characterId: number, now: Date): Promise<Ended[]> {
  await deleteOffices(db, characterId);
  return endApplicationsOf(db, [characterId], now);
}

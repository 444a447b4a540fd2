import type { Kysely } from 'kysely';
import type { Database } from '../database/tables.ts';
import { deleteOffices, type Ended, endApplicationsOf } from './pending.queries.ts';

/** Ends applications and moderatorships of a character's former owner, which its new owner must not inherit (D29b). */
export async function forgetJoining(db: Kysely<Database>, characterId: number, now: Date): Promise<Ended[]> {
  await deleteOffices(db, characterId);
  return endApplicationsOf(db, [characterId], now);
}

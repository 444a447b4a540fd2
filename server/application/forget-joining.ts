import type { Kysely } from 'kysely';
import type { Database } from '../database/tables.ts';
import { recordEvents } from '../event/record.ts';
import { voidApplications } from './application.queries.ts';
import { decided } from './carry-out.ts';

/** Ends applications and moderatorships of a character's former owner, which its new owner must not inherit (D29b). */
export async function forgetJoining(db: Kysely<Database>, characterId: number, now: Date): Promise<void> {
  const ended = await voidApplications(db, characterId, now);
  await recordEvents(
    db,
    ended.map((one) => decided(one, 'void')),
    now,
  );
}

import type { Transaction } from 'kysely';
import type { Database } from '../database/tables.ts';
import { recordEvents } from '../event/record.ts';
import { findMemberships } from '../group/group.queries.ts';
import { departureEvents } from '../group/group-events.ts';
import { readStandings } from '../standing/told.queries.ts';
import { changedStandings, recordStandings } from '../standing/told.ts';
import { deleteUsers } from './user.queries.ts';

/**
 * Deletes users with all their data (D19b) and records the events, including the groups that they left; `by` is the
 * user who does it.
 */
export async function removeUsers(
  tx: Transaction<Database>,
  characterIds: readonly number[],
  { by, now }: { readonly by: number | null; readonly now: Date },
): Promise<void> {
  const standings = await readStandings(tx, { users: characterIds });
  const memberships = await findMemberships(tx, characterIds);
  await deleteUsers(tx, characterIds, { by, now });
  await recordEvents(tx, departureEvents(memberships), now);
  await recordStandings(tx, await changedStandings(tx, standings), now);
}

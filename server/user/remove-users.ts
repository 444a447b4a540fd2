import type { Transaction } from 'kysely';
import type { Database } from '../database/tables.ts';
import { recordEvents } from '../event/record.ts';
import { findMemberships } from '../group/group.queries.ts';
import { departureEvents } from '../group/group-events.ts';
import { readStandings } from '../standing/told.queries.ts';
import { changedStandings, recordStandings } from '../standing/told.ts';
import { deleteUsers } from './user.queries.ts';

/** Deletes users with everything that hangs on them (D19b), and tells who left which group by that; `by` is whoever did it. */
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

import type { Kysely } from 'kysely';
import type { Database } from '../database/tables.ts';
import { lockGrouping } from '../group/autogroup.queries.ts';
import type { Touched } from '../standing/standing.queries.ts';
import { readStandings, type Standings } from '../standing/told.queries.ts';
import { lockNewcomers, lockPeople } from './lock-snapshot.queries.ts';
import {
  type OrganizationIds,
  readOrganizations,
  type StoredOrganizations,
} from './organizations.queries.ts';
import type { ProviderSnapshot } from './provider-snapshot.ts';

/**
 * Keeps the bodies that a snapshot tells of as they are until the transaction ends, and lets nobody else register what
 * it tells of: what is compared with the registry afterwards is this transaction's doing alone, and told once. To be
 * called first; then come users, by {@link lockTouched}: whoever stores a snapshot locks in this one order.
 *
 * @returns what the registry holds of the bodies
 */
export async function lockBodies(
  db: Kysely<Database>,
  snapshot: ProviderSnapshot,
): Promise<StoredOrganizations> {
  const ids = idsOf(snapshot);
  const characters = snapshot.characters.map((found) => found.character_id);
  if (ids.alliances.length + ids.corporations.length + characters.length > 0) {
    await lockNewcomers(db, ids, characters);
  }
  return readOrganizations(db, ids, 'lock');
}

/**
 * The same for the users whose standing the storing of a snapshot may change, and for who belongs to which alliance and
 * coalition. Those who lead a body are locked where something of the bodies changes, or their level does: else all
 * sign-ins of an alliance would wait for each other.
 *
 * @returns how they stand
 */
export async function lockTouched(
  db: Kysely<Database>,
  snapshot: ProviderSnapshot,
  before: StoredOrganizations,
  touched: Touched,
): Promise<Standings> {
  const { led = [], ...others } = touched;
  const people = hasNewBodies(snapshot, before) ? touched : others;
  if (Object.values(touched).some((ids) => ids.length > 0)) await lockPeople(db, people, led);
  await lockGrouping(db, touched.corporations !== undefined && touched.corporations.length > 0);
  return readStandings(db, touched);
}

/** Whether a body is new, has another leader, or belongs elsewhere. */
function hasNewBodies({ alliances, corporations }: ProviderSnapshot, before: StoredOrganizations): boolean {
  return (
    alliances.some(
      ({ alliance_id: id, executor_corporation_id }) =>
        before.alliances.get(id)?.executor_corporation_id !== executor_corporation_id,
    ) ||
    corporations.some((found) => {
      const stored = before.corporations.get(found.corporation_id);
      return stored?.ceo_id !== found.ceo_id || stored.alliance_id !== found.alliance_id;
    })
  );
}

/** The bodies that a snapshot tells of. */
export function idsOf({ alliances, corporations }: ProviderSnapshot): OrganizationIds {
  return {
    alliances: alliances.map((row) => row.alliance_id),
    corporations: corporations.map((row) => row.corporation_id),
  };
}

/** Whose standing the storing of a snapshot may change. */
export function touchedBy(
  { alliances, corporations, characters }: ProviderSnapshot,
  before: StoredOrganizations,
): Touched {
  const moving = corporations.filter((found) => {
    const stored = before.corporations.get(found.corporation_id);
    return stored !== undefined && stored.alliance_id !== found.alliance_id;
  });
  const executors = alliances.flatMap((found) => [
    found.executor_corporation_id,
    before.alliances.get(found.alliance_id)?.executor_corporation_id ?? found.executor_corporation_id,
  ]);
  const homes = characters.flatMap(({ corporation_id: id }) => id ?? []);
  return {
    users: [...characters.map((found) => found.character_id), ...corporations.map((found) => found.ceo_id)],
    corporations: moving.map((found) => found.corporation_id),
    led: [...corporations.map((found) => found.corporation_id), ...homes, ...executors],
  };
}

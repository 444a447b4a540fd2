import type { Kysely } from 'kysely';
import type { Database } from '../database/tables.ts';
import { Overtaken } from '../database/transaction.ts';
import { lockGrouping } from '../group/autogroup.queries.ts';
import { readStandings, type Standings } from '../standing/read-standings.queries.ts';
import type { Touched } from '../standing/standing.queries.ts';
import { lockNewcomers, lockPeople } from './lock-snapshot.queries.ts';
import {
  type OrganizationIds,
  readOrganizations,
  type StoredOrganizations,
} from './organizations.queries.ts';
import type { ProviderSnapshot } from './provider-snapshot.ts';

/**
 * Locks the organizations in a snapshot and reserves the ids to be registered until the transaction ends, so that the
 * differences found afterwards are caused by this transaction only and recorded once. Call it first, then {@link
 * lockTouched}: everything that stores a snapshot locks in this order.
 *
 * @returns the stored organizations
 */
export async function lockOrganizations(
  db: Kysely<Database>,
  snapshot: ProviderSnapshot,
): Promise<StoredOrganizations> {
  const ids = idsOf(snapshot);
  const characters = charactersOf(snapshot);
  if (ids.alliances.length + ids.corporations.length + characters.length > 0) {
    await lockNewcomers(db, ids, characters);
  }
  return readOrganizations(db, ids, 'lock');
}

/**
 * Locks the users whose standing may change when the snapshot is stored, and their organizations' memberships in
 * alliances and coalitions. CEOs are locked only where an organization or their level changes: otherwise all sign-ins
 * of an alliance would wait for each other.
 *
 * @param bystanders users whose rights the transaction goes by: locked with the others, as all are locked in one order
 * and before the organizations' memberships
 * @returns the standings of the locked users; of bystanders only if they are touched
 * @throws Overtaken if more users are concerned than there were when the locks were asked for: `inTransaction`
 * begins again
 */
export async function lockTouched(
  db: Kysely<Database>,
  snapshot: ProviderSnapshot,
  before: StoredOrganizations,
  touched: Touched,
  bystanders: readonly number[] = [],
): Promise<Standings> {
  const { led = [], ledAlliances: _, ...others } = touched;
  const people = changesOrganizations(snapshot, before) ? touched : others;
  const concerns = [bystanders, ...Object.values(touched)].some((ids) => ids.length > 0);
  const locked = concerns ? await lockPeople(db, people, led, bystanders) : [];
  await lockGrouping(db, touched.corporations !== undefined && touched.corporations.length > 0);
  const users = locked.filter((user) => user.touched).map((user) => user.character_id);
  const standings = await readStandings(db, { ...people, users });
  const ids = new Set(locked.map((user) => user.character_id));
  // To wait for them now, out of order, could be a deadlock.
  if ([...standings.keys()].some((id) => !ids.has(id))) throw new Overtaken();
  return standings;
}

/** Whether an organization is new, has another leader, or changed its alliance. */
function changesOrganizations(
  { alliances, corporations }: ProviderSnapshot,
  before: StoredOrganizations,
): boolean {
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

/** The organizations in a snapshot. */
export function idsOf({ alliances, corporations }: ProviderSnapshot): OrganizationIds {
  return {
    alliances: alliances.map((row) => row.alliance_id),
    corporations: corporations.map((row) => row.corporation_id),
  };
}

/** The characters in a snapshot: users, and who becomes one by it. */
export function charactersOf({ characters }: ProviderSnapshot): number[] {
  return characters.map((row) => row.character_id);
}

/** The users whose standing may change when the snapshot is stored. */
export function touchedBy(snapshot: ProviderSnapshot, before: StoredOrganizations): Touched {
  const { alliances, corporations, characters } = snapshot;
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
    users: [...charactersOf(snapshot), ...corporations.map((found) => found.ceo_id)],
    corporations: moving.map((found) => found.corporation_id),
    led: [...corporations.map((found) => found.corporation_id), ...homes, ...executors],
    // The stored corporations say only which alliances they leave.
    ledAlliances: corporations.flatMap((found) => found.alliance_id ?? []),
  };
}

import type { Transaction } from 'kysely';
import { type Admission, lockedFor, readmit } from '../access/admission.ts';
import { boundedName, boundedTicker } from '../database/bounded.ts';
import type { Database } from '../database/tables.ts';
import { recordEvents } from '../event/record.ts';
import { ensureAutogroups } from '../group/autogroup.queries.ts';
import { firstOfEach } from '../shared/first-of-each.ts';
import type { Standings } from '../standing/read-standings.queries.ts';
import { changedStandings, recordStandings } from '../standing/standing-events.ts';
import { charactersOf, idsOf, lockOrganizations, lockTouched, touchedBy } from './lock-snapshot.ts';
import { organizationEvents } from './organization-events.ts';
import { readOrganizations, type StoredOrganizations } from './organizations.queries.ts';
import type { ProviderSnapshot, SnapshotCorporation } from './provider-snapshot.ts';
import {
  findFormerCeos,
  raiseCeos,
  resetMembers,
  resetUsers,
  saveAlliances,
  saveCharacters,
  saveCorporations,
} from './save-snapshot.queries.ts';

/**
 * Stores a snapshot by set operations in the caller's transaction: organizations, then characters, then the levels that
 * follow from office and membership (D19), then the autogroups (D18b). Guests stay guests until they join their host
 * (D28). Rows are written in the order of their ids, so that parallel writers wait for each other instead of
 * deadlocking.
 *
 * @param locked users whom {@link lockTouched} has locked
 * @returns the corporations whose alliance changed; the caller must reset their members' levels
 */
export async function writeSnapshot(
  db: Transaction<Database>,
  found: ProviderSnapshot,
  locked: Standings,
  now: Date,
): Promise<readonly number[]> {
  const snapshot = storableSnapshot(found);
  const formerCeos = await findFormerCeos(db, snapshot);
  await saveAlliances(db, snapshot, now);
  const moved = await saveCorporations(db, snapshot, now);
  await resetMembers(db, moved, now);
  await saveCharacters(db, snapshot, now);
  const deposed = formerCeos.map((former) => former.ceo_id);
  await resetUsers(db, deposed, now);
  const organizations = snapshot.corporations.map((corporation) => corporation.corporation_id);
  const homes = snapshot.characters.flatMap(({ corporation_id: id }) => (id === null ? [] : [id]));
  // A former leader of the alliance may still be CEO of a corporation.
  const led = formerCeos.map((former) => former.corporation_id);
  const executors = snapshot.alliances.map((alliance) => alliance.executor_corporation_id);
  const corporations = [...new Set([...organizations, ...homes, ...led, ...executors])];
  await raiseCeos(db, corporations, [...locked.keys(), ...charactersOf(snapshot)], now);
  const alliances = snapshot.alliances.map((alliance) => alliance.alliance_id);
  await ensureAutogroups(db, { corporations, alliances, regrouped: moved.length > 0 }, now);
  return moved;
}

/** Whoever may have lost something by a snapshot: users, and the corporations whose alliance changed. */
interface Affected {
  readonly users: readonly number[];
  readonly corporations: readonly number[];
}

/** When a snapshot is stored, and the revision of the registry when the provider was asked for it. */
interface Times {
  readonly now: Date;
  readonly askedAt: number;
}

interface Saving {
  /** The revision of the registry when the provider was asked; absent where nobody can have asked later. */
  readonly askedAt?: number;
  /** The request that asks for it; absent where nobody does. */
  readonly admission?: Admission;
}

/**
 * Stores a snapshot and records its events, in the caller's transaction. Organizations that were stored since
 * `askedAt` stay as they are. An admission is judged again before anything is written, with all locked that is going to
 * be.
 */
export async function saveSnapshot(
  db: Transaction<Database>,
  snapshot: ProviderSnapshot,
  now: Date,
  { askedAt = Number.POSITIVE_INFINITY, admission }: Saving = {},
): Promise<Affected> {
  const work = async (latest: ProviderSnapshot, locked: Standings) => {
    if (admission !== undefined) await readmit(db, admission);
    return writeSnapshot(db, latest, locked, now);
  };
  const bystanders = admission === undefined ? [] : lockedFor(admission);
  return followSnapshot(db, snapshot, { now, askedAt }, work, { bystanders });
}

/** Who counts in a special way when a snapshot is stored. */
interface Special {
  /** The character whose corporation is known by affiliation. */
  readonly certain?: number;
  /** Users whose rights `work` goes by, to be locked as well. */
  readonly bystanders?: readonly number[];
}

/**
 * Runs `work`, which stores a snapshot and returns the moved corporations, and records the resulting events: organizations
 * first, then, as their consequences, users and memberships. The rows concerned are locked first, so that of concurrent
 * transactions each records its own changes. `work` is given what is to be stored, and the locked users: it may change
 * them and those in the snapshot.
 */
export async function followSnapshot(
  db: Transaction<Database>,
  snapshot: ProviderSnapshot,
  times: Times,
  work: (latest: ProviderSnapshot, locked: Standings) => Promise<readonly number[]>,
  { certain, bystanders }: Special = {},
): Promise<Affected> {
  const before = await lockOrganizations(db, snapshot);
  const latest = withoutOlder(snapshot, before, times.askedAt, certain);
  const standings = await lockTouched(db, latest, before, touchedBy(latest, before), bystanders);
  const corporations = await work(latest, standings);
  const after = await readOrganizations(db, idsOf(snapshot));
  const [event_id] = await recordEvents(db, organizationEvents(before, after), times.now);
  const changed = await changedStandings(db, standings, { users: charactersOf(latest) });
  await recordStandings(db, changed, times.now, event_id === undefined ? {} : { cause: { event_id } });
  return { users: changed.flatMap(({ after: present }) => present?.character_id ?? []), corporations };
}

/**
 * Whether an executor has left the alliance that is presumed for it: it is stored outside, and by the alliance's record,
 * which is older then, its executor all the same.
 */
function hasLeft(
  { corporation_id: id, alliance_id: allianceId, presumed }: SnapshotCorporation,
  { alliances, corporations }: StoredOrganizations,
): boolean {
  if (!presumed || allianceId === null) return false;
  const present = corporations.get(id);
  const isOutside = present !== undefined && present.alliance_id !== allianceId;
  return isOutside && alliances.get(allianceId)?.executor_corporation_id === id;
}

/**
 * Removes the organizations that somebody else stored after the provider was asked, with the CEOs whom the older records
 * name: a registration that took long would undo what the sync has found (D19, D39). The alliance of the certain
 * character's corporation stays, as its affiliation says it, whatever the corporation's own record says (D26b). An
 * executor that has left its alliance is not put back.
 */
function withoutOlder(
  { alliances, corporations, characters }: ProviderSnapshot,
  stored: StoredOrganizations,
  askedAt: number,
  certain: number | undefined,
): ProviderSnapshot {
  const isLatest = (row: { readonly revision: number } | undefined) =>
    row === undefined || row.revision <= askedAt;
  const home = characters.find(({ character_id: id }) => id === certain)?.corporation_id;
  return {
    alliances: alliances.filter(({ alliance_id: id }) => isLatest(stored.alliances.get(id))),
    corporations: corporations.flatMap((found) => {
      const present = stored.corporations.get(found.corporation_id);
      if (present === undefined || isLatest(present))
        return [hasLeft(found, stored) ? { ...found, alliance_id: null } : found];
      return found.corporation_id === home ? [{ ...present, alliance_id: found.alliance_id }] : [];
    }),
    characters: characters.filter(
      ({ character_id: id, corporation_id }) =>
        id === certain || corporation_id === null || isLatest(stored.corporations.get(corporation_id)),
    ),
  };
}

/**
 * Makes a snapshot storable: every organization and character once, of duplicates the first (the provider may name one
 * character as CEO of two corporations), and names and tickers truncated (D3b).
 */
function storableSnapshot({ alliances, corporations, characters }: ProviderSnapshot): ProviderSnapshot {
  return {
    alliances: firstOfEach(alliances, (row) => row.alliance_id).map((row) => ({
      ...row,
      alliance_name: boundedName(row.alliance_name),
      ticker: boundedTicker(row.ticker),
    })),
    corporations: firstOfEach(corporations, (row) => row.corporation_id).map((row) => ({
      ...row,
      corporation_name: boundedName(row.corporation_name),
      ticker: boundedTicker(row.ticker),
      ceo_name: row.ceo_name === null ? null : boundedName(row.ceo_name),
    })),
    characters: firstOfEach(characters, (row) => row.character_id).map((row) => ({
      ...row,
      character_name: boundedName(row.character_name),
    })),
  };
}

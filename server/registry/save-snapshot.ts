import type { Transaction } from 'kysely';
import { boundedName, boundedTicker } from '../database/bounded.ts';
import type { Database } from '../database/tables.ts';
import { recordEvents } from '../event/record.ts';
import { ensureAutogroups } from '../group/autogroup.queries.ts';
import { firstOfEach } from '../shared/first-of-each.ts';
import { changedStandings, recordStandings } from '../standing/told.ts';
import { idsOf, lockBodies, lockTouched, touchedBy } from './lock-snapshot.ts';
import { organizationEvents } from './organization-events.ts';
import { readOrganizations } from './organizations.queries.ts';
import type { ProviderSnapshot } from './provider-snapshot.ts';
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
 * Stores what was found, as sets, in the caller's transaction: organizations first, then characters, then the levels
 * that follow office and membership (D19), then the autogroups (D18b). Guests stay guests until they join their
 * host (D28). Rows are written in the order of their ids, so that parallel writers queue instead of locking each
 * other out.
 *
 * @returns the corporations that came to another alliance: what that takes from their members is for the caller to see to
 */
export async function writeSnapshot(
  db: Transaction<Database>,
  found: ProviderSnapshot,
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
  // Who no longer leads the alliance may still lead a corporation.
  const led = formerCeos.map((former) => former.corporation_id);
  const executors = snapshot.alliances.map((alliance) => alliance.executor_corporation_id);
  const corporations = [...new Set([...organizations, ...homes, ...led, ...executors])];
  await raiseCeos(db, corporations, now);
  const alliances = snapshot.alliances.map((alliance) => alliance.alliance_id);
  await ensureAutogroups(db, { corporations, alliances, regrouped: moved.length > 0 }, now);
  return moved;
}

/** Stores what was found, and tells what came of it, in the caller's transaction. */
export async function saveSnapshot(
  db: Transaction<Database>,
  snapshot: ProviderSnapshot,
  now: Date,
): Promise<readonly number[]> {
  return followSnapshot(db, snapshot, now, () => writeSnapshot(db, snapshot, now));
}

/**
 * Does what a snapshot is stored by, and tells what came of it: of bodies first, then of users and memberships. Whatever
 * it is about is locked before, so that of two at the same moment each tells its own doing.
 */
export async function followSnapshot<T>(
  db: Transaction<Database>,
  snapshot: ProviderSnapshot,
  now: Date,
  work: () => Promise<T>,
): Promise<T> {
  const before = await lockBodies(db, snapshot);
  const touched = touchedBy(snapshot, before);
  const standings = await lockTouched(db, snapshot, before, touched);
  const done = await work();
  const after = await readOrganizations(db, idsOf(snapshot));
  await recordEvents(db, organizationEvents(before, after), now);
  await recordStandings(db, await changedStandings(db, standings, touched), now);
  return done;
}

/**
 * A snapshot as the registry can hold them, whatever the provider said: every body and character once, the first word
 * counting (one character may be called the CEO of two corporations), and names and tickers cut (D3b).
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
      ceo_name: boundedName(row.ceo_name),
    })),
    characters: firstOfEach(characters, (row) => row.character_id).map((row) => ({
      ...row,
      character_name: boundedName(row.character_name),
    })),
  };
}

import { z } from 'zod';
import type { CharacterLocation } from '../../contract/history.ts';
import type { ExtScope } from '../../contract/scopes.ts';
import { type Admission, readmit } from '../access/admission.ts';
import { inLineOfCaller, type Lines } from '../access/lines.ts';
import { inTransaction } from '../database/transaction.ts';
import type { Schema } from '../provider/answer.ts';
import { type BudgetAccount, budgetAccountOf } from '../provider/error-budget.ts';
import { ProviderError } from '../provider/http.ts';
import { notFound } from '../shared/domain-error.ts';
import type { Page } from './page.ts';
import { type EntryRow, findLatestOfMany, insertEntry, type NewEntry } from './snapshot.queries.ts';
import { listEntries, store, withPartitions } from './snapshot.ts';
import { type HistoryServices, id, read, requireSubject, text } from './source.ts';
import type { Turn } from './turn.queries.ts';

const Location = z.object({
  solar_system_id: id,
  station_id: id.nullish(),
  structure_id: id.nullish(),
});
const Online = z.object({ online: z.boolean() });
const Ship = z.object({ ship_name: text, ship_type_id: id });
const Structure = z.object({ name: text });

type LocationSnapshot = NewEntry<'character_locations'>;

/** Milliseconds for which the game itself keeps a location: asked again meanwhile, it knows nothing newer. */
const PRESENT_FOR = 5_000;
/** Entries, within so many milliseconds, from which on what is repeated is not stored again. */
const OFTEN = { entries: 100, within: 3_600_000 };

/** One page of a character's locations (D36). */
export async function listLocations(
  { db, clock }: Pick<HistoryServices, 'db' | 'clock'>,
  characterId: number,
  page: number,
): Promise<Page<CharacterLocation>> {
  return listEntries(db, 'character_locations', { characterId, page, now: clock.now() }, toLocation);
}

/**
 * Fetches a character's location, stores it with the time `now`, completes the turn and returns the entry. Names that
 * cannot be fetched become `#ID` (D36).
 *
 * @throws ProviderError when the location itself cannot be fetched; nothing is stored then
 */
export async function storeLocation(
  services: Omit<HistoryServices, 'clock'>,
  characterId: number,
  now: Date,
  turn?: Turn,
): Promise<CharacterLocation> {
  const subject = await requireSubject(services.db, characterId);
  const snapshot = await fetchLocation(services, characterId, 'service');
  await store(services.db, 'character_locations', subject, now, snapshot, turn);
  return toLocation({ ...snapshot, ...subject, timestamp: now });
}

/**
 * The same on behalf of a caller, who is judged again when the game has answered, as it may have taken its time (D14).
 * Who asks often is given the present entry where that says the same: otherwise the history would grow with every call
 * (D36).
 *
 * @throws DomainError 404 where the user was deleted or has a new owner by then
 */
export async function storeLocationFor(
  services: HistoryServices & { readonly lines: Lines },
  admission: Admission,
  characterId: number,
): Promise<CharacterLocation> {
  const { db, lines, clock } = services;
  const now = clock.now();
  const subject = await requireSubject(db, characterId);
  const snapshot = await fetchLocation(services, characterId, budgetAccountOf(admission.caller));
  const storeEntry = () =>
    inTransaction(db, async (tx) => {
      await readmit(tx, admission, [characterId]);
      const ago = (milliseconds: number) => new Date(now.getTime() - milliseconds);
      const often = { entries: OFTEN.entries, since: ago(OFTEN.within) };
      const present = await findLatestOfMany(tx, 'character_locations', characterId, ago(PRESENT_FOR), often);
      if (present !== undefined && isSame(present, snapshot)) return present.timestamp;
      const stored = await insertEntry(tx, 'character_locations', subject, now, snapshot, undefined);
      return stored ? now : undefined;
    });
  const timestamp = await inLineOfCaller(lines, admission, () => withPartitions(db, now, storeEntry));
  if (timestamp === undefined) throw notFound('user', characterId);
  return toLocation({ ...snapshot, ...subject, timestamp });
}

function isSame(one: LocationSnapshot, other: LocationSnapshot): boolean {
  return Object.entries(other).every(([name, value]) => one[name as keyof LocationSnapshot] === value);
}

async function fetchLocation(
  services: Pick<HistoryServices, 'client' | 'names' | 'structures'>,
  characterId: number,
  on: BudgetAccount,
): Promise<LocationSnapshot> {
  const { client, names } = services;
  const ask = <T>(path: string, scope: ExtScope, schema: Schema<T>) =>
    read(client, { path, as: { characterId, scope }, on }, schema);
  const own = `/characters/${characterId}`;
  const [position, { online }, ship] = await Promise.all([
    ask(`${own}/location`, 'ext-location.read_location.v1', Location),
    ask(`${own}/online`, 'ext-location.read_online.v1', Online),
    ask(`${own}/ship`, 'ext-location.read_ship_type.v1', Ship),
  ]);
  const { solar_system_id } = position;
  const station_id = position.station_id ?? null;
  // The game returns a station or a structure, never both.
  const structure_id = station_id === null ? (position.structure_id ?? null) : null;
  const ids = [ship.ship_type_id, solar_system_id, ...(station_id === null ? [] : [station_id])];
  const [{ names: known }, structure_name] = await Promise.all([
    names.find(ids, on),
    structure_id === null ? null : nameStructure(services, characterId, structure_id, on),
  ]);
  const nameOf = (named: number) => known.get(named) ?? `#${named}`;
  return {
    online,
    ship_name: ship.ship_name,
    ship_type_id: ship.ship_type_id,
    ship_type_name: nameOf(ship.ship_type_id),
    solar_system_id,
    solar_system_name: nameOf(solar_system_id),
    station_id,
    station_name: station_id === null ? null : nameOf(station_id),
    structure_id,
    structure_name,
  };
}

/**
 * `#ID` on failure: a location without its name is better than none, because it cannot be fetched later. Most failures
 * are refusals, of structures whose list lacks the character, and each is an error of the limit that all share (D33).
 */
async function nameStructure(
  { client, structures }: Pick<HistoryServices, 'client' | 'structures'>,
  characterId: number,
  structureId: number,
  on: BudgetAccount,
): Promise<string> {
  const unknown = `#${structureId}`;
  if (structures !== undefined && structures.refusals <= 0) return unknown;
  const as = { characterId, scope: 'ext-universe.read_structures.v1' } as const;
  try {
    const request = { path: `/universe/structures/${structureId}`, as, on, cacheRefusal: true };
    const { status, data, kept } = await client.ask(request);
    if (structures !== undefined && status >= 400 && !kept) structures.refusals -= 1;
    const structure = Structure.safeParse(data);
    return status === 200 && structure.success ? structure.data.name : unknown;
  } catch (error) {
    if (error instanceof ProviderError) return unknown;
    throw error;
  }
}

function toLocation(row: EntryRow<'character_locations'>): CharacterLocation {
  return {
    online: row.online,
    ship_name: row.ship_name,
    ship_type_id: row.ship_type_id,
    ship_type_name: row.ship_type_name,
    solar_system_id: row.solar_system_id,
    solar_system_name: row.solar_system_name,
    station_id: row.station_id,
    station_name: row.station_name,
    structure_id: row.structure_id,
    structure_name: row.structure_name,
    timestamp: row.timestamp.toISOString(),
    user: { character_id: row.character_id, character_name: row.character_name },
  };
}

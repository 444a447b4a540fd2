import type { Kysely } from 'kysely';
import type { Database } from '../database/tables.ts';
import { type NewEvent, recordEvents, userTarget } from '../event/record.ts';
import {
  areLinked,
  deleteCharacters,
  dissolve,
  insertCharacters,
  insertFirst,
  insertPerson,
  lockPersons,
  type Membership,
  type Moved,
  type NewMain,
  type Occasion,
  replaceLostMains,
  setMain,
} from './membership.queries.ts';

/** Gives the person of a single character a row, before other characters are linked to it. */
export async function foundPerson(db: Kysely<Database>, person: Membership, now: Date): Promise<void> {
  await insertPerson(db, person, now);
  const first = await insertFirst(db, person);
  const main = { person_id: person.person_id, before: null, after: person.main_id };
  await recordEvents(db, [moved(first, person.person_id), newMain(main)], now);
}

/** Creates a person from characters of other persons; `person.main_id` must be one of them. */
export async function splitOff(
  db: Kysely<Database>,
  person: Membership,
  characterIds: readonly number[],
  occasion: Occasion,
): Promise<void> {
  await insertPerson(db, person, occasion.now);
  await moveTo(db, person.person_id, characterIds, occasion);
  await recordEvents(db, [newMain({ ...person, before: null, after: person.main_id })], occasion.now);
}

/** Moves characters to a person from their former ones. */
export async function moveTo(
  db: Kysely<Database>,
  personId: string,
  characterIds: readonly number[],
  occasion: Occasion,
): Promise<void> {
  const came = await insertCharacters(db, personId, characterIds, occasion);
  await tell(db, await settle(db, came, personId, occasion), occasion.now);
}

/**
 * Removes characters from their persons, so that each becomes a person of its own; no effect on those that are one
 * already (D101). The caller of this function must hold the locks of these users.
 */
export async function detachCharacters(
  db: Kysely<Database>,
  characterIds: readonly number[],
  occasion: Occasion,
): Promise<void> {
  await tell(db, await partCharacters(db, characterIds, occasion), occasion.now);
}

/** An event that is still to be recorded, and the character that left its person by it. */
export interface Parting {
  readonly event: NewEvent;
  readonly leaver: number;
}

/** Like {@link detachCharacters}, but leaves it to the caller to record the events. */
export async function partCharacters(
  db: Kysely<Database>,
  characterIds: readonly number[],
  occasion: Occasion,
): Promise<readonly Parting[]> {
  if (!(await areLinked(db, characterIds))) return [];
  await lockPersons(db);
  return settle(db, await deleteCharacters(db, characterIds, occasion), null, occasion);
}

function tell(db: Kysely<Database>, partings: readonly Parting[], now: Date): Promise<unknown> {
  const events = partings.map(({ event }) => event);
  return recordEvents(db, events, now);
}

export async function changeMain(
  db: Kysely<Database>,
  { person_id, main_id: before }: Membership,
  after: number,
  now: Date,
): Promise<void> {
  await setMain(db, person_id, after);
  await recordEvents(db, [newMain({ person_id, before, after })], now);
}

/**
 * Completes the persons that characters have left, and returns the events: a person with one remaining character loses
 * its row, and a person without its main gets another one.
 */
async function settle(
  db: Kysely<Database>,
  went: readonly Moved[],
  toPerson: string | null,
  occasion: Occasion,
): Promise<readonly Parting[]> {
  const left = [...new Set(went.flatMap(({ from_person: id }) => id ?? []))];
  const alone = await dissolve(db, left);
  const mains = await replaceLostMains(db, left);
  const leaverOf = (person: string | null) =>
    went.find(({ from_person: from }) => from === person)?.character_id ?? 0;
  return [
    ...went.map((one) => ({ event: moved(one, toPerson, occasion), leaver: one.character_id })),
    ...alone.map((one) => ({ event: moved(one, null), leaver: leaverOf(one.from_person) })),
    ...mains.map((one) => ({ event: newMain(one), leaver: leaverOf(one.person_id) })),
  ];
}

function moved(
  { character_id, character_name, from_person: from }: Moved,
  to: string | null,
  occasion?: Occasion,
): NewEvent {
  return {
    type: to === null ? 'person.character_unlinked' : 'person.character_linked',
    targets: [userTarget(character_id, character_name), personTarget(to ?? from ?? '')],
    changes: [
      { field: 'person_id', before: from, after: to },
      ...(occasion === undefined ? [] : [{ field: 'happened', before: null, after: occasion.happened }]),
    ],
    reason: occasion?.reason ?? null,
  };
}

function newMain({ person_id, before, after }: NewMain): NewEvent {
  return {
    type: 'person.main_changed',
    targets: [personTarget(person_id), userTarget(after, null)],
    changes: [{ field: 'main', before, after }],
  };
}

function personTarget(id: string) {
  return { type: 'person' as const, id, name: null };
}

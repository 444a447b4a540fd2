import { type Kysely, sql } from 'kysely';
import type { PersonChange } from '../../contract/person.ts';
import type { Database } from '../database/tables.ts';

/** Where a character belongs. */
export interface Membership {
  readonly person_id: string;
  readonly main_id: number;
}

/** Why characters come or go, and on whose word. */
export interface Occasion {
  readonly happened: PersonChange['happened'];
  /** Character id of who does it; null: the service itself. */
  readonly by: number | null;
  readonly now: Date;
  readonly reason?: string;
  /** The user token that proves it. */
  readonly proof?: string;
}

/**
 * Persons are changed by one transaction at a time: it is seldom, and one link may concern two persons. To be taken
 * after the locks on users, each of whom is locked by whoever moves it: with nothing waited for afterwards.
 */
export async function lockPersons(db: Kysely<Database>): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('persons'))`.execute(db);
}

/** The person of a character; undefined: a person of one. */
export async function findMembership(
  db: Kysely<Database>,
  characterId: number,
): Promise<Membership | undefined> {
  return db
    .selectFrom('person_characters')
    .innerJoin('persons', 'persons.person_id', 'person_characters.person_id')
    .select(['persons.person_id', 'persons.main_id'])
    .where('character_id', '=', characterId)
    .executeTakeFirst();
}

/** Whether a user token proved a character already. */
export async function wasUsed(db: Kysely<Database>, proof: string): Promise<boolean> {
  const row = await db
    .selectFrom('person_history')
    .select('position')
    .where('proof', '=', proof)
    .executeTakeFirst();
  return row !== undefined;
}

/** A person without characters, its main too: they are moved to it before the transaction ends. */
export async function insertPerson(db: Kysely<Database>, person: Membership, now: Date): Promise<void> {
  await db
    .insertInto('persons')
    .values({ ...person, created_on: now })
    .execute();
}

/** Writes the person of one character down: others are about to join it. */
export async function foundPerson(db: Kysely<Database>, person: Membership, now: Date): Promise<void> {
  await insertPerson(db, person, now);
  await db
    .insertInto('person_characters')
    .values({ person_id: person.person_id, character_id: person.main_id })
    .execute();
}

/** Moves characters to a person, from wherever they are, and writes down that they came. */
export async function moveTo(
  db: Kysely<Database>,
  personId: string,
  characterIds: readonly number[],
  occasion: Occasion,
): Promise<void> {
  const { rows } = await sql<Moved>`
    insert into person_characters (character_id, person_id)
      select id, ${personId} from unnest(${[...characterIds]}::bigint[]) id
    on conflict (character_id) do update set person_id = excluded.person_id
    returning character_id,
      (select former.person_id from person_characters former
        where former.character_id = person_characters.character_id) as from_person`.execute(db);
  await remember(db, rows, personId, occasion);
  await settle(db, rows);
}

/**
 * Takes characters out of their persons, each to be a person of its own, and writes down that they went; nothing where
 * they are that already. Whoever calls holds the locks of these users.
 */
export async function detachCharacters(
  db: Kysely<Database>,
  characterIds: readonly number[],
  occasion: Occasion,
): Promise<void> {
  const linked = await db
    .selectFrom('person_characters')
    .select('character_id')
    .where('character_id', 'in', [...characterIds])
    .execute();
  if (linked.length === 0) return;
  await lockPersons(db);
  const { rows } = await sql<Moved>`
    delete from person_characters where character_id = any(${[...characterIds]}::bigint[])
    returning character_id, person_id as from_person`.execute(db);
  await remember(db, rows, null, occasion);
  await settle(db, rows);
}

export async function setMain(db: Kysely<Database>, personId: string, mainId: number): Promise<void> {
  await db.updateTable('persons').set({ main_id: mainId }).where('person_id', '=', personId).execute();
}

/** The character that has been proven longest; those never proven come last. */
export async function findLongestProven(
  db: Kysely<Database>,
  characterIds: readonly number[],
): Promise<number> {
  const { rows } = await sql<{ character_id: number }>`
    select u.character_id from users u where u.character_id = any(${[...characterIds]}::bigint[])
    ${longestProven} limit 1`.execute(db);
  if (rows[0] === undefined) throw new Error('none of these characters is a user');
  return rows[0].character_id;
}

const longestProven = sql`order by u.proven_on nulls last, u.character_id`;

interface Moved {
  readonly character_id: number;
  /** Null: it was a person of its own. */
  readonly from_person: string | null;
}

/** What is left of the persons that somebody left: of one character no person, of a lost main the longest proven. */
async function settle(db: Kysely<Database>, moved: readonly Moved[]): Promise<void> {
  const left = sql`any(${[...new Set(moved.flatMap(({ from_person: id }) => id ?? []))]}::text[])`;
  await sql`
    delete from persons p where p.person_id = ${left}
      and (select count(*) from person_characters pc where pc.person_id = p.person_id) < 2`.execute(db);
  await sql`
    update persons p set main_id = (
      select u.character_id from person_characters pc join users u using (character_id)
      where pc.person_id = p.person_id ${longestProven} limit 1)
    where p.person_id = ${left} and not exists (
      select from person_characters pc where pc.person_id = p.person_id and pc.character_id = p.main_id)`.execute(
    db,
  );
}

async function remember(
  db: Kysely<Database>,
  moved: readonly Moved[],
  toPerson: string | null,
  { happened, by, now, reason, proof }: Occasion,
): Promise<void> {
  await sql`
    insert into person_history (occurred_on, happened, character_id, character_name, from_person, to_person, by_id,
        reason, proof)
      select ${now}, ${happened}, u.character_id, u.character_name, m.from_person, ${toPerson}::text, ${by}::bigint,
        ${reason ?? null}::text, ${proof ?? null}::uuid
      from jsonb_to_recordset(${JSON.stringify(moved)}::jsonb) as m(character_id bigint, from_person text)
        join users u using (character_id)
      order by u.character_id`.execute(db);
}

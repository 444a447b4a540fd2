import { type Kysely, sql } from 'kysely';
import type { PersonChange } from '../../contract/person.ts';
import type { Database } from '../database/tables.ts';
import { isChanged } from './person.queries.ts';

/** A person that has a row, with its main character. */
export interface Membership {
  readonly person_id: string;
  readonly main_id: number;
}

/** The cause of a change of membership, for the person's history. */
export interface Occasion {
  readonly happened: PersonChange['happened'];
  /** Character id of the actor; null for the service itself. */
  readonly by: number | null;
  readonly now: Date;
  readonly reason?: string;
  /** Id of the user token that proved the ownership of the character. */
  readonly proof?: string;
}

/**
 * Lets one transaction at a time change persons, because one change may concern two of them, and changes are rare. Take
 * this lock after those of the users concerned and wait for no other lock afterwards, so that there is no deadlock.
 */
export async function lockPersons(db: Kysely<Database>): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('persons'))`.execute(db);
}

/** The person of a character; undefined when the character was never linked, so that its person has no row. */
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

/** Who linked a character by this user token as proof, and to which person; undefined when nobody did. */
export async function findProven(db: Kysely<Database>, proof: string) {
  return db
    .selectFrom('person_history')
    .select(['by_id', 'to_person'])
    .where('proof', '=', proof)
    .executeTakeFirst();
}

/** Inserts a person without characters; move them to it, its main included, before the transaction ends. */
export async function insertPerson(db: Kysely<Database>, person: Membership, now: Date): Promise<void> {
  await db
    .insertInto('persons')
    .values({ ...person, created_on: now })
    .execute();
}

/** Inserts the main as first character of a new person. The person's history does not contain this. */
export async function insertFirst(db: Kysely<Database>, { person_id, main_id }: Membership): Promise<Moved> {
  await db.insertInto('person_characters').values({ person_id, character_id: main_id }).execute();
  const { character_name } = await db
    .selectFrom('users')
    .select('character_name')
    .where('character_id', '=', main_id)
    .executeTakeFirstOrThrow();
  return { character_id: main_id, character_name, from_person: null };
}

/** A character that was moved, and its former person; null when that had no row. */
export interface Moved {
  readonly character_id: number;
  readonly character_name: string;
  readonly from_person: string | null;
}

/** Moves characters to a person from their former ones, and adds that to the history. */
export async function insertCharacters(
  db: Kysely<Database>,
  personId: string,
  characterIds: readonly number[],
  occasion: Occasion,
): Promise<Moved[]> {
  const { rows } = await sql<Omit<Moved, 'character_name'>>`
    insert into person_characters (character_id, person_id)
      select id, ${personId} from unnest(${[...characterIds]}::bigint[]) id
    on conflict (character_id) do update set person_id = excluded.person_id
    returning character_id,
      (select former.person_id::text from person_characters former
        where former.character_id = person_characters.character_id) as from_person`.execute(db);
  return insertHistory(db, rows, personId, occasion);
}

/** Whether any of these characters is linked, that is, belongs to a person that has a row. */
export async function areLinked(db: Kysely<Database>, characterIds: readonly number[]): Promise<boolean> {
  const linked = await db
    .selectFrom('person_characters')
    .select('character_id')
    .where('character_id', 'in', [...characterIds])
    .limit(1)
    .execute();
  return linked.length > 0;
}

/** Removes characters from their persons, and adds that to the history. */
export async function deleteCharacters(
  db: Kysely<Database>,
  characterIds: readonly number[],
  occasion: Occasion,
): Promise<Moved[]> {
  const rows = await db
    .deleteFrom('person_characters')
    .where('character_id', '=', sql<number>`any(${[...characterIds]}::bigint[])`)
    .returning(['character_id', 'person_id as from_person'])
    .execute();
  return insertHistory(db, rows, null, occasion);
}

export async function setMain(db: Kysely<Database>, personId: string, mainId: number): Promise<void> {
  await db.updateTable('persons').set({ main_id: mainId }).where('person_id', '=', personId).execute();
}

/** The character whose ownership was proven first; those never proven, or changed by now, come last. */
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

const longestProven = sql`order by ${isChanged}, u.proven_on nulls last, u.character_id`;

/** Deletes those of the persons that have fewer than two characters; returns the character that was left in each. */
export async function dissolve(db: Kysely<Database>, personIds: readonly string[]): Promise<Moved[]> {
  const { rows } = await sql<Moved>`
    with lonely as (
      select p.person_id from persons p where p.person_id = any(${[...personIds]}::text[])
        and (select count(*) from person_characters pc where pc.person_id = p.person_id) < 2
    ), gone as (delete from persons where person_id in (select person_id from lonely))
    select u.character_id, u.character_name, pc.person_id::text as from_person
    from person_characters pc join lonely using (person_id) join users u using (character_id)`.execute(db);
  return rows;
}

export interface NewMain {
  readonly person_id: string;
  readonly before: number | null;
  readonly after: number;
}

/** Makes the character of {@link findLongestProven} the main of each person whose main has left. */
export async function replaceLostMains(
  db: Kysely<Database>,
  personIds: readonly string[],
): Promise<NewMain[]> {
  const { rows } = await sql<NewMain>`
    update persons p set main_id = (
      select u.character_id from person_characters pc join users u using (character_id)
      where pc.person_id = p.person_id ${longestProven} limit 1)
    from persons former
    where former.person_id = p.person_id and p.person_id = any(${[...personIds]}::text[]) and not exists (
      select from person_characters pc where pc.person_id = p.person_id and pc.character_id = p.main_id)
    returning p.person_id::text, former.main_id as before, p.main_id as after`.execute(db);
  return rows;
}

async function insertHistory(
  db: Kysely<Database>,
  moved: readonly Omit<Moved, 'character_name'>[],
  toPerson: string | null,
  { happened, by, now, reason, proof }: Occasion,
): Promise<Moved[]> {
  const { rows } = await sql<Moved>`
    insert into person_history (occurred_on, happened, character_id, character_name, from_person, to_person, by_id,
        reason, proof)
      select ${now}, ${happened}, u.character_id, u.character_name, m.from_person, ${toPerson}::text, ${by}::bigint,
        ${reason ?? null}::text, ${proof ?? null}::uuid
      from jsonb_to_recordset(${JSON.stringify(moved)}::jsonb) as m(character_id bigint, from_person text)
        join users u using (character_id)
      order by u.character_id
    returning character_id, character_name, from_person::text`.execute(db);
  return rows;
}

import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { PersonChange } from '../../contract/person.ts';
import type { UserShort } from '../../contract/user.ts';
import { isBuiltIn } from '../access/clearance-levels.queries.ts';
import { scopesOfCorporation } from '../access/required-scopes.queries.ts';
import type { Database } from '../database/tables.ts';
import { soleCharacter } from './person-id.ts';

/** A character of a person, with the state of its ownership. */
export interface CharacterRow {
  /** Null when the character was never linked. */
  readonly person_id: string | null;
  readonly main_id: number;
  readonly character_id: number;
  readonly character_name: string;
  readonly proven_on: Date | null;
  readonly ownership: 'proven' | 'stale' | 'changed';
  /** Whether a valid refresh token covers the required scopes (D35); null when there is no refresh token. */
  readonly covered: boolean | null;
}

/** Milliseconds for which a sign-in alone proves the ownership of a character. */
const PROVEN_FOR = 90 * 24 * 3_600_000;

/** Whether a refresh named another owner of the user `u`, who has not signed in yet (D100). */
export const isChanged: RawBuilder<boolean> = sql`exists (
  select from grants g where g.character_id = u.character_id and g.heard_owner <> u.owner_hash)`;
/** A sign-in from before a hand-over proves nothing of the present owner, who has not signed in then (D29b). */
const isProven = (now: Date) => sql`(
  u.proven_on is not null and u.signed_in_on > ${new Date(now.getTime() - PROVEN_FOR)}
  or exists (select from standing_grants g where g.character_id = u.character_id and g.valid))`;

/** Whether two characters are the same, or belong to one person (D100). Its aliases must hide none of its arguments. */
export function areOne(one: RawBuilder<unknown>, other: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`(${one} = ${other} or exists (
    select from person_characters one_linked join person_characters other_linked using (person_id)
    where one_linked.character_id = ${one} and other_linked.character_id = ${other}))`;
}

/** All characters of a character's person, in the order of D9; none when the user does not exist. */
export async function findPersonOf(
  db: Kysely<Database>,
  characterId: number,
  now: Date,
): Promise<CharacterRow[]> {
  const { rows } = await sql<CharacterRow>`
    with of as materialized (
      select u.character_id, p.person_id, p.main_id
      from users u left join person_characters pc using (character_id) left join persons p using (person_id)
      where u.character_id = ${characterId}
    )
    select of.person_id, coalesce(of.main_id, u.character_id) as main_id, u.character_id, u.character_name, u.proven_on,
      case when ${isChanged} then 'changed' when ${isProven(now)} then 'proven' else 'stale' end as ownership,
      (select bool_or(g.valid and g.scopes @> ${scopesOfCorporation})
        from standing_grants g where g.character_id = u.character_id) as covered
    from of join users u on u.character_id in (
        select of.character_id
        union select pc.character_id from person_characters pc where pc.person_id = of.person_id)
      left join corporations c on c.corporation_id = u.corporation_id
      left join alliances a on a.alliance_id = c.alliance_id
    order by u.name_key, u.character_id`.execute(db);
  return rows;
}

/** The main of the person of the user `u`; the user itself when it was never linked. */
export const mainOf: RawBuilder<UserShort> = sql`(
  select json_build_object('character_id', m.character_id, 'character_name', m.character_name) from users m
  where m.character_id = coalesce(
    (select p.main_id from person_characters pc join persons p using (person_id)
      where pc.character_id = u.character_id), u.character_id))`;

/** Ids of a person's characters; none when the person does not exist. The built-in user is no person. */
export async function findMembers(db: Kysely<Database>, personId: string): Promise<number[]> {
  const sole = soleCharacter(personId);
  const { rows } = await sql<{ character_id: number }>`${
    sole === undefined
      ? sql`select character_id from person_characters where person_id = ${personId}`
      : sql`select u.character_id from users u where u.character_id = ${sole} and not ${isBuiltIn}
          and not exists (select from person_characters pc where pc.character_id = u.character_id)`
  } order by character_id`.execute(db);
  return rows.map((row) => row.character_id);
}

/** When characters came to a person or left it, newest first. */
export async function findHistory(
  db: Kysely<Database>,
  personId: string,
  most: number,
): Promise<(Omit<PersonChange, 'occurred_on'> & { readonly occurred_on: Date })[]> {
  const { rows } = await sql<Omit<PersonChange, 'occurred_on'> & { occurred_on: Date }>`
    select h.occurred_on, h.happened, h.from_person::text, h.to_person::text, h.reason,
      ${short(sql`h.character_id`, sql`h.character_name`)} as "character",
      case when u.character_id is not null
        then ${short(sql`u.character_id`, sql`u.character_name`)} end as "by"
    from person_history h left join users u on u.character_id = h.by_id
    where ${concerns(personId)} order by h.position desc limit ${most}`.execute(db);
  return rows;
}

/** Deletes at most `most` expired entries of the history; returns their number. */
export async function deleteHistoryBefore(db: Kysely<Database>, before: Date, most: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from person_history where position in (
      select position from person_history where occurred_on < ${before}
      order by occurred_on limit ${most} for update skip locked)`.execute(db);
  return Number(numAffectedRows);
}

function concerns(personId: string): RawBuilder<boolean> {
  const sole = soleCharacter(personId);
  return sole === undefined
    ? sql`(h.from_person = ${personId} or h.to_person = ${personId})`
    : sql`h.character_id = ${sole}`;
}

const short = (id: RawBuilder<unknown>, name: RawBuilder<unknown>) =>
  sql`json_build_object('character_id', ${id}, 'character_name', ${name})`;

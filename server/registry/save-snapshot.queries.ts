import { type Kysely, sql } from 'kysely';
import { isAdministrator, isGuest, isMember, memberLevel } from '../access/clearance-levels.queries.ts';
import {
  ADMINISTRATOR_LEVEL,
  ALLIANCE_LEVEL,
  CEO_LEVEL,
  EXECUTOR_CEO_LEVEL,
  MEMBER_LEVEL,
} from '../access/clearance-levels.ts';
import { nameKey } from '../database/name-key.ts';
import type { Database } from '../database/tables.ts';
import type { ProviderSnapshot } from './provider-snapshot.ts';

interface FormerCeo {
  readonly ceo_id: number;
  readonly corporation_id: number;
}

/**
 * Users who are stored as CEO (of the corporation, or of the alliance's executor) but are not CEO in the snapshot. A
 * user who left the corporation is not among them: its level was reset by that, and its present level was set since.
 */
export async function findFormerCeos(
  db: Kysely<Database>,
  { alliances, corporations }: ProviderSnapshot,
): Promise<FormerCeo[]> {
  if (corporations.length + alliances.length === 0) return [];
  const { rows } = await sql<FormerCeo>`
    select c.ceo_id, c.corporation_id from corporations c
      join jsonb_to_recordset(${JSON.stringify(corporations)}::jsonb)
        as found(corporation_id bigint, ceo_id bigint) using (corporation_id)
      join users u on u.character_id = c.ceo_id and u.corporation_id = c.corporation_id
    where c.ceo_id <> found.ceo_id
    union
    select c.ceo_id, c.corporation_id from alliances a
      join jsonb_to_recordset(${JSON.stringify(alliances)}::jsonb)
        as found(alliance_id bigint, executor_corporation_id bigint) using (alliance_id)
      -- One that has left the alliance lost that office by this.
      join corporations c on c.corporation_id = a.executor_corporation_id and c.alliance_id = a.alliance_id
      join users u on u.character_id = c.ceo_id and u.corporation_id = c.corporation_id
    where a.executor_corporation_id <> found.executor_corporation_id`.execute(db);
  return rows;
}

export async function saveAlliances(
  db: Kysely<Database>,
  { alliances }: ProviderSnapshot,
  now: Date,
): Promise<void> {
  if (alliances.length === 0) return;
  const rows = alliances.map((alliance) => ({ ...alliance, name_key: nameKey(alliance.alliance_name) }));
  await sql`
    insert into alliances as a
      (alliance_id, alliance_name, name_key, ticker, executor_corporation_id, created_on, updated_on, refreshed_on)
    select alliance_id, alliance_name, name_key, ticker, executor_corporation_id, ${now}, ${now}, ${now}
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as found(alliance_id bigint, alliance_name text,
      name_key text, ticker text, executor_corporation_id bigint)
    order by alliance_id
    on conflict (alliance_id) do update set
      alliance_name = excluded.alliance_name, name_key = excluded.name_key, ticker = excluded.ticker,
      executor_corporation_id = excluded.executor_corporation_id, refreshed_on = excluded.refreshed_on,
      revision = excluded.revision,
      updated_on = case
        when (a.alliance_name, a.ticker, a.executor_corporation_id)
          is distinct from (excluded.alliance_name, excluded.ticker, excluded.executor_corporation_id)
        then excluded.updated_on else a.updated_on end`.execute(db);
}

/**
 * Returns the corporations whose alliance changed. A CEO that the provider did not name keeps its known name, if it has
 * one (D39).
 */
export async function saveCorporations(
  db: Kysely<Database>,
  { corporations }: ProviderSnapshot,
  now: Date,
): Promise<number[]> {
  if (corporations.length === 0) return [];
  const found = JSON.stringify(
    corporations.map((row) => ({ ...row, name_key: nameKey(row.corporation_name) })),
  );
  const { rows } = await sql<{ corporation_id: number }>`
    with before as (
      select c.corporation_id, c.alliance_id, c.ceo_id, c.ceo_name from corporations c
        join jsonb_to_recordset(${found}::jsonb) as f(corporation_id bigint) using (corporation_id)
    ), written as (
      insert into corporations as c (corporation_id, corporation_name, name_key, ticker, alliance_id, ceo_id,
        ceo_name, created_on, updated_on, refreshed_on)
      select corporation_id, corporation_name, name_key, ticker,
        (select a.alliance_id from alliances a where a.alliance_id = f.alliance_id), ceo_id,
        coalesce(ceo_name, (select b.ceo_name from before b
          where b.corporation_id = f.corporation_id and b.ceo_id = f.ceo_id), '#' || ceo_id),
        ${now}, ${now}, ${now}
      from jsonb_to_recordset(${found}::jsonb) as f(corporation_id bigint, corporation_name text, name_key text,
        ticker text, alliance_id bigint, ceo_id bigint, ceo_name text)
      order by corporation_id
      on conflict (corporation_id) do update set
        corporation_name = excluded.corporation_name, name_key = excluded.name_key, ticker = excluded.ticker,
        alliance_id = excluded.alliance_id, ceo_id = excluded.ceo_id, ceo_name = excluded.ceo_name,
        refreshed_on = excluded.refreshed_on, revision = excluded.revision,
        updated_on = case
          when (c.corporation_name, c.ticker, c.alliance_id, c.ceo_id, c.ceo_name) is distinct from
            (excluded.corporation_name, excluded.ticker, excluded.alliance_id, excluded.ceo_id, excluded.ceo_name)
          then excluded.updated_on else c.updated_on end
      returning c.corporation_id, c.alliance_id
    )
    select corporation_id from before join written using (corporation_id)
    where before.alliance_id is distinct from written.alliance_id`.execute(db);
  return rows.map((row) => row.corporation_id);
}

/** Resets levels 3 to 8 of members whose corporation left, changed or joined an alliance (D19). */
export async function resetMembers(
  db: Kysely<Database>,
  corporationIds: readonly number[],
  now: Date,
): Promise<void> {
  if (corporationIds.length === 0) return;
  await db
    .updateTable('users')
    .set({ clearance_level: MEMBER_LEVEL, updated_on: now })
    .where('corporation_id', 'in', [...corporationIds])
    .where('clearance_level', '>=', ALLIANCE_LEVEL)
    .where('clearance_level', '<', ADMINISTRATOR_LEVEL)
    .execute();
}

/** Leaving a corporation resets the level; a guest that joins its host becomes a member (D19, D28). */
export async function saveCharacters(
  db: Kysely<Database>,
  { characters }: ProviderSnapshot,
  now: Date,
): Promise<void> {
  if (characters.length === 0) return;
  const found = JSON.stringify(characters.map((row) => ({ ...row, name_key: nameKey(row.character_name) })));
  await sql`
    insert into users as u
      (character_id, character_name, name_key, corporation_id, created_on, updated_on, seen_on)
    select character_id, character_name, name_key, corporation_id, ${now}, ${now}, ${now}
    from jsonb_to_recordset(${found}::jsonb) as f(character_id bigint, character_name text, name_key text,
      corporation_id bigint)
    order by character_id
    on conflict (character_id) do update set
      character_name = excluded.character_name, name_key = excluded.name_key, seen_on = excluded.seen_on,
      corporation_id = case when ${isGuest} then u.corporation_id else excluded.corporation_id end,
      clearance_level = case
        when ${isAdministrator} then u.clearance_level
        when u.corporation_id is not distinct from excluded.corporation_id then greatest(u.clearance_level, ${memberLevel})
        when ${isGuest} then u.clearance_level
        else ${memberLevel} end,
      updated_on = case
        when u.character_name <> excluded.character_name
          or (${isMember} and u.corporation_id is distinct from excluded.corporation_id)
          or (${isGuest} and u.corporation_id = excluded.corporation_id)
        then excluded.updated_on else u.updated_on end`.execute(db);
}

export async function resetUsers(
  db: Kysely<Database>,
  characterIds: readonly number[],
  now: Date,
): Promise<void> {
  if (characterIds.length === 0) return;
  await db
    .updateTable('users')
    .set({ clearance_level: MEMBER_LEVEL, updated_on: now })
    .where('character_id', 'in', [...characterIds])
    .where('clearance_level', '>', MEMBER_LEVEL)
    .where('clearance_level', '<', ADMINISTRATOR_LEVEL)
    .execute();
}

/** The CEOs of these corporations and of their alliances' executors, each with the level of the office (D19). */
const offices = (corporationIds: readonly number[]) => sql`
  select c.corporation_id, c.ceo_id,
    case when a.alliance_id is null then ${sql.lit(CEO_LEVEL)} else ${sql.lit(EXECUTOR_CEO_LEVEL)} end as level
  from corporations c
    left join alliances a on a.alliance_id = c.alliance_id and a.executor_corporation_id = c.corporation_id
  where c.corporation_id in (
    select unnest(${[...corporationIds]}::bigint[])
    union select executor_corporation_id from alliances join corporations m using (alliance_id)
      where m.corporation_id = any(${[...corporationIds]}::bigint[]))`;

/** Whether the user `u` is a member with a lower level than that of the `office`. */
const isOwed = sql`u.character_id = office.ceo_id and u.corporation_id = office.corporation_id
  and u.clearance_level between ${memberLevel} and office.level - 1`;

/**
 * Raises CEOs to at least level 2, and CEOs of an alliance's executor to 4 (D19).
 *
 * @param people users whom the transaction has locked or registered: it raises nobody else, as it tells only of them
 */
export async function raiseCeos(
  db: Kysely<Database>,
  corporationIds: readonly number[],
  people: readonly number[],
  now: Date,
): Promise<void> {
  if (corporationIds.length === 0) return;
  await sql`
    update users u set clearance_level = office.level, updated_on = ${now}
    from (${offices(corporationIds)}) office
    where ${isOwed} and u.character_id = any(${[...people]}::bigint[])`.execute(db);
}

/** Ids of the users whom {@link raiseCeos} would raise, if they were locked. */
export const owedMore = (corporationIds: readonly number[]) => sql`
  select u.character_id from users u, (${offices(corporationIds)}) office where ${isOwed}`;

import { type Kysely, sql } from 'kysely';
import type { Database } from '../database/tables.ts';
import { statesOf } from './states.queries.ts';

const everybody = sql`true`;

/**
 * Stores since when each member lacks required scopes, and deletes that when it no longer does; returns how many
 * changed.
 */
export async function noteFailures(db: Kysely<Database>, now: Date): Promise<number> {
  const { rows } = await sql<{ changed: number }>`
    with ${statesOf(everybody, now)}, added as (
      insert into compliance_failures (character_id, since)
        select s.character_id, s.since from states s join users u using (character_id)
        where s.since is not null and s.noted is null and not s.stranger
        -- One of them who is deleted meanwhile would violate the foreign key, and nobody else would be stored either.
        order by character_id for key share of u
      on conflict do nothing returning 1
    ), gone as (
      delete from compliance_failures f where not exists (
        select from states s where s.character_id = f.character_id
          and (s.since is not null or s.status = 'unknown'))
        -- Who was handed over and has not signed in since would be known as long as the former owner was.
        and not exists (select from users u where u.character_id = f.character_id
          and u.owner_hash is not null and u.proven_on is null)
      returning 1
    )
    select (select count(*) from added) + (select count(*) from gone) as changed`.execute(db);
  return rows[0]?.changed ?? 0;
}

/**
 * Stores the counts of every organization for the present day, replacing those from earlier that day; zeros where it has
 * lost its last member since.
 */
export async function countDay(db: Kysely<Database>, now: Date): Promise<number> {
  const today = sql`(${now}::timestamptz at time zone 'UTC')::date`;
  const { numAffectedRows = 0n } = await sql`
    with ${statesOf(everybody, now)}, counted as (
      select s.*, 'corporation' as kind, s.corporation_id::text as id from states s
      union all
      select s.*, 'alliance', o.alliance_id::text from states s join organizations o using (corporation_id)
        where o.alliance_id is not null
      union all
      select s.*, 'coalition', r.coalition_id::text from states s join coalition_reach r using (corporation_id)
    ), people as (
      select kind, id, bool_and(stranger) as stranger, coalesce(person_id::text, character_id::text) as who,
        case when bool_or(status = 'failing') then 'failing' when bool_or(status = 'unknown') then 'unknown'
          when bool_or(status = 'grace') then 'grace' else 'ok' end as status
      from counted group by kind, id, coalesce(person_id::text, character_id::text)
    ), left_alone as (
      update compliance_days d set persons = 0, ok = 0, grace = 0, failing = 0, unknown = 0, never_signed_in = 0
      where d.day = ${today} and not exists (select from people p where p.kind = d.kind and p.id = d.id)
    )
    insert into compliance_days as d (kind, id, day, persons, ok, grace, failing, unknown, never_signed_in)
      select kind, id, ${today},
        count(*) filter (where not stranger),
        count(*) filter (where not stranger and status = 'ok'),
        count(*) filter (where not stranger and status = 'grace'),
        count(*) filter (where not stranger and status = 'failing'),
        count(*) filter (where not stranger and status = 'unknown'),
        count(*) filter (where stranger)
      from people group by kind, id
    on conflict (kind, id, day) do update set persons = excluded.persons, ok = excluded.ok, grace = excluded.grace,
      failing = excluded.failing, unknown = excluded.unknown, never_signed_in = excluded.never_signed_in`.execute(
    db,
  );
  return Number(numAffectedRows);
}

/** Deletes counts that are older than two years. */
export async function deleteOldDays(db: Kysely<Database>, now: Date): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from compliance_days where day < (${now}::timestamptz at time zone 'UTC')::date - interval '2 years'`.execute(
    db,
  );
  return Number(numAffectedRows);
}

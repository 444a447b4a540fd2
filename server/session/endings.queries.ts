import { type Kysely, sql, type Transaction } from 'kysely';
import { inAllowedGroup } from '../access/groups-of.queries.ts';
import { mayUseTokens } from '../access/login-permission.queries.ts';
import type { Database } from '../database/tables.ts';
import { type Touched, touchedUsers } from '../standing/standing.queries.ts';
import { SIGN_IN } from './artifacts.queries.ts';

/** A session at an application that has ended, so that the application can be notified. */
export interface EndedSession {
  readonly client_id: string;
  readonly character_id: number;
  /** The `sid` in the session's ID tokens. */
  readonly sid: string;
}

/**
 * Deletes all session records of these characters and marks the time, so that requests and sign-ins that are under way
 * cannot store any for them (D84).
 */
export async function deleteSessions(
  tx: Transaction<Database>,
  characterIds: readonly number[],
  now: Date,
): Promise<EndedSession[]> {
  await sql`
    insert into oidc_endings (character_id, ended_on)
    select u.character_id, ${now}::timestamptz from users u
    where u.character_id = any(${[...characterIds]}::bigint[])
    order by 1
    on conflict (character_id) do update set ended_on = excluded.ended_on`.execute(tx);
  const { rows } = await sql<EndedSession>`
    with gone as (
      delete from oidc_artifacts where character_id = any(${[...characterIds]}::bigint[])
      returning model, client_id, character_id, payload
    ) ${whoIsTold}`.execute(tx);
  return rows;
}

/** Of the deleted rows `gone`, the sessions whose application wants a notification. */
const whoIsTold = sql`
  select cl.client_id, gone.character_id, gone.payload->>'sid' as sid
  from gone join oidc_clients cl using (client_id)
  where gone.model = ${sql.lit(SIGN_IN)} and cl.backchannel_logout_uri is not null
  order by cl.client_id, sid`;

/** A user, and an application that does not admit it. */
export interface Excluded {
  readonly character_id: number;
  readonly client_id: string;
}

/**
 * Deletes what these applications were granted by these characters, and their part in the characters' sessions, in one
 * statement whatever their number.
 */
export async function deleteGrants(
  tx: Transaction<Database>,
  excluded: readonly Excluded[],
): Promise<EndedSession[]> {
  const { rows } = await sql<EndedSession>`
    with excluded as (
      select character_id, client_id from jsonb_to_recordset(${JSON.stringify(excluded)}::jsonb)
        as one(character_id bigint, client_id text)
    ), gone as (
      delete from oidc_artifacts a using excluded e
      where a.character_id = e.character_id and a.client_id = e.client_id
      returning a.model, a.client_id, a.character_id, a.payload
    ), parted as (
      update oidc_artifacts a
      set payload = jsonb_set(a.payload, '{authorizations}', (a.payload->'authorizations') - e.clients)
      from (select character_id, array_agg(client_id) as clients from excluded group by character_id) e
      where a.model = 'Session' and a.character_id = e.character_id and a.payload->'authorizations' ?| e.clients
    ) ${whoIsTold}`.execute(tx);
  return rows;
}

/** Users whose rights a transaction may have taken away, or those of an application that may admit fewer of them. */
export type Candidates = Touched | { readonly client_id: string; readonly users: readonly number[] };

/** A user who may not log in or, where `client_id` is set, whom that application does not admit. */
export interface Unwelcome {
  readonly character_id: number;
  readonly client_id: string | null;
}

/**
 * Users with a session or grant who may not log in, or not to that application, by the state of this transaction (D27b,
 * D84).
 */
export async function findUnwelcome(tx: Transaction<Database>, candidates: Candidates): Promise<Unwelcome[]> {
  const among =
    'client_id' in candidates
      ? sql`a.client_id = ${candidates.client_id} and a.character_id = any(${[...candidates.users]}::bigint[])`
      : sql`a.character_id in (${touchedUsers(candidates)})`;
  const { rows } = await sql<Unwelcome>`
    with living as (
      select distinct a.character_id, a.client_id from oidc_artifacts a where ${among}
    )
    select u.character_id, null as client_id from users u
    where u.character_id in (select character_id from living) and not ${mayUseTokens}
    union all
    select u.character_id, cl.client_id
    from living join oidc_clients cl using (client_id) join users u using (character_id)
    where not ${inAllowedGroup}
    order by 1, 2`.execute(tx);
  return rows;
}

/** The characters that have sessions or grants at an application, by id. */
export async function findUsersOf(db: Kysely<Database>, clientId: string): Promise<number[]> {
  const rows = await db
    .selectFrom('oidc_artifacts')
    .select(sql<number>`character_id`.as('character_id'))
    .distinct()
    .where('client_id', '=', clientId)
    .where('character_id', 'is not', null)
    .orderBy('character_id')
    .execute();
  return rows.map((row) => row.character_id);
}

/** The next characters that have sessions or grants, by id. */
export async function findSignedIn(db: Kysely<Database>, after: number, most: number): Promise<number[]> {
  const rows = await db
    .selectFrom('oidc_artifacts')
    .select(sql<number>`character_id`.as('character_id'))
    .distinct()
    .where('character_id', '>', after)
    .orderBy('character_id')
    .limit(most)
    .execute();
  return rows.map((row) => row.character_id);
}

/** Deletes marks that are older than the longest session. */
export async function deleteOldEndings(db: Kysely<Database>, before: Date): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('oidc_endings')
    .where('ended_on', '<', before)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

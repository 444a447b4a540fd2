import { type Kysely, sql, type Transaction } from 'kysely';
import { inAllowedGroup } from '../access/groups-of.queries.ts';
import { mayUseTokens } from '../access/login-permission.queries.ts';
import type { Database } from '../database/tables.ts';

/** A session at an application that is over, for the application to be told. */
export interface EndedSession {
  readonly client_id: string;
  readonly character_id: number;
  /** As in the ID tokens of the session. */
  readonly sid: string;
}

/**
 * Deletes all that lives of these characters' sign-ins, and marks them, for requests that are at work and for sign-ins
 * under way, of which nothing may be stored under the character yet (D84).
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
      returning model, character_id, payload
    )
    select cl.client_id, gone.character_id, at.value->>'sid' as sid
    from gone cross join lateral jsonb_each(gone.payload->'authorizations') at
      join oidc_clients cl on cl.client_id = at.key
    where gone.model = 'Session' and cl.backchannel_logout_uri is not null and at.value->>'sid' is not null
    order by cl.client_id, sid`.execute(tx);
  return rows;
}

/** The application may know these characters no more: what it was granted, and its part in their sessions, go. */
export async function deleteGrantsOf(
  tx: Transaction<Database>,
  clientId: string,
  characterIds: readonly number[],
): Promise<EndedSession[]> {
  await sql`
    delete from oidc_artifacts
    where client_id = ${clientId} and character_id = any(${[...characterIds]}::bigint[])`.execute(tx);
  const { rows } = await sql<EndedSession & { told: boolean }>`
    with present as (
      select model, id_hash, payload->'authorizations'->${clientId}->>'sid' as sid from oidc_artifacts
      where model = 'Session' and character_id = any(${[...characterIds]}::bigint[])
        and payload->'authorizations' ? ${clientId}
      for update
    )
    update oidc_artifacts a set payload = a.payload #- array['authorizations', ${clientId}]
    from present
    where a.model = present.model and a.id_hash = present.id_hash
    returning ${clientId} as client_id, a.character_id, present.sid,
      (select cl.backchannel_logout_uri is not null from oidc_clients cl where cl.client_id = ${clientId}) as told`.execute(
    tx,
  );
  return rows.filter(({ sid, told }) => sid !== null && told);
}

/** Whose rights a transaction may have taken away: users, and whoever belongs to corporations. */
export interface Candidates {
  readonly users?: readonly number[];
  readonly corporations?: readonly number[];
}

/** Somebody who may not log in, or, where an application is named, whom that does not let in. */
export interface Unwelcome {
  readonly character_id: number;
  readonly client_id: string | null;
}

/** Who of those that live here by a session or a grant is unwelcome, as it stands in this transaction (D27b, D84). */
export async function findUnwelcome(
  tx: Transaction<Database>,
  candidates: Candidates | 'everybody',
): Promise<Unwelcome[]> {
  const { users = [], corporations = [] } = candidates === 'everybody' ? {} : candidates;
  const among =
    candidates === 'everybody'
      ? sql`a.character_id is not null`
      : sql`a.character_id in (select unnest(${[...users]}::bigint[])
          union select character_id from users where corporation_id = any(${[...corporations]}::bigint[]))`;
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

/** What people agreed to let applications learn was agreed to by whoever owned the character (D29b). */
export async function deleteConsents(tx: Kysely<Database>, characterId: number): Promise<void> {
  await tx.deleteFrom('oidc_consents').where('character_id', '=', characterId).execute();
}

/** Marks are needed as long as a session may last. */
export async function deleteOldEndings(db: Kysely<Database>, before: Date): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('oidc_endings')
    .where('ended_on', '<', before)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

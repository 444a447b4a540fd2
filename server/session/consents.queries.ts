import { type Kysely, sql } from 'kysely';
import type { Database } from '../database/tables.ts';
import { isOver } from './artifacts.queries.ts';

/** The scopes that a user has agreed to give an application. */
export async function findConsent(
  db: Kysely<Database>,
  characterId: number,
  clientId: string,
): Promise<readonly string[]> {
  const row = await db
    .selectFrom('oidc_consents')
    .select('scopes')
    .where('character_id', '=', characterId)
    .where('client_id', '=', clientId)
    .executeTakeFirst();
  return row?.scopes ?? [];
}

/** The scopes that a user consents to, and the browser session that the consent was given in. */
export interface Consent {
  readonly characterId: number;
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly sessionUid: string;
}

/**
 * Adds a consent to the stored ones. The session's row is locked meanwhile, so that the end of the session either comes
 * before (and this returns false) or deletes the new consent as well (D29b).
 */
export async function saveConsent(
  db: Kysely<Database>,
  { characterId, clientId, scopes, sessionUid }: Consent,
  now: Date,
): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    insert into oidc_consents (character_id, client_id, scopes, given_on)
    select u.character_id, cl.client_id, ${[...scopes]}::text[], ${now}
    from users u join oidc_artifacts a using (character_id) join oidc_clients cl on cl.client_id = ${clientId}
    where u.character_id = ${characterId}
      and a.model = 'Session' and a.session_uid = ${sessionUid} and a.expires_on > ${now} and not ${isOver(now)}
    -- One row: requests that overlap may have stored a session twice.
    order by a.expires_on desc limit 1
    for key share of u, a, cl
    on conflict (character_id, client_id) do update set given_on = excluded.given_on,
      scopes = array(select distinct unnest(oidc_consents.scopes || excluded.scopes) order by 1)`.execute(db);
  return numAffectedRows > 0n;
}

/**
 * Deletes a character's consents, because its former owner gave them (D29b). Call it after its sessions are deleted, so
 * that no new consent can be stored.
 */
export async function deleteConsents(tx: Kysely<Database>, characterId: number): Promise<void> {
  await tx.deleteFrom('oidc_consents').where('character_id', '=', characterId).execute();
}

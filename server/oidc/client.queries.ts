import { type Insertable, type Kysely, sql, type Transaction, type Updateable } from 'kysely';
import type { Database, OidcClientTable } from '../database/tables.ts';

/** A stored application with its allowed groups; null means that everybody who may log in is admitted. */
export interface ClientRow {
  readonly client_id: string;
  readonly client_name: string;
  /** Null for a public client. */
  readonly secret_hash: string | null;
  readonly redirect_uris: string[];
  readonly post_logout_redirect_uris: string[];
  readonly backchannel_logout_uri: string | null;
  readonly id_token_alg: 'RS256' | 'EdDSA' | null;
  readonly first_party: boolean;
  readonly allowed_groups: string[] | null;
  readonly created_on: Date;
  readonly last_used_on: Date | null;
}

const client = sql<ClientRow>`
  select c.client_id, c.client_name, c.secret_hash, c.redirect_uris, c.post_logout_redirect_uris,
    c.backchannel_logout_uri, c.id_token_alg, c.first_party, c.created_on, c.last_used_on,
    case when c.restricted then array(
      select g.group_id::text from oidc_client_groups g where g.client_id = c.client_id order by 1) end as allowed_groups
  from oidc_clients c`;

/** All applications in the order of D9. */
export async function listClients(db: Kysely<Database>): Promise<ClientRow[]> {
  return (await sql<ClientRow>`${client} order by c.name_key, c.client_id`.execute(db)).rows;
}

export async function findClient(db: Kysely<Database>, clientId: string): Promise<ClientRow | undefined> {
  return (await sql<ClientRow>`${client} where c.client_id = ${clientId}`.execute(db)).rows[0];
}

/**
 * Like {@link findClient}, and locks the row until the transaction ends. Read by a statement of its own: what the one that
 * waits for the lock reads of other tables is from before.
 */
export async function lockClient(
  tx: Transaction<Database>,
  clientId: string,
): Promise<ClientRow | undefined> {
  await tx.selectFrom('oidc_clients').where('client_id', '=', clientId).forNoKeyUpdate().execute();
  return findClient(tx, clientId);
}

export async function insertClient(db: Kysely<Database>, row: Insertable<OidcClientTable>): Promise<void> {
  await db.insertInto('oidc_clients').values(row).execute();
}

export async function setClient(
  db: Kysely<Database>,
  clientId: string,
  values: Updateable<OidcClientTable>,
): Promise<void> {
  await db.updateTable('oidc_clients').set(values).where('client_id', '=', clientId).execute();
}

/** Those of the groups that exist, locked against deletion until the transaction ends. */
export async function lockGroups(
  tx: Transaction<Database>,
  groupIds: readonly string[],
): Promise<Set<string>> {
  if (groupIds.length === 0) return new Set();
  const rows = await tx
    .selectFrom('groups')
    .select('group_id')
    .where('group_id', 'in', [...groupIds])
    .orderBy('group_id')
    .forKeyShare()
    .execute();
  return new Set(rows.map(({ group_id }) => group_id));
}

export async function setAllowedGroups(
  db: Kysely<Database>,
  clientId: string,
  groupIds: readonly string[],
): Promise<void> {
  await db.deleteFrom('oidc_client_groups').where('client_id', '=', clientId).execute();
  await sql`insert into oidc_client_groups (client_id, group_id)
    select ${clientId}, unnest(${[...groupIds]}::text[])`.execute(db);
}

/** Deletes an application with its grants, codes, tokens and consents. */
export async function deleteClient(db: Kysely<Database>, clientId: string): Promise<void> {
  await db.deleteFrom('oidc_clients').where('client_id', '=', clientId).execute();
}

/** Stores when an application was last issued tokens, at most once a minute. */
export async function recordUse(db: Kysely<Database>, clientId: string, now: Date): Promise<void> {
  await db
    .updateTable('oidc_clients')
    .set({ last_used_on: now })
    .where('client_id', '=', clientId)
    .where((eb) =>
      eb.or([eb('last_used_on', 'is', null), eb('last_used_on', '<', new Date(now.getTime() - 60_000))]),
    )
    .execute();
}

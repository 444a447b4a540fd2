import { type Kysely, sql } from 'kysely';

/** OpenID Connect: who may ask who signs in, and what lives between a browser, an application and the service. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table oidc_clients (
      client_id object_id primary key,
      client_name text not null,
      name_key text collate "C" not null,
      secret_hash text,
      redirect_uris text[] not null,
      post_logout_redirect_uris text[] not null,
      backchannel_logout_uri text,
      id_token_alg text check (id_token_alg in ('RS256', 'EdDSA')),
      first_party boolean not null,
      restricted boolean not null,
      created_on timestamptz(3) not null default now(),
      updated_on timestamptz(3) not null default now(),
      last_used_on timestamptz(3)
    )`.execute(db);
  await sql`comment on column oidc_clients.secret_hash is 'SHA-256; null: a public client.'`.execute(db);
  await sql`comment on column oidc_clients.restricted is
    'Only members of the groups in oidc_client_groups get in: nobody, once all of them are deleted.'`.execute(
    db,
  );
  await sql`
    create table oidc_client_groups (
      client_id object_id not null references oidc_clients on delete cascade,
      group_id object_id not null references groups on delete cascade,
      primary key (client_id, group_id)
    )`.execute(db);
  await sql`create index oidc_client_groups_group_id_idx on oidc_client_groups (group_id)`.execute(db);
  await sql`
    create table oidc_artifacts (
      model text not null,
      id_hash text not null,
      payload jsonb not null,
      grant_hash text,
      session_uid text,
      character_id game_id references users on delete cascade,
      client_id object_id references oidc_clients on delete cascade,
      expires_on timestamptz(3) not null,
      consumed_on timestamptz(3),
      primary key (model, id_hash)
    )`.execute(db);
  await sql`comment on table oidc_artifacts is
    'Browser sessions, interactions, grants, codes and tokens, by the SHA-256 of what proves them.'`.execute(
    db,
  );
  for (const column of ['grant_hash', 'session_uid', 'character_id', 'client_id']) {
    await sql`create index ${sql.ref(`oidc_artifacts_${column}_idx`)} on oidc_artifacts (${sql.ref(column)})
      where ${sql.ref(column)} is not null`.execute(db);
  }
  await sql`create index oidc_artifacts_expires_on_idx on oidc_artifacts (expires_on)`.execute(db);
  await sql`
    create table oidc_endings (
      character_id game_id primary key,
      ended_on timestamptz(3) not null
    )`.execute(db);
  await sql`comment on table oidc_endings is
    'Sessions of these characters that began before are over, though a request at work may write them once more.'`.execute(
    db,
  );
  await sql`
    create table oidc_consents (
      character_id game_id not null references users on delete cascade,
      client_id object_id not null references oidc_clients on delete cascade,
      scopes text[] not null,
      given_on timestamptz(3) not null,
      primary key (character_id, client_id)
    )`.execute(db);
  await sql`create index oidc_consents_client_id_idx on oidc_consents (client_id)`.execute(db);
  await sql`
    alter table state_codes
      add column interaction_hash text,
      add column signed_in_id game_id references users on delete cascade,
      drop constraint bound_or_invitation,
      add constraint leads_somewhere check (num_nonnulls(app_token, corporation_id, interaction_hash) > 0)`.execute(
    db,
  );
  await sql`comment on column state_codes.interaction_hash is
    'SHA-256 of the interaction of OpenID Connect that goes on where the sign-in ends.'`.execute(db);
  await sql`create index state_codes_interaction_hash_idx on state_codes (interaction_hash)
    where interaction_hash is not null`.execute(db);
  await sql`create index state_codes_signed_in_id_idx on state_codes (signed_in_id)
    where signed_in_id is not null`.execute(db);
}

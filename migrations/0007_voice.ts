import { type Kysely, sql } from 'kysely';

const statements = [
  `create table voice_challenges (
     character_id game_id primary key references users on delete cascade,
     nickname text not null,
     created_on timestamptz(3) not null,
     expires_on timestamptz(3) not null
   )`,
  `comment on table voice_challenges is 'One living challenge for each user: a new one replaces it (D40).'`,

  `create table voice_identities (
     client_database_id bigint primary key check (client_database_id > 0),
     character_id game_id constraint one_voice_identity unique references users on delete set null,
     bound_on timestamptz(3) not null,
     told_on timestamptz(3)
   )`,
  `comment on column voice_identities.character_id is
     'Whose it is (D41). Null: formerly somebody''s, so that what it was given on the voice server is taken away.'`,
  `comment on column voice_identities.told_on is 'When its user was last told that the nickname is wrong.'`,

  `create table voice_groups (
     group_id object_id primary key,
     sgid bigint not null constraint one_group_for_a_server_group unique check (sgid > 0),
     bound_on timestamptz(3) not null
   )`,
  `comment on table voice_groups is
     'Server groups that we made, by id (D18b). No reference: a deleted group''s server group is emptied.'`,

  `create unique index one_voice_group on groups (is_voice) where is_voice`,
];

/** Challenges, identities and server groups of the voice server (D40, D41). */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

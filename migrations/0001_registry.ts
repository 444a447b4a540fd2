import { type Kysely, sql } from 'kysely';

/**
 * The registry: who exists, who belongs to whom, who holds which token.
 *
 * Conventions: ids of the game are bigints up to 2^53−1; `name_key` is the name after NFC and case folding
 * (made by `server/database/name-key.ts`), for order and uniqueness whatever the database's locale; the
 * "C" collation keeps that order the same on every server.
 */
const statements = [
  `create domain game_id as bigint check (value between 0 and 9007199254740991)`,
  `create domain object_id as text check (value ~ '^[0-9a-f]{24}$')`,
  `create table alliances (
     alliance_id game_id primary key,
     alliance_name text not null,
     name_key text collate "C" not null,
     ticker text not null,
     executor_corporation_id game_id not null,
     mandatory_ext_scopes text[] not null default '{}',
     created_on timestamptz(3) not null default now(),
     updated_on timestamptz(3) not null default now(),
     refreshed_on timestamptz(3) not null default now()
   )`,
  `create table corporations (
     corporation_id game_id primary key check (corporation_id >= 2000000),
     corporation_name text not null,
     name_key text collate "C" not null,
     ticker text not null,
     alliance_id game_id references alliances,
     ceo_id game_id not null,
     ceo_name text not null,
     mandatory_ext_scopes text[] not null default '{}',
     created_on timestamptz(3) not null default now(),
     updated_on timestamptz(3) not null default now(),
     refreshed_on timestamptz(3) not null default now()
   )`,
  `comment on column corporations.ceo_id is
     'No reference: a deleted user stays the CEO of its corporation (D19b).'`,
  `alter table alliances add foreign key (executor_corporation_id)
     references corporations deferrable initially deferred`,
  `create table users (
     character_id game_id primary key,
     character_name text not null,
     name_key text collate "C" not null,
     clearance_level smallint not null default 0 check (clearance_level between -1 and 10),
     corporation_id game_id references corporations,
     owner_hash text,
     created_on timestamptz(3) not null default now(),
     updated_on timestamptz(3) not null default now(),
     seen_on timestamptz(3) not null default now(),
     signed_in_on timestamptz(3),
     constraint guest_has_host check (clearance_level >= 0 or corporation_id is not null),
     constraint built_in_user check (character_id <> 0 or (clearance_level = 10 and corporation_id is null))
   )`,
  `comment on column users.clearance_level is
     '-1 is a guest of corporation_id; members have 0 to 10.'`,
  `comment on column users.owner_hash is
     'Whom the character belongs to at the provider; a change means that it was handed over (D29b).'`,
  `comment on column users.seen_on is
     'When the provider last confirmed the name: of two users with one name the last seen answers (D38).'`,
  `create table coalitions (
     coalition_id object_id primary key,
     coalition_name text not null,
     name_key text collate "C" not null constraint coalition_name_taken unique,
     ticker text not null,
     authorized_to_login boolean,
     mandatory_ext_scopes text[] not null default '{}',
     created_on timestamptz(3) not null default now(),
     updated_on timestamptz(3) not null default now()
   )`,
  `create table coalition_alliances (
     coalition_id object_id references coalitions on delete cascade,
     alliance_id game_id references alliances,
     primary key (coalition_id, alliance_id)
   )`,
  `create table coalition_corporations (
     coalition_id object_id references coalitions on delete cascade,
     corporation_id game_id references corporations,
     primary key (coalition_id, corporation_id)
   )`,
  `create table groups (
     group_id object_id primary key,
     group_name text not null,
     name_key text collate "C" not null constraint group_name_taken unique,
     description text not null default '',
     authorized_to_login boolean,
     owner_id game_id,
     corporation_id game_id unique references corporations,
     alliance_id game_id unique references alliances,
     coalition_id object_id unique references coalitions on delete cascade,
     is_voice boolean not null default false,
     created_on timestamptz(3) not null default now(),
     updated_on timestamptz(3) not null default now(),
     is_autogroup boolean not null generated always as
       (is_voice or num_nonnulls(corporation_id, alliance_id, coalition_id) > 0) stored,
     constraint one_source check
       (num_nonnulls(corporation_id, alliance_id, coalition_id) + is_voice::int <= 1),
     constraint autogroup_has_no_stored_owner check
       (owner_id is null or (not is_voice and num_nonnulls(corporation_id, alliance_id, coalition_id) = 0))
   )`,
  `comment on column groups.corporation_id is
     'The body whose members an autogroup follows, by id (D18b); its members and owner are derived.'`,
  `create table group_members (
     group_id object_id references groups on delete cascade,
     character_id game_id references users on delete cascade,
     primary key (group_id, character_id)
   )`,
  `alter table groups add constraint owner_is_member foreign key (group_id, owner_id)
     references group_members on delete set null (owner_id) deferrable initially deferred`,
  `create table tokens (
     uuid uuid primary key,
     token_type text not null check (token_type in ('dyn', 'per', 'use')),
     owner_id game_id not null references users on delete cascade,
     parent uuid references tokens on delete cascade,
     app_token uuid not null references tokens on delete cascade deferrable initially deferred,
     kid text not null,
     callback text,
     comments text,
     created_on timestamptz(3) not null default now(),
     expires_on timestamptz(3),
     constraint user_tokens_expire check ((token_type = 'use') = (expires_on is not null)),
     constraint user_tokens_descend check (token_type <> 'use' or parent is not null)
   )`,
  `comment on column tokens.app_token is
     'The application token that a token descends from, itself for an application token: the azp of its JWT.'`,
  `create table state_codes (
     state_code text primary key,
     app_token uuid references tokens on delete cascade,
     corporation_id game_id references corporations,
     scopes text[] not null default '{}',
     code_verifier text not null,
     created_on timestamptz(3) not null default now(),
     expires_on timestamptz(3) not null,
     used_on timestamptz(3),
     constraint bound_or_invitation check (app_token is not null or corporation_id is not null)
   )`,
  `comment on column state_codes.corporation_id is 'The inviting corporation of a guest code (D28).'`,
  `create table grants (
     grant_id uuid primary key,
     character_id game_id not null references users on delete cascade,
     scopes text[] not null,
     refresh_token bytea not null,
     access_token bytea,
     access_expires_on timestamptz(3),
     valid boolean not null default true,
     cause text,
     created_on timestamptz(3) not null default now(),
     updated_on timestamptz(3) not null default now(),
     constraint one_grant_per_scopes unique (character_id, scopes)
   )`,
  `comment on column grants.refresh_token is 'AES-256-GCM, bound to the row and column (D34).'`,
  `comment on column grants.scopes is 'Sorted, in our own spelling (ext-).'`,
  `comment on column grants.cause is 'What the provider said when it refused the refresh token.'`,
  `create table crash_reports (
     id object_id primary key,
     version smallint not null default 1,
     request jsonb not null,
     timestamp timestamptz(3) not null default now(),
     token jsonb,
     trace text not null
   )`,
  `create index on alliances (name_key, alliance_id)`,
  `create index on corporations (name_key, corporation_id)`,
  `create index on corporations (alliance_id) where alliance_id is not null`,
  `create index on users (name_key, character_id)`,
  `create index on users (character_name, seen_on desc)`,
  `create index on users (corporation_id) where corporation_id is not null`,
  `create index on alliances (executor_corporation_id)`,
  `create index on coalition_alliances (alliance_id)`,
  `create index on coalition_corporations (corporation_id)`,
  `create index on group_members (character_id)`,
  `create index on groups (owner_id) where owner_id is not null`,
  `create index on tokens (owner_id)`,
  `create index on tokens (parent) where parent is not null`,
  `create index on tokens (app_token)`,
  `create index on tokens (expires_on) where expires_on is not null`,
  `create index on state_codes (app_token)`,
  `create index on state_codes (corporation_id) where corporation_id is not null`,
  `create index on state_codes (expires_on)`,
  `create index on crash_reports (timestamp desc)`,
  `-- Every way in which a user, or a body it belongs to, is reached by a coalition.
   create view coalition_reach as
     select corporation_id, coalition_id from coalition_corporations
     union
     select corporation_id, coalition_id
     from corporations join coalition_alliances using (alliance_id)`,
  `-- What every group and coalition says about a user's login (D27). For a guest the voices are those of
   -- its host; a hand-made group can only shut a guest out.
   create view login_rules as
     select m.character_id, g.authorized_to_login as authorized
     from group_members m
       join groups g using (group_id)
       join users u using (character_id)
     where g.authorized_to_login is not null and (u.clearance_level >= 0 or not g.authorized_to_login)
     union all
     select u.character_id, c.authorized_to_login
     from users u
       join coalition_reach r using (corporation_id)
       join coalitions c using (coalition_id)
     where c.authorized_to_login is not null
     union all
     select u.character_id, g.authorized_to_login
     from users u
       join groups g on g.corporation_id = u.corporation_id
     where g.authorized_to_login is not null
     union all
     select u.character_id, g.authorized_to_login
     from users u
       join corporations c on c.corporation_id = u.corporation_id
       join groups g on g.alliance_id = c.alliance_id
     where g.authorized_to_login is not null
     union all
     select u.character_id, g.authorized_to_login
     from users u
       join coalition_reach r on r.corporation_id = u.corporation_id
       join groups g on g.coalition_id = r.coalition_id
     where g.authorized_to_login is not null`,
  `insert into users (character_id, character_name, name_key, clearance_level)
     values (0, '(built-in)', '(built-in)', 10)`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

-- Written from the database by `npm run generate`; to change it, add a migration.

set check_function_bodies = off;

create domain game_id as bigint
  constraint game_id_check CHECK (VALUE >= 0 AND VALUE <= '9007199254740991'::bigint);

create domain object_id as text
  constraint object_id_check CHECK (VALUE ~ '^[0-9a-f]{24}$'::text);

create table alliances (
  alliance_id game_id not null,
  alliance_name text not null,
  name_key text collate "C" not null,
  ticker text not null,
  executor_corporation_id game_id not null,
  mandatory_ext_scopes text[] default '{}'::text[] not null,
  created_on timestamp(3) with time zone default now() not null,
  updated_on timestamp(3) with time zone default now() not null,
  refreshed_on timestamp(3) with time zone default now() not null,
  constraint alliances_pkey PRIMARY KEY (alliance_id)
);

create table character_locations (
  character_id game_id not null,
  "timestamp" timestamp(3) with time zone not null,
  online boolean not null,
  ship_name text not null,
  ship_type_id game_id not null,
  ship_type_name text not null,
  solar_system_id game_id not null,
  solar_system_name text not null,
  station_id game_id,
  station_name text,
  structure_id game_id,
  structure_name text,
  constraint character_locations_pkey PRIMARY KEY (character_id, "timestamp")
) partition by RANGE ("timestamp");

create table character_skill_points (
  character_id game_id not null,
  "timestamp" timestamp(3) with time zone not null,
  total_sp bigint not null,
  unallocated_sp bigint not null,
  constraint character_skill_points_pkey PRIMARY KEY (character_id, "timestamp")
) partition by RANGE ("timestamp");

create table character_wallets (
  character_id game_id not null,
  "timestamp" timestamp(3) with time zone not null,
  balance double precision not null,
  constraint character_wallets_pkey PRIMARY KEY (character_id, "timestamp")
) partition by RANGE ("timestamp");

create table coalition_alliances (
  coalition_id object_id not null,
  alliance_id game_id not null,
  constraint coalition_alliances_pkey PRIMARY KEY (coalition_id, alliance_id)
);

create table coalition_corporations (
  coalition_id object_id not null,
  corporation_id game_id not null,
  constraint coalition_corporations_pkey PRIMARY KEY (coalition_id, corporation_id)
);

create table coalitions (
  coalition_id object_id not null,
  coalition_name text not null,
  name_key text collate "C" not null,
  ticker text not null,
  authorized_to_login boolean,
  mandatory_ext_scopes text[] default '{}'::text[] not null,
  created_on timestamp(3) with time zone default now() not null,
  updated_on timestamp(3) with time zone default now() not null,
  constraint coalitions_pkey PRIMARY KEY (coalition_id),
  constraint coalition_name_taken UNIQUE (name_key)
);

create table corporations (
  corporation_id game_id not null,
  corporation_name text not null,
  name_key text collate "C" not null,
  ticker text not null,
  alliance_id game_id,
  ceo_id game_id not null,
  ceo_name text not null,
  mandatory_ext_scopes text[] default '{}'::text[] not null,
  created_on timestamp(3) with time zone default now() not null,
  updated_on timestamp(3) with time zone default now() not null,
  refreshed_on timestamp(3) with time zone default now() not null,
  constraint corporations_pkey PRIMARY KEY (corporation_id),
  constraint corporations_corporation_id_check CHECK (corporation_id::bigint >= 2000000)
);

create table crash_reports (
  id object_id not null,
  version smallint default 1 not null,
  request jsonb not null,
  "timestamp" timestamp(3) with time zone default now() not null,
  token jsonb,
  trace text not null,
  constraint crash_reports_pkey PRIMARY KEY (id)
);

create table grants (
  grant_id uuid not null,
  character_id game_id not null,
  scopes text[] not null,
  refresh_token bytea not null,
  access_token bytea,
  access_expires_on timestamp(3) with time zone,
  valid boolean default true not null,
  cause text,
  created_on timestamp(3) with time zone default now() not null,
  updated_on timestamp(3) with time zone default now() not null,
  constraint grants_pkey PRIMARY KEY (grant_id),
  constraint one_grant_per_scopes UNIQUE (character_id, scopes)
);

create table group_members (
  group_id object_id not null,
  character_id game_id not null,
  constraint group_members_pkey PRIMARY KEY (group_id, character_id)
);

create table groups (
  group_id object_id not null,
  group_name text not null,
  name_key text collate "C" not null,
  description text default ''::text not null,
  authorized_to_login boolean,
  owner_id game_id,
  corporation_id game_id,
  alliance_id game_id,
  coalition_id object_id,
  is_voice boolean default false not null,
  created_on timestamp(3) with time zone default now() not null,
  updated_on timestamp(3) with time zone default now() not null,
  is_autogroup boolean generated always as (is_voice OR num_nonnulls(corporation_id, alliance_id, coalition_id) > 0) stored not null,
  constraint groups_pkey PRIMARY KEY (group_id),
  constraint group_name_taken UNIQUE (name_key),
  constraint groups_alliance_id_key UNIQUE (alliance_id),
  constraint groups_coalition_id_key UNIQUE (coalition_id),
  constraint groups_corporation_id_key UNIQUE (corporation_id),
  constraint autogroup_has_no_stored_owner CHECK (owner_id IS NULL OR NOT is_voice AND num_nonnulls(corporation_id, alliance_id, coalition_id) = 0),
  constraint one_source CHECK ((num_nonnulls(corporation_id, alliance_id, coalition_id) + is_voice::integer) <= 1)
);

create table mailbox_mails (
  character_id game_id not null,
  mail_id game_id not null,
  "position" bigint not null,
  wants_body boolean not null,
  constraint mailbox_mails_pkey PRIMARY KEY (character_id, mail_id),
  constraint one_mail_per_position UNIQUE (character_id, "position") DEFERRABLE
);

create table mailboxes (
  character_id game_id not null,
  complete boolean default false not null,
  constraint mailboxes_pkey PRIMARY KEY (character_id)
);

create table mails (
  mail_id game_id not null,
  from_id game_id not null,
  from_name text not null,
  recipients jsonb not null,
  subject text not null,
  "timestamp" timestamp(3) with time zone not null,
  body text,
  constraint mails_pkey PRIMARY KEY (mail_id)
);

create table names (
  id game_id not null,
  name text,
  category text,
  known_on timestamp(3) with time zone not null,
  constraint names_pkey PRIMARY KEY (id)
);

create table state_codes (
  state_code text not null,
  app_token uuid,
  corporation_id game_id,
  scopes text[] default '{}'::text[] not null,
  code_verifier text not null,
  created_on timestamp(3) with time zone default now() not null,
  expires_on timestamp(3) with time zone not null,
  used_on timestamp(3) with time zone,
  constraint state_codes_pkey PRIMARY KEY (state_code),
  constraint bound_or_invitation CHECK (app_token IS NOT NULL OR corporation_id IS NOT NULL)
);

create table tokens (
  uuid uuid not null,
  token_type text not null,
  owner_id game_id not null,
  parent uuid,
  app_token uuid not null,
  kid text not null,
  callback text,
  comments text,
  created_on timestamp(3) with time zone default now() not null,
  expires_on timestamp(3) with time zone,
  constraint tokens_pkey PRIMARY KEY (uuid),
  constraint tokens_token_type_check CHECK (token_type = ANY (ARRAY['dyn'::text, 'per'::text, 'use'::text])),
  constraint user_tokens_descend CHECK (token_type <> 'use'::text OR parent IS NOT NULL),
  constraint user_tokens_expire CHECK ((token_type = 'use'::text) = (expires_on IS NOT NULL))
);

create table users (
  character_id game_id not null,
  character_name text not null,
  name_key text collate "C" not null,
  clearance_level smallint default 0 not null,
  corporation_id game_id,
  owner_hash text,
  created_on timestamp(3) with time zone default now() not null,
  updated_on timestamp(3) with time zone default now() not null,
  seen_on timestamp(3) with time zone default now() not null,
  signed_in_on timestamp(3) with time zone,
  constraint users_pkey PRIMARY KEY (character_id),
  constraint built_in_user CHECK (character_id::bigint <> 0 OR clearance_level = 10 AND corporation_id IS NULL),
  constraint guest_has_host CHECK (clearance_level >= 0 OR corporation_id IS NOT NULL),
  constraint users_clearance_level_check CHECK (clearance_level >= '-1'::integer AND clearance_level <= 10)
);

alter table alliances add constraint alliances_executor_corporation_id_fkey FOREIGN KEY (executor_corporation_id) REFERENCES corporations(corporation_id) DEFERRABLE INITIALLY DEFERRED;
alter table coalition_alliances add constraint coalition_alliances_alliance_id_fkey FOREIGN KEY (alliance_id) REFERENCES alliances(alliance_id);
alter table coalition_alliances add constraint coalition_alliances_coalition_id_fkey FOREIGN KEY (coalition_id) REFERENCES coalitions(coalition_id) ON DELETE CASCADE;
alter table coalition_corporations add constraint coalition_corporations_coalition_id_fkey FOREIGN KEY (coalition_id) REFERENCES coalitions(coalition_id) ON DELETE CASCADE;
alter table coalition_corporations add constraint coalition_corporations_corporation_id_fkey FOREIGN KEY (corporation_id) REFERENCES corporations(corporation_id);
alter table corporations add constraint corporations_alliance_id_fkey FOREIGN KEY (alliance_id) REFERENCES alliances(alliance_id);
alter table grants add constraint grants_character_id_fkey FOREIGN KEY (character_id) REFERENCES users(character_id) ON DELETE CASCADE;
alter table group_members add constraint group_members_character_id_fkey FOREIGN KEY (character_id) REFERENCES users(character_id) ON DELETE CASCADE;
alter table group_members add constraint group_members_group_id_fkey FOREIGN KEY (group_id) REFERENCES groups(group_id) ON DELETE CASCADE;
alter table groups add constraint groups_alliance_id_fkey FOREIGN KEY (alliance_id) REFERENCES alliances(alliance_id);
alter table groups add constraint groups_coalition_id_fkey FOREIGN KEY (coalition_id) REFERENCES coalitions(coalition_id) ON DELETE CASCADE;
alter table groups add constraint groups_corporation_id_fkey FOREIGN KEY (corporation_id) REFERENCES corporations(corporation_id);
alter table groups add constraint owner_is_member FOREIGN KEY (group_id, owner_id) REFERENCES group_members(group_id, character_id) ON DELETE SET NULL (owner_id) DEFERRABLE INITIALLY DEFERRED;
alter table mailbox_mails add constraint mailbox_mails_character_id_fkey FOREIGN KEY (character_id) REFERENCES mailboxes(character_id) ON DELETE CASCADE;
alter table mailbox_mails add constraint mailbox_mails_mail_id_fkey FOREIGN KEY (mail_id) REFERENCES mails(mail_id);
alter table mailboxes add constraint mailboxes_character_id_fkey FOREIGN KEY (character_id) REFERENCES users(character_id) ON DELETE CASCADE;
alter table state_codes add constraint state_codes_app_token_fkey FOREIGN KEY (app_token) REFERENCES tokens(uuid) ON DELETE CASCADE;
alter table state_codes add constraint state_codes_corporation_id_fkey FOREIGN KEY (corporation_id) REFERENCES corporations(corporation_id);
alter table tokens add constraint tokens_app_token_fkey FOREIGN KEY (app_token) REFERENCES tokens(uuid) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;
alter table tokens add constraint tokens_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users(character_id) ON DELETE CASCADE;
alter table tokens add constraint tokens_parent_fkey FOREIGN KEY (parent) REFERENCES tokens(uuid) ON DELETE CASCADE;
alter table users add constraint users_corporation_id_fkey FOREIGN KEY (corporation_id) REFERENCES corporations(corporation_id);

CREATE INDEX alliances_executor_corporation_id_idx ON alliances USING btree (executor_corporation_id);
CREATE INDEX alliances_name_key_alliance_id_idx ON alliances USING btree (name_key, alliance_id);
CREATE INDEX coalition_alliances_alliance_id_idx ON coalition_alliances USING btree (alliance_id);
CREATE INDEX coalition_corporations_corporation_id_idx ON coalition_corporations USING btree (corporation_id);
CREATE INDEX corporations_alliance_id_idx ON corporations USING btree (alliance_id) WHERE alliance_id IS NOT NULL;
CREATE INDEX corporations_name_key_corporation_id_idx ON corporations USING btree (name_key, corporation_id);
CREATE INDEX crash_reports_timestamp_idx ON crash_reports USING btree ("timestamp" DESC);
CREATE INDEX group_members_character_id_idx ON group_members USING btree (character_id);
CREATE INDEX groups_owner_id_idx ON groups USING btree (owner_id) WHERE owner_id IS NOT NULL;
CREATE INDEX mailbox_mails_character_id_position_idx ON mailbox_mails USING btree (character_id, "position") WHERE wants_body;
CREATE INDEX mailbox_mails_mail_id_idx ON mailbox_mails USING btree (mail_id);
CREATE INDEX names_known_on_idx ON names USING btree (known_on);
CREATE INDEX state_codes_app_token_idx ON state_codes USING btree (app_token);
CREATE INDEX state_codes_corporation_id_idx ON state_codes USING btree (corporation_id) WHERE corporation_id IS NOT NULL;
CREATE INDEX state_codes_expires_on_idx ON state_codes USING btree (expires_on);
CREATE INDEX tokens_app_token_idx ON tokens USING btree (app_token);
CREATE INDEX tokens_expires_on_idx ON tokens USING btree (expires_on) WHERE expires_on IS NOT NULL;
CREATE INDEX tokens_owner_id_idx ON tokens USING btree (owner_id);
CREATE INDEX tokens_parent_idx ON tokens USING btree (parent) WHERE parent IS NOT NULL;
CREATE INDEX users_character_name_seen_on_idx ON users USING btree (character_name, seen_on DESC);
CREATE INDEX users_corporation_id_idx ON users USING btree (corporation_id) WHERE corporation_id IS NOT NULL;
CREATE INDEX users_name_key_character_id_idx ON users USING btree (name_key, character_id);

create view coalition_reach as
 SELECT coalition_corporations.corporation_id,
    coalition_corporations.coalition_id
   FROM coalition_corporations
UNION
 SELECT corporations.corporation_id,
    coalition_alliances.coalition_id
   FROM corporations
     JOIN coalition_alliances USING (alliance_id);

create view login_rules as
 SELECT m.character_id,
    g.authorized_to_login AS authorized
   FROM group_members m
     JOIN groups g USING (group_id)
     JOIN users u USING (character_id)
  WHERE g.authorized_to_login IS NOT NULL AND (u.clearance_level >= 0 OR NOT g.authorized_to_login)
UNION ALL
 SELECT u.character_id,
    c.authorized_to_login AS authorized
   FROM users u
     JOIN coalition_reach r USING (corporation_id)
     JOIN coalitions c USING (coalition_id)
  WHERE c.authorized_to_login IS NOT NULL
UNION ALL
 SELECT u.character_id,
    g.authorized_to_login AS authorized
   FROM users u
     JOIN groups g ON g.corporation_id::bigint = u.corporation_id::bigint
  WHERE g.authorized_to_login IS NOT NULL
UNION ALL
 SELECT u.character_id,
    g.authorized_to_login AS authorized
   FROM users u
     JOIN corporations c ON c.corporation_id::bigint = u.corporation_id::bigint
     JOIN groups g ON g.alliance_id::bigint = c.alliance_id::bigint
  WHERE g.authorized_to_login IS NOT NULL
UNION ALL
 SELECT u.character_id,
    g.authorized_to_login AS authorized
   FROM users u
     JOIN coalition_reach r ON r.corporation_id::bigint = u.corporation_id::bigint
     JOIN groups g ON g.coalition_id::text = r.coalition_id::text
  WHERE g.authorized_to_login IS NOT NULL;

comment on column corporations.ceo_id is 'No reference: a deleted user stays the CEO of its corporation (D19b).';
comment on column grants.cause is 'What the provider said when it refused the refresh token.';
comment on column grants.refresh_token is 'AES-256-GCM, bound to the row and column (D34).';
comment on column grants.scopes is 'Sorted, in our own spelling (ext-).';
comment on column groups.corporation_id is 'The body whose members an autogroup follows, by id (D18b); its members and owner are derived.';
comment on column mailbox_mails."position" is 'Counts from older to newer mails without a gap: a page is a range of positions, however many there are.';
comment on column mailbox_mails.wants_body is 'The text is still to be fetched from this mailbox.';
comment on column mailboxes.complete is 'The oldest mail of the character was reached once.';
comment on column mails.body is 'Plain text; null until it was fetched.';
comment on column state_codes.corporation_id is 'The inviting corporation of a guest code (D28).';
comment on column tokens.app_token is 'The application token that a token descends from, itself for an application token: the azp of its JWT.';
comment on column users.clearance_level is '-1 is a guest of corporation_id; members have 0 to 10.';
comment on column users.owner_hash is 'Whom the character belongs to at the provider; a change means that it was handed over (D29b).';
comment on column users.seen_on is 'When the provider last confirmed the name: of two users with one name the last seen answers (D38).';

-- Written from the database by `npm run generate`; to change it, add a migration or edit a function.

set check_function_bodies = off;

create domain game_id as bigint
  constraint game_id_check CHECK (VALUE >= 0 AND VALUE <= '9007199254740991'::bigint);

create domain object_id as text
  constraint object_id_check CHECK (VALUE ~ '^[0-9a-f]{24}$'::text);

create sequence registry_revision;

CREATE FUNCTION events_arrive()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into unsealed_events (event_id, digest)
    select event_id, sha256(convert_to(body, 'UTF8')) from arrived order by event_id;
  insert into event_subjects (key, event_id)
    select distinct key, event_id
    from arrived, unnest(targets || array(select 'user:' || id from unnest(concerns) id)) key;
  perform pg_notify('castellan_events', 'written') where exists (select from arrived);
  return null;
end $function$;

CREATE FUNCTION ext_scopes()
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN '{esi.activity.char:read,esi.cosmetic.char:read,ext-access.read_lists.v1,ext-activities.read_character.v1,ext-alliances.read_contacts.v1,ext-assets.read_assets.v1,ext-assets.read_corporation_assets.v1,ext-calendar.read_calendar_events.v1,ext-calendar.respond_calendar_events.v1,ext-characters.read_agents_research.v1,ext-characters.read_blueprints.v1,ext-characters.read_contacts.v1,ext-characters.read_corporation_roles.v1,ext-characters.read_fatigue.v1,ext-characters.read_freelance_jobs.v1,ext-characters.read_fw_stats.v1,ext-characters.read_loyalty.v1,ext-characters.read_medals.v1,ext-characters.read_notifications.v1,ext-characters.read_standings.v1,ext-characters.read_titles.v1,ext-characters.write_contacts.v1,ext-clones.read_clones.v1,ext-clones.read_implants.v1,ext-contracts.read_character_contracts.v1,ext-contracts.read_corporation_contracts.v1,ext-corporations.read_blueprints.v1,ext-corporations.read_contacts.v1,ext-corporations.read_container_logs.v1,ext-corporations.read_corporation_membership.v1,ext-corporations.read_divisions.v1,ext-corporations.read_facilities.v1,ext-corporations.read_freelance_jobs.v1,ext-corporations.read_fw_stats.v1,ext-corporations.read_medals.v1,ext-corporations.read_projects.v1,ext-corporations.read_standings.v1,ext-corporations.read_starbases.v1,ext-corporations.read_structures.v1,ext-corporations.read_titles.v1,ext-corporations.track_members.v1,ext-fittings.read_fittings.v1,ext-fittings.write_fittings.v1,ext-fleets.read_fleet.v1,ext-fleets.write_fleet.v1,ext-industry.read_character_jobs.v1,ext-industry.read_character_mining.v1,ext-industry.read_corporation_jobs.v1,ext-industry.read_corporation_mining.v1,ext-killmails.read_corporation_killmails.v1,ext-killmails.read_killmails.v1,ext-location.read_location.v1,ext-location.read_online.v1,ext-location.read_ship_type.v1,ext-mail.organize_mail.v1,ext-mail.read_mail.v1,ext-mail.send_mail.v1,ext-markets.read_character_orders.v1,ext-markets.read_corporation_orders.v1,ext-markets.structure_markets.v1,ext-planets.manage_planets.v1,ext-planets.read_customs_offices.v1,ext-search.search_structures.v1,ext-skills.read_skillqueue.v1,ext-skills.read_skills.v1,ext-structures.read_character.v1,ext-structures.read_corporation.v1,ext-ui.open_window.v1,ext-ui.write_waypoint.v1,ext-universe.read_structures.v1,ext-wallet.read_character_wallet.v1,ext-wallet.read_corporation_wallets.v1,publicData}'::text[];

CREATE FUNCTION keep_decided_application()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'a decided application stays as it was decided' using errcode = 'integrity_constraint_violation';
end $function$;

CREATE FUNCTION name_parts(whole text)
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT COST 1000
RETURN ARRAY(SELECT DISTINCT substr(name_parts.whole, first.first, size.size) AS substr FROM generate_series(1, length(name_parts.whole)) first(first), generate_series(1, 3) size(size) WHERE ((first.first + size.size) <= (length(name_parts.whole) + 1)));

CREATE FUNCTION provider_cache_rotate(most bigint)
 RETURNS boolean
 LANGUAGE plpgsql
 SET lock_timeout TO '200ms'
AS $function$
declare
  present smallint;
begin
  if not pg_try_advisory_xact_lock(hashtext('generations of the cache')) then
    return false;
  end if;
  select generation into present from provider_cache_state;
  present := coalesce(present, 0);
  if pg_total_relation_size(format('provider_cache_%s', present)::regclass) < most / 2 then
    return false;
  end if;
  execute format('truncate provider_cache_%s', 1 - present);
  insert into provider_cache_state (generation) values (1 - present)
    on conflict (one) do update set generation = excluded.generation;
  return true;
exception when lock_not_available then
  return false;
end $function$;

CREATE FUNCTION provider_reserve(at timestamp with time zone, kept integer, counted boolean, lease_seconds double precision, bucket text, bucket_character bigint, bucket_cost integer, for_caller text, caller_limit integer, OUT outcome text, OUT until timestamp with time zone, OUT turn bigint, OUT minute bigint, OUT probe boolean)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
declare
  budget provider_error_budget;
  tokens provider_buckets;
  caller_row provider_callers;
  known boolean;
  -- What lies farther ahead was stored while the clock was wrong: no ban lasts longer than an hour (LONGEST_WAIT), and
  -- the clocks of processes may differ by a minute.
  farthest timestamptz := at + interval '61 minutes';
  present timestamptz := at + interval '1 minute';
begin
  minute := floor(extract(epoch from at) / 60);
  probe := false;
  loop
    select * into budget from provider_error_budget for update;
    exit when found;
    insert into provider_error_budget default values on conflict do nothing;
  end loop;
  if budget.banned_until > at and budget.banned_until <= farthest then
    outcome := 'banned'; until := budget.banned_until;
    return;
  end if;
  if budget.ends_on <= at or budget.heard_on > present then
    update provider_error_budget e
      set turn = e.turn + 1, carried = e.reserved, reserved = 0, ends_on = null, remaining = null, heard_on = null
      returning * into budget;
  end if;

  if for_caller is not null then
    -- Whatever its minute: its lock comes before the bucket's.
    select * into caller_row from provider_callers c where c.caller = for_caller for update;
    if caller_row.turn = minute and caller_row.errors + caller_row.reserved >= caller_limit then
      outcome := case when caller_row.errors >= caller_limit then 'caller' else 'wait' end;
      until := to_timestamp((minute + 1) * 60);
      return;
    end if;
  end if;

  if bucket is not null then
    select * into tokens from provider_buckets b
      where b.name = bucket and b.character_id = bucket_character for update;
    if tokens.blocked_until > at and tokens.blocked_until <= farthest then
      outcome := 'bucket'; until := tokens.blocked_until;
      return;
    end if;
    if tokens.turn = minute and tokens.reserved > 0
      and tokens.remaining < bucket_cost * (tokens.reserved + 1) then
      outcome := 'wait';
      return;
    end if;
  end if;

  if budget.remaining <= kept then
    outcome := 'used-up'; until := budget.ends_on;
    return;
  end if;
  if budget.remaining - kept - budget.reserved - budget.carried <= 0 then
    outcome := 'wait';
    return;
  end if;
  -- What was said a while ago may not be true any more: others may share the address.
  known := budget.remaining is not null and budget.heard_on > at - interval '2 seconds';
  if counted and not known then
    if budget.probe_until > at and budget.probe_until <= present then
      outcome := 'wait';
      return;
    end if;
    probe := true;
  end if;

  outcome := 'go';
  if counted or known then
    turn := budget.turn;
    update provider_error_budget e set reserved = e.reserved + 1,
      -- One that hangs must not keep the others for longer than this.
      probe_until = case when probe then at + least(lease_seconds, 1) * interval '1 second' else e.probe_until end;
  end if;
  if bucket is not null and counted is not true then
    insert into provider_buckets as b (name, character_id, turn, reserved, used_on)
      values (bucket, bucket_character, minute, 1, at)
      on conflict (name, character_id) do update set turn = minute, used_on = at,
        reserved = case when b.turn = minute then b.reserved else 0 end + 1;
  end if;
  if for_caller is not null then
    insert into provider_callers as c (caller, turn, reserved) values (for_caller, minute, 1)
      on conflict (caller) do update set turn = minute,
        errors = case when c.turn = minute then c.errors else 0 end,
        reserved = case when c.turn = minute then c.reserved else 0 end + 1;
  end if;
end $function$;

CREATE FUNCTION provider_settle(at timestamp with time zone, reserved_turn bigint, reserved_minute bigint, was_probe boolean, failed boolean, heard_remaining integer, heard_reset integer, banned timestamp with time zone, bucket text, bucket_character bigint, bucket_held boolean, bucket_remaining integer, bucket_blocked timestamp with time zone, for_caller text, caller_failed boolean)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  budget provider_error_budget;
  heard_end timestamptz := at + heard_reset * interval '1 second';
  -- What lies farther ahead was stored while the clock was wrong, as in provider_reserve.
  farthest timestamptz := at + interval '61 minutes';
begin
  if reserved_turn is not null or failed or heard_remaining is not null or banned is not null then
    select * into budget from provider_error_budget for update;
    if budget.turn = reserved_turn then
      budget.reserved := greatest(budget.reserved - 1, 0);
    elsif budget.turn = reserved_turn + 1 then
      budget.carried := greatest(budget.carried - 1, 0);
    end if;
    if was_probe then
      budget.probe_until := null;
    end if;
    if heard_remaining is null then
      if failed then
        budget.remaining := budget.remaining - 1;
      elsif reserved_turn is not null and not bucket_held then
        -- A provider that says nothing of its limit has all of it left, until it says more.
        budget.ends_on := coalesce(budget.ends_on, at + interval '10 seconds');
        budget.remaining := coalesce(budget.remaining, 100);
        budget.heard_on := at;
      end if;
    elsif budget.remaining is null or heard_end > budget.ends_on + interval '5 seconds' then
      if budget.remaining is not null then
        budget.turn := budget.turn + 1;
        -- Without those of two turns ago, which no answer releases any more, as in provider_reserve.
        budget.carried := budget.reserved;
        budget.reserved := 0;
      end if;
      budget.remaining := heard_remaining;
      budget.ends_on := heard_end;
      budget.heard_on := at;
    elsif heard_end > budget.ends_on - interval '5 seconds' then
      -- Answers overtake each other, and within a minute the rest only shrinks.
      budget.remaining := least(budget.remaining, heard_remaining);
      budget.heard_on := at;
    end if;
    budget.banned_until :=
      greatest(case when budget.banned_until <= farthest then budget.banned_until end, banned);
    update provider_error_budget e set turn = budget.turn, ends_on = budget.ends_on,
      remaining = budget.remaining, heard_on = budget.heard_on, reserved = budget.reserved,
      carried = budget.carried, probe_until = budget.probe_until, banned_until = budget.banned_until;
  end if;

  if for_caller is not null then
    update provider_callers c set errors = c.errors + caller_failed::int, reserved = greatest(c.reserved - 1, 0)
      where c.caller = for_caller and c.turn = reserved_minute;
  end if;
  if bucket is not null and (bucket_held or bucket_remaining is not null or bucket_blocked is not null) then
    insert into provider_buckets as b (name, character_id, turn, remaining, blocked_until, used_on)
      values (bucket, bucket_character, reserved_minute, bucket_remaining, bucket_blocked, at)
      on conflict (name, character_id) do update set used_on = at,
        remaining = coalesce(bucket_remaining, b.remaining),
        blocked_until = greatest(case when b.blocked_until <= farthest then b.blocked_until end, bucket_blocked),
        reserved = case when bucket_held and b.turn = reserved_minute then greatest(b.reserved - 1, 0)
          else b.reserved end;
  end if;
end $function$;

CREATE FUNCTION provider_sweep(at timestamp with time zone, most integer)
 RETURNS void
 LANGUAGE sql
AS $function$
  delete from provider_cache where (generation, key) in (
    select generation, key from provider_cache where kept_until < at
    order by kept_until limit most for update skip locked);
  delete from provider_buckets where (name, character_id) in (
    select name, character_id from provider_buckets where used_on < at - interval '24 hours'
    order by used_on limit most for update skip locked);
  delete from provider_callers where caller in (
    select caller from provider_callers where turn < extract(epoch from at) / 60 - 10
    order by turn limit most for update skip locked);
  delete from joined_answers where (caller, place) in (
    select caller, place from joined_answers where until < now() - interval '1 hour'
    limit most for update skip locked);
$function$;

CREATE FUNCTION refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'rows of % are added, never changed or removed', tg_table_name using errcode = '55000';
end $function$;

CREATE FUNCTION seal_events(most integer)
 RETURNS integer
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
declare
  last bigint;
  chained bytea;
  born_until bigint;
  entry record;
  ids uuid[] := '{}';
  digests bytea[] := '{}';
  hashes bytea[] := '{}';
begin
  perform pg_advisory_xact_lock(hashtext('seals of events'));
  select position, hash into last, chained from event_seals order by position desc limit 1;
  for entry in select * from unsealed_events order by born limit most loop
    chained := sha256(coalesce(chained, '') || entry.digest);
    ids := ids || entry.event_id;
    digests := digests || entry.digest;
    hashes := hashes || chained;
    born_until := entry.born;
  end loop;
  if born_until is null then
    return 0;
  end if;
  insert into event_seals (position, event_id, digest, hash)
    select coalesce(last, 0) + n, id, digest, hash
    from unnest(ids, digests, hashes) with ordinality as sealed (id, digest, hash, n);
  delete from unsealed_events where event_id = any(ids) and born <= born_until;
  perform pg_notify('castellan_events', 'sealed ' || coalesce(last, 0) + cardinality(ids));
  return cardinality(ids);
end $function$;

CREATE FUNCTION take_place(for_caller text, places integer, for_holder uuid, lease interval)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
begin
  for number in 1..places loop
    insert into joined_answers as j (caller, place, holder, until)
      values (for_caller, number, for_holder, now() + lease)
      on conflict (caller, place) do update set holder = excluded.holder, until = excluded.until
        where j.until <= now();
    if found then
      return true;
    end if;
  end loop;
  return false;
end $function$;

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
  revision bigint default nextval('registry_revision'::regclass) not null,
  constraint alliances_pkey PRIMARY KEY (alliance_id),
  constraint known_ext_scopes CHECK (mandatory_ext_scopes <@ ext_scopes())
);

create table applications (
  application_id object_id not null,
  group_id object_id not null,
  character_id game_id not null,
  state text default 'pending'::text not null,
  message text not null,
  answers text[] not null,
  created_on timestamp(3) with time zone not null,
  expires_on timestamp(3) with time zone not null,
  decided_on timestamp(3) with time zone,
  decided_by game_id,
  decided_by_name text,
  reason text,
  note text,
  group_name text,
  questions text[],
  sequence bigint generated by default as identity not null,
  constraint applications_pkey PRIMARY KEY (application_id),
  constraint applications_state_check CHECK (state = ANY (ARRAY['pending'::text, 'approved'::text, 'rejected'::text, 'withdrawn'::text, 'expired'::text, 'void'::text])),
  constraint decided_at_some_time CHECK ((state = 'pending'::text) = (decided_on IS NULL))
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
  constraint coalition_name_taken UNIQUE (name_key),
  constraint known_ext_scopes CHECK (mandatory_ext_scopes <@ ext_scopes())
);

create table compliance_days (
  kind text not null,
  id text not null,
  day date not null,
  persons integer not null,
  ok integer not null,
  grace integer not null,
  failing integer not null,
  unknown integer not null,
  never_signed_in integer not null,
  constraint compliance_days_pkey PRIMARY KEY (kind, id, day),
  constraint compliance_days_kind_check CHECK (kind = ANY (ARRAY['corporation'::text, 'alliance'::text, 'coalition'::text]))
);

create table compliance_failures (
  character_id game_id not null,
  since timestamp(3) with time zone not null,
  constraint compliance_failures_pkey PRIMARY KEY (character_id)
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
  revision bigint default nextval('registry_revision'::regclass) not null,
  constraint corporations_pkey PRIMARY KEY (corporation_id),
  constraint corporations_corporation_id_check CHECK (corporation_id::bigint >= 2000000),
  constraint known_ext_scopes CHECK (mandatory_ext_scopes <@ ext_scopes())
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

create table event_contexts (
  event_id uuid not null,
  context text not null,
  constraint event_contexts_pkey PRIMARY KEY (event_id)
) partition by RANGE (event_id);

create table event_seals (
  "position" bigint not null,
  event_id uuid not null,
  digest bytea not null,
  hash bytea not null,
  constraint event_seals_pkey PRIMARY KEY ("position"),
  constraint event_seals_event_id_key UNIQUE (event_id)
);

create table event_subjects (
  key text not null,
  event_id uuid not null,
  constraint event_subjects_pkey PRIMARY KEY (key, event_id)
) partition by RANGE (event_id);

create table events (
  kept text not null,
  event_id uuid not null,
  type text not null,
  actor_id game_id,
  on_behalf_of game_id,
  concerns bigint[] not null,
  targets text[] not null,
  body text not null,
  hides_actor boolean,
  constraint events_pkey PRIMARY KEY (kept, event_id)
) partition by LIST (kept);

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
  refresh_started_on timestamp(3) with time zone,
  next_check_on timestamp(3) with time zone default now() not null,
  heard_owner text,
  constraint grants_pkey PRIMARY KEY (grant_id),
  constraint one_grant_per_scopes UNIQUE (character_id, scopes),
  constraint known_ext_scopes CHECK (scopes <@ ext_scopes())
);

create table group_members (
  group_id object_id not null,
  character_id game_id not null,
  ineligible_since timestamp(3) with time zone,
  was_eligible boolean default false not null,
  constraint group_members_pkey PRIMARY KEY (group_id, character_id)
);

create table group_moderators (
  group_id object_id not null,
  character_id game_id not null,
  constraint group_moderators_pkey PRIMARY KEY (group_id, character_id)
);

create table group_policies (
  group_id object_id not null,
  joining text not null,
  visible_to text not null,
  reach text not null,
  alliances bigint[] not null,
  corporations bigint[] not null,
  coalitions text[] not null,
  groups_any text[] not null,
  groups_none text[] not null,
  min_level smallint not null,
  moderator_groups text[] not null,
  grace_hours integer not null,
  reapply_hours integer not null,
  questions text[] not null,
  expire_days integer not null,
  by_administrator boolean not null,
  updated_on timestamp(3) with time zone not null,
  constraint group_policies_pkey PRIMARY KEY (group_id),
  constraint group_policies_joining_check CHECK (joining = ANY (ARRAY['closed'::text, 'application'::text, 'open'::text])),
  constraint group_policies_reach_check CHECK (reach = ANY (ARRAY['character'::text, 'person'::text])),
  constraint group_policies_visible_to_check CHECK (visible_to = ANY (ARRAY['everyone'::text, 'eligible'::text, 'members'::text]))
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

create table held_changes (
  job_id text not null,
  fingerprint text not null,
  runs integer not null,
  counted_on timestamp(3) with time zone not null,
  found jsonb default '{}'::jsonb not null,
  constraint held_changes_pkey PRIMARY KEY (job_id)
);

create table history_turns (
  character_id game_id not null,
  history text not null,
  due_on timestamp(3) with time zone not null,
  failures smallint default 0 not null,
  constraint history_turns_pkey PRIMARY KEY (character_id, history),
  constraint history_turns_history_check CHECK (history = ANY (ARRAY['location'::text, 'mail'::text, 'skillpoints'::text, 'wallet'::text]))
);

create unlogged table joined_answers (
  caller text not null,
  place smallint not null,
  holder uuid not null,
  until timestamp(3) with time zone not null,
  constraint joined_answers_pkey PRIMARY KEY (caller, place)
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

create table oidc_artifacts (
  model text not null,
  id_hash text not null,
  payload jsonb not null,
  grant_hash text,
  session_uid text,
  character_id game_id,
  client_id object_id,
  expires_on timestamp(3) with time zone not null,
  consumed_on timestamp(3) with time zone,
  constraint oidc_artifacts_pkey PRIMARY KEY (model, id_hash)
);

create table oidc_client_groups (
  client_id object_id not null,
  group_id object_id not null,
  constraint oidc_client_groups_pkey PRIMARY KEY (client_id, group_id)
);

create table oidc_clients (
  client_id object_id not null,
  client_name text not null,
  name_key text collate "C" not null,
  secret_hash text,
  redirect_uris text[] not null,
  post_logout_redirect_uris text[] not null,
  backchannel_logout_uri text,
  id_token_alg text,
  first_party boolean not null,
  restricted boolean not null,
  created_on timestamp(3) with time zone default now() not null,
  updated_on timestamp(3) with time zone default now() not null,
  last_used_on timestamp(3) with time zone,
  constraint oidc_clients_pkey PRIMARY KEY (client_id),
  constraint oidc_clients_id_token_alg_check CHECK (id_token_alg = ANY (ARRAY['RS256'::text, 'EdDSA'::text]))
);

create table oidc_consents (
  character_id game_id not null,
  client_id object_id not null,
  scopes text[] not null,
  given_on timestamp(3) with time zone not null,
  constraint oidc_consents_pkey PRIMARY KEY (character_id, client_id)
);

create table oidc_endings (
  character_id game_id not null,
  ended_on timestamp(3) with time zone not null,
  constraint oidc_endings_pkey PRIMARY KEY (character_id)
);

create table person_characters (
  character_id game_id not null,
  person_id object_id not null,
  constraint person_characters_pkey PRIMARY KEY (character_id),
  constraint person_characters_person_id_character_id_key UNIQUE (person_id, character_id)
);

create table person_history (
  "position" bigint generated always as identity not null,
  occurred_on timestamp(3) with time zone not null,
  happened text not null,
  character_id game_id not null,
  character_name text not null,
  from_person object_id,
  to_person object_id,
  by_id game_id,
  reason text,
  proof uuid,
  constraint person_history_pkey PRIMARY KEY ("position"),
  constraint person_history_happened_check CHECK (happened = ANY (ARRAY['linked'::text, 'unlinked'::text, 'owner_changed'::text, 'deleted'::text, 'merged'::text, 'split'::text]))
);

create table persons (
  person_id object_id not null,
  main_id game_id not null,
  created_on timestamp(3) with time zone not null,
  constraint persons_pkey PRIMARY KEY (person_id)
);

create unlogged table provider_buckets (
  name text not null,
  character_id bigint not null,
  remaining integer,
  turn bigint default 0 not null,
  reserved integer default 0 not null,
  blocked_until timestamp(3) with time zone,
  used_on timestamp(3) with time zone not null,
  constraint provider_buckets_pkey PRIMARY KEY (name, character_id)
);

create table provider_cache (
  generation smallint not null,
  key text not null,
  grant_id uuid,
  status smallint not null,
  headers jsonb not null,
  body text,
  etag text,
  fresh_until timestamp(3) with time zone not null,
  kept_until timestamp(3) with time zone not null,
  packed bytea,
  constraint provider_cache_pkey PRIMARY KEY (generation, key),
  constraint body_or_packed CHECK (num_nonnulls(body, packed) = 1)
) partition by LIST (generation);

create unlogged table provider_cache_state (
  one boolean default true not null,
  generation smallint not null,
  constraint provider_cache_state_pkey PRIMARY KEY (one),
  constraint one_row CHECK (one)
);

create unlogged table provider_callers (
  caller text not null,
  turn bigint not null,
  errors integer default 0 not null,
  reserved integer default 0 not null,
  constraint provider_callers_pkey PRIMARY KEY (caller)
);

create table provider_document (
  one boolean default true not null,
  operations jsonb not null,
  fetched_on timestamp(3) with time zone not null,
  asked_on timestamp(3) with time zone not null,
  constraint provider_document_pkey PRIMARY KEY (one),
  constraint one_row CHECK (one)
);

create unlogged table provider_error_budget (
  one boolean default true not null,
  turn bigint default 1 not null,
  ends_on timestamp(3) with time zone,
  remaining integer,
  heard_on timestamp(3) with time zone,
  reserved integer default 0 not null,
  carried integer default 0 not null,
  probe_until timestamp(3) with time zone,
  banned_until timestamp(3) with time zone,
  constraint provider_error_budget_pkey PRIMARY KEY (one),
  constraint one_row CHECK (one)
);

create unlogged table rate_windows (
  key text not null,
  most integer not null,
  taken integer not null,
  handed integer not null,
  ends_on timestamp(3) with time zone not null,
  constraint rate_windows_pkey PRIMARY KEY (key)
);

create table repeatable (
  name text not null,
  hash text not null,
  revision integer not null,
  applied_on timestamp(3) with time zone not null,
  constraint repeatable_pkey PRIMARY KEY (name)
);

create table run_cursors (
  job_id text not null,
  after_key text not null,
  after_id game_id not null,
  constraint run_cursors_pkey PRIMARY KEY (job_id)
);

create table schedules (
  job_id text not null,
  ran_on timestamp(3) with time zone not null,
  complete_on timestamp(3) with time zone,
  enqueued_on timestamp(3) with time zone default now() not null,
  has_run boolean default true not null,
  constraint schedules_pkey PRIMARY KEY (job_id)
);

create table service (
  one boolean default true not null,
  process uuid not null,
  base_url text not null,
  key_ids text[] not null,
  started_on timestamp(3) with time zone not null,
  constraint service_pkey PRIMARY KEY (one),
  constraint one_row CHECK (one)
);

create table state_codes (
  state_code text not null,
  app_token uuid,
  corporation_id game_id,
  code_verifier text not null,
  created_on timestamp(3) with time zone default now() not null,
  expires_on timestamp(3) with time zone not null,
  used_on timestamp(3) with time zone,
  tries smallint default 0 not null,
  interaction_hash text,
  signed_in_id game_id,
  invited_by game_id,
  constraint state_codes_pkey PRIMARY KEY (state_code),
  constraint leads_somewhere CHECK (num_nonnulls(app_token, corporation_id, interaction_hash) > 0)
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

create table unsealed_events (
  born bigint generated always as identity not null,
  event_id uuid not null,
  digest bytea not null,
  constraint unsealed_events_pkey PRIMARY KEY (born)
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
  graveyard_on timestamp(3) with time zone,
  refused_on timestamp(3) with time zone,
  proven_on timestamp(3) with time zone,
  constraint users_pkey PRIMARY KEY (character_id),
  constraint built_in_user CHECK (character_id::bigint <> 0 OR clearance_level = 10 AND corporation_id IS NULL),
  constraint guest_has_host CHECK (clearance_level >= 0 OR corporation_id IS NOT NULL),
  constraint users_clearance_level_check CHECK (clearance_level >= '-1'::integer AND clearance_level <= 10)
);

create table voice_challenges (
  character_id game_id not null,
  nickname text not null,
  expires_on timestamp(3) with time zone not null,
  constraint voice_challenges_pkey PRIMARY KEY (character_id)
);

create table voice_groups (
  group_id object_id not null,
  sgid bigint not null,
  constraint voice_groups_pkey PRIMARY KEY (group_id),
  constraint one_group_for_a_server_group UNIQUE (sgid),
  constraint voice_groups_sgid_check CHECK (sgid > 0)
);

create table voice_identities (
  client_database_id bigint not null,
  character_id game_id,
  told_on timestamp(3) with time zone,
  constraint voice_identities_pkey PRIMARY KEY (client_database_id),
  constraint one_voice_identity UNIQUE (character_id),
  constraint voice_identities_client_database_id_check CHECK (client_database_id > 0)
);

create table webhook_deliveries (
  webhook_id object_id not null,
  delivery_id uuid not null,
  type text not null,
  "position" bigint,
  state text not null,
  tries integer default 0 not null,
  next_try_on timestamp(3) with time zone,
  tried_on timestamp(3) with time zone,
  status integer,
  fault text,
  created_on timestamp(3) with time zone default now() not null,
  claimed_until timestamp(3) with time zone,
  constraint webhook_deliveries_pkey PRIMARY KEY (webhook_id, delivery_id),
  constraint webhook_deliveries_check CHECK ((state = 'waiting'::text) = (next_try_on IS NOT NULL)),
  constraint webhook_deliveries_state_check CHECK (state = ANY (ARRAY['waiting'::text, 'delivered'::text, 'failed'::text]))
);

create table webhooks (
  webhook_id object_id not null,
  app_token uuid,
  owner_id game_id,
  url text not null,
  types text[] not null,
  group_ids text[],
  ordered boolean not null,
  secret bytea not null,
  former_secret bytea,
  former_until timestamp(3) with time zone,
  "position" bigint not null,
  disabled_on timestamp(3) with time zone,
  disabled_because text,
  failures integer default 0 not null,
  paused_until timestamp(3) with time zone,
  created_on timestamp(3) with time zone default now() not null,
  updated_on timestamp(3) with time zone default now() not null,
  constraint webhooks_pkey PRIMARY KEY (webhook_id),
  constraint webhooks_check CHECK (num_nonnulls(app_token, owner_id) = 1),
  constraint webhooks_check1 CHECK ((disabled_on IS NULL) = (disabled_because IS NULL)),
  constraint webhooks_disabled_because_check CHECK (disabled_because = ANY (ARRAY['asked'::text, 'gone'::text, 'undeliverable'::text, 'not_allowed'::text]))
);

alter table alliances add constraint alliances_executor_corporation_id_fkey FOREIGN KEY (executor_corporation_id) REFERENCES corporations(corporation_id) DEFERRABLE INITIALLY DEFERRED;
alter table applications add constraint applications_character_id_fkey FOREIGN KEY (character_id) REFERENCES users(character_id) ON DELETE CASCADE;
alter table coalition_alliances add constraint coalition_alliances_alliance_id_fkey FOREIGN KEY (alliance_id) REFERENCES alliances(alliance_id);
alter table coalition_alliances add constraint coalition_alliances_coalition_id_fkey FOREIGN KEY (coalition_id) REFERENCES coalitions(coalition_id) ON DELETE CASCADE;
alter table coalition_corporations add constraint coalition_corporations_coalition_id_fkey FOREIGN KEY (coalition_id) REFERENCES coalitions(coalition_id) ON DELETE CASCADE;
alter table coalition_corporations add constraint coalition_corporations_corporation_id_fkey FOREIGN KEY (corporation_id) REFERENCES corporations(corporation_id);
alter table compliance_failures add constraint compliance_failures_character_id_fkey FOREIGN KEY (character_id) REFERENCES users(character_id) ON DELETE CASCADE;
alter table corporations add constraint corporations_alliance_id_fkey FOREIGN KEY (alliance_id) REFERENCES alliances(alliance_id);
alter table grants add constraint grants_character_id_fkey FOREIGN KEY (character_id) REFERENCES users(character_id) ON DELETE CASCADE;
alter table group_members add constraint group_members_character_id_fkey FOREIGN KEY (character_id) REFERENCES users(character_id) ON DELETE CASCADE;
alter table group_members add constraint group_members_group_id_fkey FOREIGN KEY (group_id) REFERENCES groups(group_id) ON DELETE CASCADE;
alter table group_moderators add constraint group_moderators_character_id_fkey FOREIGN KEY (character_id) REFERENCES users(character_id) ON DELETE CASCADE;
alter table group_moderators add constraint group_moderators_group_id_fkey FOREIGN KEY (group_id) REFERENCES group_policies(group_id) ON DELETE CASCADE;
alter table group_policies add constraint group_policies_group_id_fkey FOREIGN KEY (group_id) REFERENCES groups(group_id) ON DELETE CASCADE;
alter table groups add constraint groups_alliance_id_fkey FOREIGN KEY (alliance_id) REFERENCES alliances(alliance_id);
alter table groups add constraint groups_coalition_id_fkey FOREIGN KEY (coalition_id) REFERENCES coalitions(coalition_id) ON DELETE CASCADE;
alter table groups add constraint groups_corporation_id_fkey FOREIGN KEY (corporation_id) REFERENCES corporations(corporation_id);
alter table groups add constraint owner_is_member FOREIGN KEY (group_id, owner_id) REFERENCES group_members(group_id, character_id) ON DELETE SET NULL (owner_id) DEFERRABLE INITIALLY DEFERRED;
alter table history_turns add constraint history_turns_character_id_fkey FOREIGN KEY (character_id) REFERENCES users(character_id) ON DELETE CASCADE;
alter table mailbox_mails add constraint mailbox_mails_character_id_fkey FOREIGN KEY (character_id) REFERENCES mailboxes(character_id) ON DELETE CASCADE;
alter table mailbox_mails add constraint mailbox_mails_mail_id_fkey FOREIGN KEY (mail_id) REFERENCES mails(mail_id);
alter table mailboxes add constraint mailboxes_character_id_fkey FOREIGN KEY (character_id) REFERENCES users(character_id) ON DELETE CASCADE;
alter table oidc_artifacts add constraint oidc_artifacts_character_id_fkey FOREIGN KEY (character_id) REFERENCES users(character_id) ON DELETE CASCADE;
alter table oidc_artifacts add constraint oidc_artifacts_client_id_fkey FOREIGN KEY (client_id) REFERENCES oidc_clients(client_id) ON DELETE CASCADE;
alter table oidc_client_groups add constraint oidc_client_groups_client_id_fkey FOREIGN KEY (client_id) REFERENCES oidc_clients(client_id) ON DELETE CASCADE;
alter table oidc_client_groups add constraint oidc_client_groups_group_id_fkey FOREIGN KEY (group_id) REFERENCES groups(group_id) ON DELETE CASCADE;
alter table oidc_consents add constraint oidc_consents_character_id_fkey FOREIGN KEY (character_id) REFERENCES users(character_id) ON DELETE CASCADE;
alter table oidc_consents add constraint oidc_consents_client_id_fkey FOREIGN KEY (client_id) REFERENCES oidc_clients(client_id) ON DELETE CASCADE;
alter table person_characters add constraint person_characters_character_id_fkey FOREIGN KEY (character_id) REFERENCES users(character_id) ON DELETE CASCADE;
alter table person_characters add constraint person_characters_person_id_fkey FOREIGN KEY (person_id) REFERENCES persons(person_id) ON DELETE CASCADE;
alter table persons add constraint main_is_of_the_person FOREIGN KEY (person_id, main_id) REFERENCES person_characters(person_id, character_id) DEFERRABLE INITIALLY DEFERRED;
alter table provider_cache add constraint provider_cache_grant_id_fkey FOREIGN KEY (grant_id) REFERENCES grants(grant_id) ON DELETE CASCADE;
alter table state_codes add constraint state_codes_app_token_fkey FOREIGN KEY (app_token) REFERENCES tokens(uuid) ON DELETE CASCADE;
alter table state_codes add constraint state_codes_corporation_id_fkey FOREIGN KEY (corporation_id) REFERENCES corporations(corporation_id);
alter table state_codes add constraint state_codes_signed_in_id_fkey FOREIGN KEY (signed_in_id) REFERENCES users(character_id) ON DELETE CASCADE;
alter table tokens add constraint tokens_app_token_fkey FOREIGN KEY (app_token) REFERENCES tokens(uuid) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;
alter table tokens add constraint tokens_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users(character_id) ON DELETE CASCADE;
alter table tokens add constraint tokens_parent_fkey FOREIGN KEY (parent) REFERENCES tokens(uuid) ON DELETE CASCADE;
alter table users add constraint users_corporation_id_fkey FOREIGN KEY (corporation_id) REFERENCES corporations(corporation_id);
alter table voice_challenges add constraint voice_challenges_character_id_fkey FOREIGN KEY (character_id) REFERENCES users(character_id) ON DELETE CASCADE;
alter table voice_identities add constraint voice_identities_character_id_fkey FOREIGN KEY (character_id) REFERENCES users(character_id) ON DELETE SET NULL;
alter table webhook_deliveries add constraint webhook_deliveries_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES webhooks(webhook_id) ON DELETE CASCADE;
alter table webhooks add constraint webhooks_app_token_fkey FOREIGN KEY (app_token) REFERENCES tokens(uuid) ON DELETE CASCADE;
alter table webhooks add constraint webhooks_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users(character_id) ON DELETE CASCADE;

CREATE INDEX alliances_executor_corporation_id_idx ON alliances USING btree (executor_corporation_id);
CREATE INDEX alliances_name_key_alliance_id_idx ON alliances USING btree (name_key, alliance_id);
CREATE INDEX alliances_refreshed_on_alliance_id_idx ON alliances USING btree (refreshed_on, alliance_id);
CREATE INDEX applications_character_id_sequence_idx ON applications USING btree (character_id, sequence);
CREATE INDEX applications_expires_on_idx ON applications USING btree (expires_on) WHERE state = 'pending'::text;
CREATE INDEX applications_group_id_sequence_idx ON applications USING btree (group_id, sequence);
CREATE UNIQUE INDEX one_pending_application ON applications USING btree (group_id, character_id) WHERE state = 'pending'::text;
CREATE INDEX coalition_alliances_alliance_id_idx ON coalition_alliances USING btree (alliance_id);
CREATE INDEX coalition_corporations_corporation_id_idx ON coalition_corporations USING btree (corporation_id);
CREATE INDEX compliance_days_day_idx ON compliance_days USING btree (day);
CREATE INDEX corporations_alliance_id_idx ON corporations USING btree (alliance_id) WHERE alliance_id IS NOT NULL;
CREATE INDEX corporations_ceo_id_idx ON corporations USING btree (ceo_id);
CREATE INDEX corporations_name_key_corporation_id_idx ON corporations USING btree (name_key, corporation_id);
CREATE INDEX corporations_refreshed_on_corporation_id_idx ON corporations USING btree (refreshed_on, corporation_id);
CREATE INDEX crash_reports_timestamp_idx ON crash_reports USING btree ("timestamp" DESC);
CREATE INDEX events_actor_id_event_id_idx ON events USING btree (actor_id, event_id) WHERE actor_id IS NOT NULL;
CREATE INDEX events_departures_idx ON events USING gin (concerns) WHERE type = ANY (ARRAY['user.handed_over'::text, 'user.deleted'::text]);
CREATE INDEX events_event_id_idx ON events USING btree (event_id);
CREATE INDEX events_on_behalf_of_event_id_idx ON events USING btree (on_behalf_of, event_id) WHERE on_behalf_of IS NOT NULL;
CREATE INDEX events_type_event_id_idx ON events USING btree (type, event_id);
CREATE INDEX grants_next_check_on_grant_id_idx ON grants USING btree (next_check_on, grant_id) WHERE valid;
CREATE INDEX group_members_character_id_idx ON group_members USING btree (character_id);
CREATE INDEX group_moderators_character_id_idx ON group_moderators USING btree (character_id);
CREATE INDEX groups_owner_id_idx ON groups USING btree (owner_id) WHERE owner_id IS NOT NULL;
CREATE UNIQUE INDEX one_voice_group ON groups USING btree (is_voice) WHERE is_voice;
CREATE INDEX history_turns_history_due_on_character_id_idx ON history_turns USING btree (history, due_on, character_id);
CREATE INDEX mailbox_mails_character_id_position_idx ON mailbox_mails USING btree (character_id, "position") WHERE wants_body;
CREATE INDEX mailbox_mails_mail_id_idx ON mailbox_mails USING btree (mail_id);
CREATE INDEX names_known_on_idx ON names USING btree (known_on);
CREATE INDEX oidc_artifacts_character_id_idx ON oidc_artifacts USING btree (character_id) WHERE character_id IS NOT NULL;
CREATE INDEX oidc_artifacts_client_id_idx ON oidc_artifacts USING btree (client_id) WHERE client_id IS NOT NULL;
CREATE INDEX oidc_artifacts_expires_on_idx ON oidc_artifacts USING btree (expires_on);
CREATE INDEX oidc_artifacts_grant_hash_idx ON oidc_artifacts USING btree (grant_hash) WHERE grant_hash IS NOT NULL;
CREATE INDEX oidc_artifacts_session_uid_idx ON oidc_artifacts USING btree (session_uid) WHERE session_uid IS NOT NULL;
CREATE INDEX oidc_client_groups_group_id_idx ON oidc_client_groups USING btree (group_id);
CREATE INDEX oidc_consents_client_id_idx ON oidc_consents USING btree (client_id);
CREATE UNIQUE INDEX one_link_for_a_proof ON person_history USING btree (proof) WHERE proof IS NOT NULL;
CREATE INDEX person_history_character_id_idx ON person_history USING btree (character_id);
CREATE INDEX person_history_from_person_idx ON person_history USING btree (from_person) WHERE from_person IS NOT NULL;
CREATE INDEX person_history_occurred_on_idx ON person_history USING btree (occurred_on);
CREATE INDEX person_history_to_person_idx ON person_history USING btree (to_person) WHERE to_person IS NOT NULL;
CREATE INDEX provider_buckets_used_on_idx ON provider_buckets USING btree (used_on);
CREATE INDEX provider_cache_grant_id_idx ON provider_cache USING btree (grant_id) WHERE grant_id IS NOT NULL;
CREATE INDEX provider_cache_kept_until_idx ON provider_cache USING btree (kept_until);
CREATE INDEX provider_callers_turn_idx ON provider_callers USING btree (turn);
CREATE INDEX rate_windows_ends_on_idx ON rate_windows USING btree (ends_on);
CREATE INDEX state_codes_app_token_idx ON state_codes USING btree (app_token);
CREATE INDEX state_codes_corporation_id_idx ON state_codes USING btree (corporation_id) WHERE corporation_id IS NOT NULL;
CREATE INDEX state_codes_expires_on_idx ON state_codes USING btree (expires_on);
CREATE INDEX state_codes_interaction_hash_idx ON state_codes USING btree (interaction_hash) WHERE interaction_hash IS NOT NULL;
CREATE INDEX state_codes_signed_in_id_idx ON state_codes USING btree (signed_in_id) WHERE signed_in_id IS NOT NULL;
CREATE INDEX tokens_app_token_idx ON tokens USING btree (app_token);
CREATE INDEX tokens_expires_on_idx ON tokens USING btree (expires_on) WHERE expires_on IS NOT NULL;
CREATE INDEX tokens_owner_id_idx ON tokens USING btree (owner_id);
CREATE INDEX tokens_parent_idx ON tokens USING btree (parent) WHERE parent IS NOT NULL;
CREATE INDEX users_by_name ON users USING btree (name_key, character_id) INCLUDE (corporation_id, clearance_level);
CREATE INDEX users_character_name_seen_on_idx ON users USING btree (character_name, seen_on DESC);
CREATE INDEX users_graveyard_on_idx ON users USING btree (graveyard_on) WHERE graveyard_on IS NOT NULL;
CREATE INDEX users_name_parts ON users USING gin (name_parts(name_key));
CREATE INDEX users_of_corporation ON users USING btree (corporation_id, name_key, character_id) INCLUDE (clearance_level) WHERE corporation_id IS NOT NULL;
CREATE INDEX users_of_level ON users USING btree (clearance_level, name_key, character_id) INCLUDE (corporation_id);
CREATE INDEX users_sync_order ON users USING btree (COALESCE(signed_in_on, '-infinity'::timestamp with time zone) DESC, character_id DESC);
CREATE INDEX webhook_deliveries_ended_idx ON webhook_deliveries USING btree (tried_on) WHERE state <> 'waiting'::text;
CREATE INDEX webhook_deliveries_failed_idx ON webhook_deliveries USING btree (webhook_id, delivery_id) WHERE state = 'failed'::text;
CREATE INDEX webhook_deliveries_in_turn_idx ON webhook_deliveries USING btree (webhook_id, "position") WHERE state = 'waiting'::text AND "position" IS NOT NULL;
CREATE INDEX webhook_deliveries_tests_idx ON webhook_deliveries USING btree (webhook_id, next_try_on) WHERE state = 'waiting'::text AND "position" IS NULL;
CREATE INDEX webhook_deliveries_waiting_idx ON webhook_deliveries USING btree (webhook_id, next_try_on) WHERE state = 'waiting'::text AND "position" IS NOT NULL;
CREATE INDEX webhooks_app_token_idx ON webhooks USING btree (app_token);
CREATE INDEX webhooks_owner_id_idx ON webhooks USING btree (owner_id);

create view coalition_reach as
 SELECT coalition_corporations.corporation_id,
    coalition_corporations.coalition_id
   FROM coalition_corporations
UNION
 SELECT corporations.corporation_id,
    coalition_alliances.coalition_id
   FROM corporations
     JOIN coalition_alliances USING (alliance_id);

create view standing_grants as
 SELECT g.grant_id,
    g.character_id,
    g.scopes,
    g.valid AND (g.heard_owner = u.owner_hash) IS NOT FALSE AND (g.refresh_started_on IS NULL OR g.refresh_started_on > (now() - '00:00:30'::interval)) AS valid,
    g.valid AND (g.heard_owner = u.owner_hash) IS NOT FALSE AS usable
   FROM grants g
     JOIN users u USING (character_id);

CREATE TRIGGER decided_stays BEFORE UPDATE ON applications FOR EACH ROW WHEN (old.state <> 'pending'::text) EXECUTE FUNCTION keep_decided_application();
CREATE TRIGGER refuse_change BEFORE DELETE OR UPDATE ON event_contexts FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER refuse_truncation BEFORE TRUNCATE ON event_contexts FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER refuse_change BEFORE DELETE OR UPDATE ON event_seals FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER refuse_truncation BEFORE TRUNCATE ON event_seals FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER refuse_change BEFORE DELETE OR UPDATE ON event_subjects FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER refuse_truncation BEFORE TRUNCATE ON event_subjects FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER events_arrive AFTER INSERT ON events REFERENCING NEW TABLE AS arrived FOR EACH STATEMENT EXECUTE FUNCTION events_arrive();
CREATE TRIGGER refuse_change BEFORE DELETE OR UPDATE ON events FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER refuse_truncation BEFORE TRUNCATE ON events FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

comment on table event_contexts is 'From where a request came, apart from its events, whose digests cover it: it is kept for 90 days.';
comment on table event_seals is 'The order of the events, and a chain over their digests; the seals of events that had their time stay.';
comment on table event_subjects is 'What each event is about, as type:id; users who come into a list or leave it included. Written by events_arrive().';
comment on table events is 'Append-only. body is the event; the other columns are taken out of it, to be found by.';
comment on table history_turns is 'Whose past is looked at next: everybody who ever granted a refresh token.';
comment on table joined_answers is 'Joined answers at work: each caller has so many places, and who holds one renews it until the answer is over.';
comment on table oidc_artifacts is 'Browser sessions, interactions, grants, codes and tokens, by the SHA-256 of what proves them.';
comment on table oidc_endings is 'Sessions of these characters that began before are over, though a request at work may write them once more.';
comment on table provider_buckets is 'Token buckets by rate group and character, 0 for public requests.';
comment on table provider_cache is 'Answers of the provider. What is written and used goes into the present generation; when that is full, the
other one is emptied and takes its place, and what nobody used meanwhile is gone.';
comment on table provider_cache_state is 'One row: the present generation of the cache; none means 0.';
comment on table provider_callers is 'Errors that each forwarding caller has caused in the minute "turn" (D33).';
comment on table provider_error_budget is 'One row: the errors that the provider still allows in its present minute, for all our processes together.';
comment on table rate_windows is 'The present minute of each token and of each address without one: requests that processes may answer (D60).';
comment on table repeatable is 'Which definition of each function was applied last: its SHA-256, and the
revision of the release that did so.';
comment on table run_cursors is 'Where a run stopped when the provider failed: the next one goes on there, and then begins anew.';
comment on table service is 'The process that was started last; gone when it has stopped. Others of the same service run as it does.';
comment on table unsealed_events is 'Events that have no position yet: for some milliseconds.';
comment on table voice_challenges is 'One living challenge for each user: a new one replaces it (D40).';
comment on table voice_groups is 'Server groups that we made, by id (D18b). No reference: a deleted group''s server group is emptied.';
comment on column alliances.revision is 'Grows with each time that it is stored as the game says: what was asked for before must not undo it (D39).';
comment on column applications.decided_by is 'No reference: a deleted user has decided what it decided. Null: the applicant, or nobody.';
comment on column applications.group_id is 'No reference: the group may be deleted; group_name says which it was.';
comment on column applications.questions is 'Null, like group_name: made by a process of the release before.';
comment on column applications.sequence is 'In which order they were made: times and ids do not tell within a second.';
comment on column corporations.ceo_id is 'No reference: a deleted user stays the CEO of its corporation (D19b).';
comment on column corporations.revision is 'Grows with each time that it is stored as the game says: what was asked for before must not undo it (D39).';
comment on column event_seals.digest is 'SHA-256 of the body.';
comment on column event_seals.hash is 'SHA-256 of the hash before it and the digest.';
comment on column events.concerns is 'Every character that the event is about, members who come and go included.';
comment on column events.hides_actor is 'Whether the actor tells which other character a human plays. Null: a process of the release before wrote it.';
comment on column events.kept is 'short: for 400 days; long: for three years.';
comment on column events.targets is 'As type:id.';
comment on column grants.cause is 'What the provider said when it refused the refresh token.';
comment on column grants.heard_owner is 'Whom the character belonged to when the refresh token was last used.';
comment on column grants.next_check_on is 'When the provider is asked next whether the refresh token lives, if nothing else asks it before.';
comment on column grants.refresh_started_on is 'Set before the provider is asked, cleared by its answer. One that stays was cut off: the provider may have
replaced the refresh token, and nobody knows the new one (D34).';
comment on column grants.refresh_token is 'AES-256-GCM, bound to the row and column (D34).';
comment on column grants.scopes is 'Sorted, in our own spelling (ext-).';
comment on column group_members.ineligible_since is 'Since when the policy of the group does not let the member be one: it leaves when the grace is over.';
comment on column group_members.was_eligible is 'Whether the policy of the group let the member be one at some time: only who ceases to be eligible leaves.';
comment on column group_policies.by_administrator is 'Level 9 or more set it: a group with a login switch obeys no other (D110).';
comment on column groups.corporation_id is 'The body whose members an autogroup follows, by id (D18b); its members and owner are derived.';
comment on column held_changes.found is 'In how many runs each loss was found (D63), by its hash; all of them, but a few new ones, in as many as runs says.';
comment on column history_turns.due_on is 'While a worker is at it: when others may take it for dead. It alone may end the turn that it took with this value.';
comment on column history_turns.failures is 'In a row.';
comment on column mailbox_mails."position" is 'Counts from older to newer mails without a gap: a page is a range of positions, however many there are.';
comment on column mailbox_mails.wants_body is 'The text is still to be fetched from this mailbox.';
comment on column mailboxes.complete is 'The oldest mail of the character was reached once.';
comment on column mails.body is 'Plain text; null until it was fetched.';
comment on column oidc_clients.restricted is 'Only members of the groups in oidc_client_groups get in: nobody, once all of them are deleted.';
comment on column oidc_clients.secret_hash is 'SHA-256; null: a public client.';
comment on column person_history.character_id is 'No reference: what happened outlives the user.';
comment on column person_history.proof is 'The user token that proved a character; it proves once.';
comment on column provider_cache.grant_id is 'Null for public answers; those of an access token go with its grant, so that nobody inherits them.';
comment on column provider_cache.packed is 'A large body, compressed by Brotli.';
comment on column provider_document.asked_on is 'When a process last set out to fetch it again.';
comment on column provider_error_budget.carried is 'Requests of the former minute that may still fail in this one.';
comment on column provider_error_budget.probe_until is 'While the rest is unknown one request at a time goes out to learn it.';
comment on column provider_error_budget.remaining is 'By its last word, less the errors seen since; null until it has said something in this minute.';
comment on column provider_error_budget.turn is 'Number of the minute; reservations of former ones die with it.';
comment on column rate_windows.handed is 'The block that was taken last: how the statement that took it learns its size.';
comment on column rate_windows.taken is 'Of "most", what processes have taken in blocks.';
comment on column schedules.complete_on is 'When the last run began that looked at everybody: whoever was there then was seen since.';
comment on column schedules.enqueued_on is 'When a run was last enqueued by the schedule, by the clock of the database: the next is due at the first time after.';
comment on column schedules.ran_on is 'When the last run began; where none did yet (has_run), when the job was added: it is late from then on.';
comment on column service.key_ids is 'The signing keys that it knows.';
comment on column state_codes.corporation_id is 'The inviting corporation of a guest code (D28).';
comment on column state_codes.interaction_hash is 'SHA-256 of the interaction of OpenID Connect that goes on where the sign-in ends.';
comment on column state_codes.invited_by is 'Who answers for a guest code, which works while that user may invite (D28). No reference: with the user ends the right.
Null: a process of the release before made it.';
comment on column state_codes.tries is 'Authorization codes that the provider refused, and those that it is being asked about.';
comment on column tokens.app_token is 'The application token that a token descends from, itself for an application token: the azp of its JWT.';
comment on column users.clearance_level is '-1 is a guest of corporation_id; members have 0 to 10.';
comment on column users.graveyard_on is 'When a run of the sync first saw the character among the deleted ones; the next run that does believes it (D63b).';
comment on column users.owner_hash is 'Whom the character belongs to at the provider; a change means that it was handed over (D29b).';
comment on column users.proven_on is 'The first sign-in of the present owner.';
comment on column users.refused_on is 'When the provider last refused the id in a bulk request: it fails all others with it, so it rests for a day.';
comment on column users.seen_on is 'When the provider last confirmed the name: of two users with one name the last seen answers (D38).';
comment on column voice_identities.character_id is 'Whose it is (D41). Null: formerly somebody''s, so that what it was given on the voice server is taken away.';
comment on column voice_identities.told_on is 'When its user was last told that the nickname is wrong.';
comment on column webhook_deliveries."position" is 'Of the event; null: a test.';
comment on column webhook_deliveries.claimed_until is 'A process has it in hand while this is next_try_on, and to come. Processes of the release before do not write it.';
comment on column webhook_deliveries.delivery_id is 'Of the event.';
comment on column webhook_deliveries.next_try_on is 'While a process has it in hand: when it is somebody else''s, if that process is heard of no more.';
comment on column webhooks."position" is 'Events up to this one have their deliveries.';
comment on column webhooks.failures is 'Tries in a row that failed.';
comment on column webhooks.paused_until is 'Its receiver asked for it, or fails all the time.';
comment on column webhooks.secret is 'Sealed.';
comment on view standing_grants is 'usable: not declared dead, and the last refresh named no other owner of the character than the one who signed in
(D29b). valid: no refresh was cut off besides.';

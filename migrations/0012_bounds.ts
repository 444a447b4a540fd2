import { type Kysely, sql } from 'kysely';

/** What callers can make us keep, and how much of it may be at work, has an end (D30). */
const statements = [
  `drop function provider_sweep(timestamptz, integer)`,
  `drop table provider_cache`,
  `create table provider_cache (
     generation smallint,
     key text,
     grant_id uuid references grants on delete cascade,
     status smallint not null,
     headers jsonb not null,
     body text not null,
     etag text,
     fresh_until timestamptz(3) not null,
     kept_until timestamptz(3) not null,
     primary key (generation, key)
   ) partition by list (generation)`,
  `comment on table provider_cache is
     'Answers of the provider. What is written and used goes into the present generation; when that is full, the
other one is emptied and takes its place, and what nobody used meanwhile is gone.'`,
  `comment on column provider_cache.grant_id is
     'Null for public answers; those of an access token go with its grant, so that nobody inherits them.'`,
  `create unlogged table provider_cache_0 partition of provider_cache for values in (0)`,
  `create unlogged table provider_cache_1 partition of provider_cache for values in (1)`,
  `create index on provider_cache (kept_until)`,
  `create index on provider_cache (grant_id) where grant_id is not null`,

  `create unlogged table provider_cache_state (
     one boolean primary key default true constraint one_row check (one),
     generation smallint not null
   )`,
  `comment on table provider_cache_state is 'One row: the present generation of the cache; none means 0.'`,

  `-- Begins a new generation when the present one takes half of the bytes that the cache may take. Emptying frees the
   -- disk at once, dead rows included; where somebody reads for longer than a moment, it is left to the next call.
   create function provider_cache_rotate(most bigint) returns boolean
   language plpgsql set lock_timeout = '200ms' as $$
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
   end $$`,

  `-- Removes a few of the rows that nobody will look at again.
   create function provider_sweep(at timestamptz, most integer) returns void language sql as $$
     delete from provider_cache where (generation, key) in (
       select generation, key from provider_cache where kept_until < at
       order by kept_until limit most for update skip locked);
     delete from provider_buckets where (name, character_id) in (
       select name, character_id from provider_buckets where used_on < at - interval '1 day'
       order by used_on limit most for update skip locked);
     delete from provider_callers where caller in (
       select caller from provider_callers where turn < extract(epoch from at) / 60 - 10
       order by turn limit most for update skip locked);
   $$`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

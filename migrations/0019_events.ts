import { type Kysely, sql } from 'kysely';

/**
 * What happened, and nothing else: rows are added and never changed (D90). They are kept for one of two times, and
 * within that partitioned by their ids, which begin with the time; partitions are made and dropped by
 * `server/event/partitions.ts`.
 */
const statements = [
  `create table events (
     kept text,
     event_id uuid,
     type text not null,
     actor_id game_id,
     on_behalf_of game_id,
     concerns bigint[] not null,
     targets text[] not null,
     body text not null,
     primary key (kept, event_id)
   ) partition by list (kept)`,
  `comment on table events is 'Append-only. body is the event; the other columns are taken out of it, to be found by.'`,
  `comment on column events.kept is 'short: for 400 days; long: for three years.'`,
  `comment on column events.concerns is 'Every character that the event is about, members who come and go included.'`,
  `comment on column events.targets is 'As type:id.'`,
  `create table events_short partition of events for values in ('short') partition by range (event_id)`,
  `create table events_long partition of events for values in ('long') partition by range (event_id)`,
  `create table events_short_default partition of events_short default`,
  `create table events_long_default partition of events_long default`,
  `create index on events (event_id)`,
  `create index on events (actor_id, event_id) where actor_id is not null`,
  `create index on events (on_behalf_of, event_id) where on_behalf_of is not null`,
  `create index on events (type, event_id)`,
  `create index on events using gin (concerns)`,
  `create index on events using gin (targets)`,

  `create table event_contexts (
     event_id uuid primary key,
     context text not null
   ) partition by range (event_id)`,
  `comment on table event_contexts is
     'From where a request came, apart from its events, whose digests cover it: it is kept for 90 days.'`,
  `create table event_contexts_default partition of event_contexts default`,

  `create table event_seals (
     position bigint primary key,
     event_id uuid not null unique,
     digest bytea not null,
     hash bytea not null
   )`,
  `comment on table event_seals is
     'The order of the events, and a chain over their digests; the seals of events that had their time stay.'`,
  `comment on column event_seals.digest is 'SHA-256 of the body.'`,
  `comment on column event_seals.hash is 'SHA-256 of the hash before it and the digest.'`,

  `create table unsealed_events (
     born bigint generated always as identity primary key,
     event_id uuid not null,
     digest bytea not null
   )`,
  `comment on table unsealed_events is 'Events that have no position yet: for some milliseconds.'`,

  `-- Whatever writes an event, it is sealed, and everybody who waits for that is told with the commit.
   create function events_arrive() returns trigger language plpgsql as $$
   begin
     insert into unsealed_events (event_id, digest)
       select event_id, sha256(convert_to(body, 'UTF8')) from arrived order by event_id;
     perform pg_notify('castellan_events', 'written') where exists (select from arrived);
     return null;
   end $$`,
  `create trigger events_arrive after insert on events referencing new table as arrived
     for each statement execute function events_arrive()`,

  `create function refuse_change() returns trigger language plpgsql as $$
   begin
     raise exception 'rows of % are added, never changed or removed', tg_table_name using errcode = '55000';
   end $$`,
  ...['events', 'event_contexts', 'event_seals'].flatMap((table) => [
    `create trigger refuse_change before update or delete on ${table}
       for each row execute function refuse_change()`,
    `create trigger refuse_truncation before truncate on ${table}
       for each statement execute function refuse_change()`,
  ]),
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

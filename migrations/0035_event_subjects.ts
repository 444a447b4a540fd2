import { type Kysely, sql } from 'kysely';

/**
 * What events are about as a table of its own, whose index gives the latest ones of a subject in order: the GIN indexes
 * that it replaces gave all of them, however many (D94). And indexes by which a webhook with very many deliveries costs
 * no more than one with few (D93).
 */
const statements = [
  // All at once, these of later statements and the next migration, too: who changes one of them writes an event afterwards.
  `lock table groups, group_members, group_policies, applications, webhook_deliveries in access exclusive mode`,
  // Nobody writes an event between those that are copied and the trigger that takes care of all later ones.
  'lock table events in exclusive mode',
  `create table event_subjects (
     key text not null,
     event_id uuid not null,
     primary key (key, event_id)
   ) partition by range (event_id)`,
  `comment on table event_subjects is
     'What each event is about, as type:id; users who come into a list or leave it included. Written by events_arrive().'`,
  `create table event_subjects_default partition of event_subjects default`,
  `do $$
   declare month record;
   begin
     for month in
       select c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bounds
       from pg_inherits join pg_class c on c.oid = inhrelid
       where inhparent = 'events_long'::regclass and c.relname <> 'events_long_default'
     loop
       execute format('create table %I partition of event_subjects %s',
         replace(month.name, 'events_long', 'event_subjects'), month.bounds);
     end loop;
   end $$`,
  `insert into event_subjects (key, event_id)
     select distinct key, event_id
     from events, unnest(targets || array(select 'user:' || id from unnest(concerns) id)) key`,
  `create trigger refuse_change before update or delete on event_subjects
     for each row execute function refuse_change()`,
  `create trigger refuse_truncation before truncate on event_subjects
     for each statement execute function refuse_change()`,

  `create or replace function events_arrive() returns trigger language plpgsql as $$
   begin
     insert into unsealed_events (event_id, digest)
       select event_id, sha256(convert_to(body, 'UTF8')) from arrived order by event_id;
     insert into event_subjects (key, event_id)
       select distinct key, event_id
       from arrived, unnest(targets || array(select 'user:' || id from unnest(concerns) id)) key;
     perform pg_notify('castellan_events', 'written') where exists (select from arrived);
     return null;
   end $$`,

  `drop index events_concerns_idx`,
  `drop index events_targets_idx`,
  `create index events_departures_idx on events using gin (concerns)
     where type in ('user.handed_over', 'user.deleted')`,

  `drop index webhook_deliveries_waiting_idx`,
  `create index webhook_deliveries_waiting_idx on webhook_deliveries (webhook_id, next_try_on)
     where state = 'waiting' and position is not null`,
  `create index webhook_deliveries_in_turn_idx on webhook_deliveries (webhook_id, position)
     where state = 'waiting' and position is not null`,
  `create index webhook_deliveries_tests_idx on webhook_deliveries (webhook_id, next_try_on)
     where state = 'waiting' and position is null`,
  `create index webhook_deliveries_failed_idx on webhook_deliveries (webhook_id, delivery_id)
     where state = 'failed'`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

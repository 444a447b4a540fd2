import { type Kysely, sql } from 'kysely';

/** The first and the last id of the millisecond in which an event `c` happened. */
const first = `(left(c.event_id::text, 13) || '-0000-0000-000000000000')::uuid`;
const last = `(left(c.event_id::text, 13) || '-ffff-ffff-ffffffffffff')::uuid`;

const statements = [
  // False for the events that there are, without writing them anew; null for those of processes of the release before.
  'alter table events add column hides_actor boolean default false',
  'alter table events alter column hides_actor drop default',
  `comment on column events.hides_actor is
     'Whether the actor tells which other character a human plays. Null: a process of the release before wrote it.'`,
  'alter table events disable trigger refuse_change',
  // By the index on types, as there are few of them; their consequences were written with the same time.
  `with linking as materialized (
     select event_id from events where type in ('person.character_linked', 'person.character_unlinked',
       'person.main_changed', 'voice.bound', 'voice.unbound')
   ), hiding as materialized (
     select event_id from linking
     union
     select e.event_id from linking c, lateral (
       select event_id, body from events where event_id >= ${first} and event_id <= ${last} offset 0) e
     where (e.body::jsonb #>> '{cause,event_id}')::uuid = c.event_id
   )
   update events set hides_actor = true where event_id = any(array(select event_id from hiding))`,
  'alter table events enable trigger refuse_change',
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

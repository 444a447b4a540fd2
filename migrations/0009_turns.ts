import { type Kysely, sql } from 'kysely';

/** When the provider is asked next: whether a refresh token lives, and for what is kept of a character's past. */
const statements = [
  `alter table grants add column next_check_on timestamptz(3) not null default now()`,
  `comment on column grants.next_check_on is
     'When the provider is asked next whether the refresh token lives, if nothing else asks it before.'`,
  `create index on grants (next_check_on, grant_id) where valid`,

  `create table history_turns (
     character_id game_id references users on delete cascade,
     history text check (history in ('location', 'mail', 'skillpoints', 'wallet')),
     due_on timestamptz(3) not null,
     failures smallint not null default 0,
     primary key (character_id, history)
   )`,
  `comment on table history_turns is 'Whose past is looked at next: everybody who ever granted a refresh token.'`,
  `comment on column history_turns.due_on is
     'While a worker is at it: when others may take it for dead. It alone may end the turn that it took with this value.'`,
  `comment on column history_turns.failures is 'In a row.'`,
  `create index on history_turns (history, due_on, character_id)`,
  `insert into history_turns (character_id, history, due_on)
     select character_id, history, now()
     from (select distinct character_id from grants) granted,
       unnest(array['location', 'mail', 'skillpoints', 'wallet']) history`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

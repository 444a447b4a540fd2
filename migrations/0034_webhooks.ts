import { type Kysely, sql } from 'kysely';

/** Where events are sent, and what is on its way there (D93). */
const statements = [
  `create table webhooks (
     webhook_id object_id primary key,
     app_token uuid references tokens on delete cascade,
     owner_id game_id references users on delete cascade,
     url text not null,
     types text[] not null,
     group_ids text[],
     ordered boolean not null,
     secret bytea not null,
     former_secret bytea,
     former_until timestamptz(3),
     position bigint not null,
     disabled_on timestamptz(3),
     disabled_because text check (disabled_because in ('asked', 'gone', 'undeliverable', 'not_allowed')),
     failures integer not null default 0,
     paused_until timestamptz(3),
     created_on timestamptz(3) not null default now(),
     updated_on timestamptz(3) not null default now(),
     check (num_nonnulls(app_token, owner_id) = 1),
     check ((disabled_on is null) = (disabled_because is null))
   )`,
  `create index webhooks_app_token_idx on webhooks (app_token)`,
  `create index webhooks_owner_id_idx on webhooks (owner_id)`,
  `comment on column webhooks.secret is 'Sealed.'`,
  `comment on column webhooks.position is 'Events up to this one have their deliveries.'`,
  `comment on column webhooks.failures is 'Tries in a row that failed.'`,
  `comment on column webhooks.paused_until is 'Its receiver asked for it, or fails all the time.'`,
  `create table webhook_deliveries (
     webhook_id object_id not null references webhooks on delete cascade,
     delivery_id uuid not null,
     type text not null,
     position bigint,
     state text not null check (state in ('waiting', 'delivered', 'failed')),
     tries integer not null default 0,
     next_try_on timestamptz(3),
     tried_on timestamptz(3),
     status integer,
     fault text,
     created_on timestamptz(3) not null default now(),
     primary key (webhook_id, delivery_id),
     check ((state = 'waiting') = (next_try_on is not null))
   )`,
  `comment on column webhook_deliveries.delivery_id is 'Of the event.'`,
  `comment on column webhook_deliveries.position is 'Of the event; null: a test.'`,
  `comment on column webhook_deliveries.next_try_on is
     'While a process has it in hand: when it is somebody else''s, if that process is heard of no more.'`,
  `create index webhook_deliveries_waiting_idx on webhook_deliveries (webhook_id, next_try_on)
     where state = 'waiting'`,
  `create index webhook_deliveries_ended_idx on webhook_deliveries (tried_on) where state <> 'waiting'`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

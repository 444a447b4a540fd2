import { type Kysely, sql } from 'kysely';

/**
 * What is kept of each character: where it was, its skill points and its balance, by the hour for 90 days, and
 * its mail for ever (D36). The three of the first kind are partitioned by week; partitions are made and dropped
 * by `server/history/partitions.ts`, so that a migrated schema has none and expiry deletes no row.
 */
const statements = [
  `create table character_locations (
     character_id game_id,
     timestamp timestamptz(3),
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
     primary key (character_id, timestamp)
   ) partition by range (timestamp)`,
  `create table character_skill_points (
     character_id game_id,
     timestamp timestamptz(3),
     total_sp bigint not null,
     unallocated_sp bigint not null,
     primary key (character_id, timestamp)
   ) partition by range (timestamp)`,
  `create table character_wallets (
     character_id game_id,
     timestamp timestamptz(3),
     balance double precision not null,
     primary key (character_id, timestamp)
   ) partition by range (timestamp)`,
  `create table mails (
     mail_id game_id primary key,
     from_id game_id not null,
     from_name text not null,
     recipients jsonb not null,
     subject text not null,
     timestamp timestamptz(3) not null,
     body text
   )`,
  `comment on column mails.body is 'Plain text; null until it was fetched.'`,
  `create table mailboxes (
     character_id game_id primary key references users on delete cascade,
     complete boolean not null default false
   )`,
  `comment on column mailboxes.complete is 'The oldest mail of the character was reached once.'`,
  `create table mailbox_mails (
     character_id game_id references mailboxes on delete cascade,
     mail_id game_id references mails,
     position bigint not null,
     wants_body boolean not null,
     primary key (character_id, mail_id),
     constraint one_mail_per_position unique (character_id, position) deferrable
   )`,
  `comment on column mailbox_mails.position is
     'Counts from older to newer mails without a gap: a page is a range of positions, however many there are.'`,
  `comment on column mailbox_mails.wants_body is 'The text is still to be fetched from this mailbox.'`,
  `create index on mailbox_mails (mail_id)`,
  `create index on mailbox_mails (character_id, position) where wants_body`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

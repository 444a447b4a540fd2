import { type Kysely, sql } from 'kysely';

/** What the sync of the registry with the provider remembers from run to run (D63b). */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table users
    add column graveyard_on timestamptz(3),
    add column refused_on timestamptz(3)`.execute(db);
  await sql`comment on column users.graveyard_on is
    'When a run of the sync first saw the character among the deleted ones; the next run that does believes it (D63b).'`.execute(
    db,
  );
  await sql`comment on column users.refused_on is
    'When the provider last refused the id in a bulk request: it fails all others with it, so it rests for a day.'`.execute(
    db,
  );
  // Whoever signed in last comes first.
  await sql`create index users_sync_order on users
    ((coalesce(signed_in_on, '-infinity')) desc, character_id desc)`.execute(db);
  await sql`create index on users (graveyard_on) where graveyard_on is not null`.execute(db);
  await sql`create index on corporations (refreshed_on, corporation_id)`.execute(db);
  await sql`create index on corporations (ceo_id)`.execute(db);
  await sql`create index on alliances (refreshed_on, alliance_id)`.execute(db);
  await sql`
    create table run_cursors (
      job_id text primary key,
      -- Order key and id of the last row that was answered for.
      after_key text not null,
      after_id game_id not null
    )`.execute(db);
  await sql`comment on table run_cursors is
    'Where a run stopped when the provider failed: the next one goes on there, and then begins anew.'`.execute(
    db,
  );
}

import { type Kysely, sql } from 'kysely';

/**
 * Which characters belong to one human (D100), what became of that, and since when who lacks what is required. A person
 * of one needs no row.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table persons (
      person_id object_id primary key,
      main_id game_id not null,
      created_on timestamptz(3) not null
    )`.execute(db);
  await sql`
    create table person_characters (
      character_id game_id primary key references users on delete cascade,
      person_id object_id not null references persons on delete cascade,
      unique (person_id, character_id)
    )`.execute(db);
  // Whoever takes a main away names another one, or the transaction fails.
  await sql`
    alter table persons add constraint main_is_of_the_person
      foreign key (person_id, main_id) references person_characters (person_id, character_id)
      deferrable initially deferred`.execute(db);
  await sql`
    create table person_history (
      position bigint generated always as identity primary key,
      occurred_on timestamptz(3) not null,
      happened text not null
        check (happened in ('linked', 'unlinked', 'owner_changed', 'deleted', 'merged', 'split')),
      character_id game_id not null,
      character_name text not null,
      from_person object_id,
      to_person object_id,
      by_id game_id,
      reason text,
      proof uuid
    )`.execute(db);
  await sql`comment on column person_history.character_id is 'No reference: what happened outlives the user.'`.execute(
    db,
  );
  await sql`comment on column person_history.proof is 'The user token that proved a character; it proves once.'`.execute(
    db,
  );
  await sql`create unique index one_link_for_a_proof on person_history (proof) where proof is not null`.execute(
    db,
  );
  await sql`create index on person_history (character_id)`.execute(db);
  await sql`create index on person_history (from_person) where from_person is not null`.execute(db);
  await sql`create index on person_history (to_person) where to_person is not null`.execute(db);
  await sql`create index on person_history (occurred_on)`.execute(db);

  await sql`alter table users add column proven_on timestamptz(3)`.execute(db);
  await sql`update users set proven_on = signed_in_on where signed_in_on is not null`.execute(db);
  await sql`comment on column users.proven_on is 'The first sign-in of the present owner.'`.execute(db);
  await sql`alter table grants add column heard_owner text`.execute(db);
  await sql`comment on column grants.heard_owner is 'Whom the character belonged to when the refresh token was last used.'`.execute(
    db,
  );

  await sql`
    create table compliance_failures (
      character_id game_id primary key references users on delete cascade,
      since timestamptz(3) not null
    )`.execute(db);
  await sql`
    create table compliance_days (
      kind text not null check (kind in ('corporation', 'alliance', 'coalition')),
      id text not null,
      day date not null,
      persons integer not null,
      ok integer not null,
      grace integer not null,
      failing integer not null,
      unknown integer not null,
      never_signed_in integer not null,
      primary key (kind, id, day)
    )`.execute(db);
  await sql`create index on compliance_days (day)`.execute(db);
}

import { type Kysely, sql } from 'kysely';

/** Who asked to join a group, and what became of it (D111); what is decided stays as it was decided. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table applications (
      application_id object_id primary key,
      group_id object_id not null references groups on delete cascade,
      character_id game_id not null references users on delete cascade,
      state text not null default 'pending'
        check (state in ('pending', 'approved', 'rejected', 'withdrawn', 'expired', 'void')),
      message text not null,
      answers text[] not null,
      created_on timestamptz(3) not null,
      expires_on timestamptz(3) not null,
      decided_on timestamptz(3),
      decided_by game_id,
      decided_by_name text,
      reason text,
      note text,
      constraint decided_at_some_time check ((state = 'pending') = (decided_on is null))
    )`.execute(db);
  await sql`comment on column applications.decided_by is
    'No reference: a deleted user has decided what it decided. Null: the applicant, or nobody.'`.execute(db);
  await sql`create unique index one_pending_application on applications (group_id, character_id)
    where state = 'pending'`.execute(db);
  await sql`create index on applications (character_id, application_id)`.execute(db);
  await sql`create index on applications (group_id, application_id)`.execute(db);
  await sql`create index on applications (expires_on) where state = 'pending'`.execute(db);
  await sql`
    create function keep_decided_application() returns trigger language plpgsql as $$
    begin
      raise exception 'a decided application stays as it was decided' using errcode = 'integrity_constraint_violation';
    end $$`.execute(db);
  await sql`
    create trigger decided_stays before update on applications for each row
    when (old.state <> 'pending') execute function keep_decided_application()`.execute(db);
}

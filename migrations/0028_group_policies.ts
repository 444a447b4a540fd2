import { type Kysely, sql } from 'kysely';

/** Who may join a group and who must leave it (D110); a group without a row is closed to everybody, as ever. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table group_policies (
      group_id object_id primary key references groups on delete cascade,
      joining text not null check (joining in ('closed', 'application', 'open')),
      visible_to text not null check (visible_to in ('everyone', 'eligible', 'members')),
      reach text not null check (reach in ('character', 'person')),
      alliances bigint[] not null,
      corporations bigint[] not null,
      coalitions text[] not null,
      groups_any text[] not null,
      groups_none text[] not null,
      min_level smallint not null,
      moderator_groups text[] not null,
      grace_hours integer not null,
      reapply_hours integer not null,
      questions text[] not null,
      expire_days integer not null,
      by_administrator boolean not null,
      updated_on timestamptz(3) not null
    )`.execute(db);
  await sql`comment on column group_policies.by_administrator is
    'Level 9 or more set it: a group with a login switch obeys no other (D110).'`.execute(db);
  await sql`
    create table group_moderators (
      group_id object_id references group_policies on delete cascade,
      character_id game_id references users on delete cascade,
      primary key (group_id, character_id)
    )`.execute(db);
  await sql`create index on group_moderators (character_id)`.execute(db);
  await sql`alter table group_members add column ineligible_since timestamptz(3)`.execute(db);
  await sql`comment on column group_members.ineligible_since is
    'Since when the policy of the group does not let the member be one: it leaves when the grace is over.'`.execute(
    db,
  );
}

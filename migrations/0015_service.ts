import { type Kysely, sql } from 'kysely';

/** What commands beside the service have to know of it: how it was started (D24). */
const statements = [
  `create table service (
     one boolean primary key default true constraint one_row check (one),
     process uuid not null,
     base_url text not null,
     key_ids text[] not null,
     started_on timestamptz(3) not null
   )`,
  `comment on table service is
     'The process that was started last; gone when it has stopped. Others of the same service run as it does.'`,
  `comment on column service.key_ids is 'The signing keys that it knows.'`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

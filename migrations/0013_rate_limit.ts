import { type Kysely, sql } from 'kysely';

const statements = [
  `create unlogged table rate_windows (
     key text primary key,
     most integer not null,
     taken integer not null,
     handed integer not null,
     ends_on timestamptz(3) not null
   )`,
  `comment on table rate_windows is
     'The present minute of each token and of each address without one: requests that processes may answer (D60).'`,
  `comment on column rate_windows.taken is 'Of "most", what processes have taken in blocks.'`,
  `comment on column rate_windows.handed is 'The block that was taken last: how the statement that took it learns its size.'`,
  `create index on rate_windows (ends_on)`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

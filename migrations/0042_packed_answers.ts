import { type Kysely, sql } from 'kysely';

const statements = [
  `alter table provider_cache add column packed bytea`,
  // It is compressed already.
  `alter table provider_cache alter column packed set storage external`,
  `alter table provider_cache alter column body drop not null`,
  `alter table provider_cache add constraint body_or_packed check (num_nonnulls(body, packed) = 1)`,
  `comment on column provider_cache.packed is 'A large body, compressed by Brotli.'`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

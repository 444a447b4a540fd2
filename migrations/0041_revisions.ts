import { type Kysely, sql } from 'kysely';

const statements = [
  `create sequence registry_revision`,
  ...['alliances', 'corporations'].flatMap((table) => [
    // Not with the sequence at once, which would rewrite the table.
    `alter table ${table} add column revision bigint not null default 0`,
    `alter table ${table} alter column revision set default nextval('registry_revision')`,
    `comment on column ${table}.revision is
       'Grows with each time that it is stored as the game says: what was asked for before must not undo it (D39).'`,
  ]),
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

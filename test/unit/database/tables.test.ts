import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../harness/database.ts';
import { tableTypes } from '../../harness/table-types.ts';

interface StoredColumn {
  readonly table: string;
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly filled: boolean;
  /** PostgreSQL does not report which columns of a view may be null. */
  readonly is_view: boolean;
}

/** The types as which connection.ts reads those of PostgreSQL. */
const KINDS: Readonly<Record<string, string>> = {
  smallint: 'number',
  integer: 'number',
  bigint: 'number',
  'double precision': 'number',
  text: 'string',
  uuid: 'string',
  boolean: 'boolean',
  'timestamp with time zone': 'Date',
  bytea: 'Buffer',
  jsonb: 'unknown',
};

function kindOf(type: string): string | undefined {
  const element = type.replace(/\[\]$/, '');
  return element === type ? KINDS[type] : `${KINDS[element]}[]`;
}

let database: TestDatabase;
let stored: Map<string, StoredColumn[]>;
beforeAll(async () => {
  database = await createTestDatabase();
  const { rows } = await sql<StoredColumn>`
    select c.relname as table, attname as name, c.relkind = 'v' as is_view,
      format_type(coalesce(nullif(t.typbasetype, 0), t.oid), null) as type,
      attnotnull or t.typnotnull as required, atthasdef or attidentity <> '' as filled
    from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_type t on t.oid = a.atttypid
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v') and not c.relispartition
      and attnum > 0 and not attisdropped`.execute(database.db);
  stored = new Map();
  for (const row of rows) stored.set(row.table, [...(stored.get(row.table) ?? []), row]);
});
afterAll(() => database.drop());

describe('server/database/tables.ts', () => {
  it.each([...tableTypes()])('describes %s like the migrated database', (table, columns) => {
    const present = stored.get(table) ?? [];
    expect([...columns.keys()].sort()).toEqual(present.map(({ name }) => name).sort());
    for (const { name, type, required, is_view } of present) {
      const nullable = is_view ? columns.get(name)?.nullable : !required && kindOf(type) !== 'unknown';
      const { kind, nullable: mayBeNull } = columns.get(name) ?? {};
      expect({ name, kind, nullable: mayBeNull }).toEqual({ name, kind: kindOf(type), nullable });
    }
  });

  it.each([...tableTypes()])(
    'requires in inserts all columns of %s that have to be given',
    (table, columns) => {
      const missed = (stored.get(table) ?? []).filter(({ name, required, filled, is_view }) => {
        const column = columns.get(name);
        // Kysely treats nullable columns as optional, and therefore columns of unknown type.
        return !is_view && required && !filled && column?.optional === true && column.kind !== 'unknown';
      });
      expect(missed.map(({ name }) => name)).toEqual([]);
    },
  );
});

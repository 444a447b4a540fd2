import { type Kysely, sql } from 'kysely';
import type { Database } from '../database/tables.ts';

export interface KnownName {
  readonly id: number;
  /** Null when the provider has no name for it. */
  readonly name: string | null;
  readonly category: string | null;
}

interface StoredName extends KnownName {
  /** Whether the provider need not be asked: for a week, or for a day where it had no name (D32). */
  readonly fresh: boolean;
}

/** Stored names, and ids that had none within the last day. */
export async function findNames(
  db: Kysely<Database>,
  ids: readonly number[],
  now: Date,
): Promise<Map<number, StoredName>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('names')
    .select(['id', 'name', 'category'])
    .select(sql<boolean>`name is null or known_on > ${now}::timestamptz - interval '168 hours'`.as('fresh'))
    .where('id', '=', sql<number>`any(${[...ids]}::bigint[])`)
    .where(sql<boolean>`(name is not null or known_on > ${now}::timestamptz - interval '24 hours')`)
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** Stores names; a stored name is kept when the provider no longer has one. */
export async function saveNames(db: Kysely<Database>, names: readonly KnownName[], now: Date): Promise<void> {
  if (names.length === 0) return;
  await sql`
    insert into names (id, name, category, known_on)
    select id, name, category, ${now} from jsonb_to_recordset(${JSON.stringify(names)}::jsonb)
      as found(id bigint, name text, category text)
    order by id
    on conflict (id) do update set
      name = coalesce(excluded.name, names.name), category = coalesce(excluded.category, names.category),
      known_on = excluded.known_on`.execute(db);
}

/** A page of the names that are at least a week old, oldest first, behind the cursor `after`. */
export async function findStaleNames(
  db: Kysely<Database>,
  now: Date,
  { after, most }: { readonly after: NamePlace | undefined; readonly most: number },
): Promise<NamePlace[]> {
  const beyond =
    after === undefined
      ? sql<boolean>`true`
      : sql<boolean>`(known_on, id) > (${after.known_on}::timestamptz, ${after.id}::bigint)`;
  return db
    .selectFrom('names')
    .select(['id', 'known_on'])
    .where('name', 'is not', null)
    .where('known_on', '<=', sql<Date>`${now}::timestamptz - interval '168 hours'`)
    .where(beyond)
    .orderBy('known_on')
    .orderBy('id')
    .limit(most)
    .execute();
}

/** A cursor in the order of age. */
export interface NamePlace {
  readonly id: number;
  readonly known_on: Date;
}

/** Deletes some ids that had no name more than a week ago: until then the job `follow-names` leaves them out. */
export async function forgetUnnamed(db: Kysely<Database>, now: Date, most: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from names where id in (
      select id from names where name is null and known_on <= ${now}::timestamptz - interval '168 hours'
      order by known_on limit ${most} for update skip locked)`.execute(db);
  return Number(numAffectedRows);
}

import { type Kysely, sql } from 'kysely';
import type { Database } from '../database/tables.ts';

/** The stored document: its operations as JSON, and when they were fetched. */
export interface StoredDocument {
  readonly operations: unknown;
  readonly fetched_on: Date;
}

/** The stored document; undefined when there is none, or none newer than `since`. */
export async function findDocument(
  db: Kysely<Database>,
  since: Date | null,
): Promise<StoredDocument | undefined> {
  const { rows } = await sql<StoredDocument>`
    select operations, fetched_on from provider_document
    where ${since}::timestamptz is null or fetched_on > ${since}`.execute(db);
  return rows[0];
}

export async function saveDocument(db: Kysely<Database>, operations: unknown, now: Date): Promise<void> {
  await sql`
    insert into provider_document (operations, fetched_on, asked_on)
    values (${JSON.stringify(operations)}::jsonb, ${now}, ${now})
    on conflict (one) do update set operations = excluded.operations,
      fetched_on = excluded.fetched_on, asked_on = excluded.asked_on`.execute(db);
}

/**
 * Claims the fetching of a new document; false when the stored one is recent, or another process claimed it a short
 * while ago.
 */
export async function claimDocument(
  db: Kysely<Database>,
  {
    now,
    olderThan,
    askedBefore,
  }: { readonly now: Date; readonly olderThan: Date; readonly askedBefore: Date },
): Promise<boolean> {
  const { rows } = await sql`
    update provider_document set asked_on = ${now}
    where fetched_on < ${olderThan} and asked_on < ${askedBefore} returning 1`.execute(db);
  return rows.length > 0;
}

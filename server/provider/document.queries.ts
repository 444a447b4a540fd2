import { type Kysely, sql } from 'kysely';
import type { Database } from '../database/tables.ts';
import { CLOCKS_APART } from '../shared/clock.ts';

/** The stored document: its operations as JSON, and when they were fetched. */
export interface StoredDocument {
  readonly operations: unknown;
  readonly fetched_on: Date;
}

/**
 * Which document the stored one was: each operation says so, as processes of the former release store operations without
 * knowing of it.
 */
const source = sql`operations -> 0 ->> 'source'`;

export async function findDocument(db: Kysely<Database>): Promise<StoredDocument | undefined> {
  const { rows } = await sql<StoredDocument>`select operations, fetched_on from provider_document`.execute(
    db,
  );
  return rows[0];
}

/** The stored document if it has this source and is newer than `since`. */
export async function findNewerDocument(
  db: Kysely<Database>,
  from: string,
  since: Date,
): Promise<StoredDocument | undefined> {
  const { rows } = await sql<StoredDocument>`
    select operations, fetched_on from provider_document
    where fetched_on > ${since} and ${source} = ${from}`.execute(db);
  return rows[0];
}

/** Whether a document was fetched between `since` and now, from whichever source. */
export async function wasFetchedSince(db: Kysely<Database>, since: Date, now: Date): Promise<boolean> {
  const { rows } = await sql`
    select from provider_document where fetched_on > ${since} and fetched_on <= ${now}`.execute(db);
  return rows.length > 0;
}

export async function saveDocument(
  db: Kysely<Database>,
  operations: readonly { readonly source: string }[],
  now: Date,
): Promise<void> {
  await sql`
    insert into provider_document (operations, fetched_on, asked_on)
    values (${JSON.stringify(operations)}::jsonb, ${now}, ${now})
    on conflict (one) do update set operations = excluded.operations,
      fetched_on = excluded.fetched_on, asked_on = excluded.asked_on`.execute(db);
}

/**
 * Claims the fetching of a new document; false when the stored one has this source and is recent, or another process
 * claimed that a short while ago. Storing one of another source is no such claim, and times that lie ahead do not count.
 */
export async function claimDocument(
  db: Kysely<Database>,
  {
    from,
    now,
    olderThan,
    askedBefore,
  }: { readonly from: string; readonly now: Date; readonly olderThan: Date; readonly askedBefore: Date },
): Promise<boolean> {
  const ahead = new Date(now.getTime() + CLOCKS_APART);
  const unasked = sql`(asked_on < ${askedBefore} or asked_on > ${ahead})`;
  const { rows } = await sql`
    update provider_document set asked_on = ${now}
    where case when ${source} is distinct from ${from} then ${unasked} or asked_on = fetched_on
      else (fetched_on < ${olderThan} or fetched_on > ${ahead}) and ${unasked} end
    returning 1`.execute(db);
  return rows.length > 0;
}

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
const source = sql<string | null>`operations -> 0 ->> 'source'`;

export async function findDocument(db: Kysely<Database>): Promise<StoredDocument | undefined> {
  return db.selectFrom('provider_document').select(['operations', 'fetched_on']).executeTakeFirst();
}

/** The stored document if it has this source and is newer than `since`. */
export async function findNewerDocument(
  db: Kysely<Database>,
  from: string,
  since: Date,
): Promise<StoredDocument | undefined> {
  return db
    .selectFrom('provider_document')
    .select(['operations', 'fetched_on'])
    .where('fetched_on', '>', since)
    .where(source, '=', from)
    .executeTakeFirst();
}

/** Whether a document was fetched between `since` and now, from whichever source. */
export async function wasFetchedSince(db: Kysely<Database>, since: Date, now: Date): Promise<boolean> {
  const fetched = await db
    .selectFrom('provider_document')
    .select('fetched_on')
    .where('fetched_on', '>', since)
    .where('fetched_on', '<=', now)
    .executeTakeFirst();
  return fetched !== undefined;
}

export async function saveDocument(
  db: Kysely<Database>,
  operations: readonly { readonly source: string }[],
  now: Date,
): Promise<void> {
  const times = { fetched_on: now, asked_on: now };
  await db
    .insertInto('provider_document')
    .values({ operations: JSON.stringify(operations), ...times })
    .onConflict((conflict) =>
      conflict.column('one').doUpdateSet(({ ref }) => ({ operations: ref('excluded.operations'), ...times })),
    )
    .execute();
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
  const { numUpdatedRows } = await db
    .updateTable('provider_document')
    .set({ asked_on: now })
    .where(sql<boolean>`case when ${source} is distinct from ${from} then ${unasked} or asked_on = fetched_on
      else (fetched_on < ${olderThan} or fetched_on > ${ahead}) and ${unasked} end`)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

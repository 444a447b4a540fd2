import { type Kysely, sql } from 'kysely';
import type { Database } from '../database/tables.ts';

/** A cursor in the order in which grants are checked. */
export interface CheckPlace {
  readonly next_check_on: Date;
  readonly grant_id: string;
}

export interface GrantToCheck extends CheckPlace {
  readonly character_id: number;
  readonly refresh_token: Buffer;
  readonly access_token: Buffer | null;
}

/** In the words of the partial index, which a parameter in its place would keep from being used. */
const isValid = sql<boolean>`valid`;

export async function countToCheck(db: Kysely<Database>, dueBy: Date): Promise<number> {
  const { count } = await db
    .selectFrom('grants')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where(isValid)
    .where('next_check_on', '<=', dueBy)
    .executeTakeFirstOrThrow();
  return count;
}

/** Makes the valid grants due now that would be due after `latest`. */
export async function makeDue(db: Kysely<Database>, now: Date, latest: Date): Promise<void> {
  await db
    .updateTable('grants')
    .set({ next_check_on: now })
    .where('valid', '=', true)
    .where('next_check_on', '>', latest)
    .execute();
}

/** A page of the grants that are due by then, longest due first, behind the cursor `after`. */
export async function findToCheck(
  db: Kysely<Database>,
  {
    dueBy,
    after,
    most,
  }: { readonly dueBy: Date; readonly after: CheckPlace | undefined; readonly most: number },
): Promise<GrantToCheck[]> {
  const beyond =
    after === undefined
      ? sql<boolean>`true`
      : sql<boolean>`(next_check_on, grant_id) > (${after.next_check_on}::timestamptz, ${after.grant_id}::uuid)`;
  return db
    .selectFrom('grants')
    .select(['grant_id', 'character_id', 'refresh_token', 'access_token', 'next_check_on'])
    .where(isValid)
    .where('next_check_on', '<=', dueBy)
    .where(beyond)
    .orderBy('next_check_on')
    .orderBy('grant_id')
    .limit(most)
    .execute();
}

/**
 * Postpones checks that gave no result, so that other grants are checked first.
 *
 * @param dueAfter leaves alone those that are due by then, as somebody else found them dead meanwhile
 */
export async function postponeChecks(
  db: Kysely<Database>,
  grantIds: readonly string[],
  { dueAfter, until }: { readonly dueAfter?: Date; readonly until: Date },
): Promise<void> {
  if (grantIds.length === 0) return;
  const postponed = db.updateTable('grants').set({ next_check_on: until });
  const these = postponed.where('grant_id', '=', sql<string>`any(${[...grantIds]}::uuid[])`);
  await (dueAfter === undefined ? these : these.where('next_check_on', '>', dueAfter)).execute();
}

/** A refresh token that the provider declared invalid, with its ciphertext when it was used. */
export interface DeadGrant {
  readonly grantId: string;
  readonly used: Buffer;
  readonly cause: string;
}

/**
 * Marks these grants invalid, except those whose refresh token was replaced by a sign-in meanwhile. Returns the grants
 * that are invalid now.
 */
export async function markAllInvalid(
  db: Kysely<Database>,
  dead: readonly DeadGrant[],
  now: Date,
): Promise<string[]> {
  const found = dead.map(({ grantId, used, cause }) => ({
    grant_id: grantId,
    used: used.toString('base64'),
    cause,
  }));
  const { rows } = await sql<{ grant_id: string }>`
    with found as materialized (
      select g.grant_id, f.cause
      from jsonb_to_recordset(${JSON.stringify(found)}::jsonb) as f(grant_id uuid, used text, cause text)
        join grants g on g.grant_id = f.grant_id and g.refresh_token = decode(f.used, 'base64')
      where g.valid
      order by g.grant_id for update of g
    )
    update grants g set valid = false, cause = found.cause, access_token = null, access_expires_on = null,
      refresh_started_on = null, updated_on = ${now}
    from found where g.grant_id = found.grant_id
    returning g.grant_id`.execute(db);
  return rows.map(({ grant_id }) => grant_id);
}

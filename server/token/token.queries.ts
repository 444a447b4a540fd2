import { type Insertable, type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import type { Database, TokenTable } from '../database/tables.ts';
import { deleteBelowTokens } from '../user/user-tokens.queries.ts';

export type NewToken = Insertable<TokenTable>;

type GoneToken = Pick<Selectable<TokenTable>, 'uuid' | 'token_type' | 'owner_id'>;

export async function insertToken(db: Kysely<Database>, token: NewToken): Promise<void> {
  await db.insertInto('tokens').values(token).execute();
}

/** A token's row, for signing it (again). */
export async function findToken(db: Kysely<Database>, uuid: string) {
  return db.selectFrom('tokens').selectAll().where('uuid', '=', uuid).executeTakeFirst();
}

/** Deletes a token with its descendants and state codes (D21); undefined when it did not exist. */
export async function deleteToken(tx: Transaction<Database>, uuid: string) {
  await deleteBelowTokens(tx, { appToken: uuid });
  return tx
    .deleteFrom('tokens')
    .where('uuid', '=', uuid)
    .returning(['uuid', 'token_type', 'owner_id'])
    .executeTakeFirst();
}

/** The owner's oldest permanent token without a parent, as `npm run token` makes it. */
export async function findRootToken(db: Kysely<Database>, ownerId: number) {
  return db
    .selectFrom('tokens')
    .selectAll()
    .where('token_type', '=', 'per')
    .where('owner_id', '=', ownerId)
    .where('parent', 'is', null)
    .orderBy('created_on')
    .orderBy('uuid')
    .executeTakeFirst();
}

/** Takes an advisory lock until the transaction ends, so that commands at the same time print one token, not two. */
export async function lockRootToken(db: Kysely<Database>, ownerId: number): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext(${`root token of ${ownerId}`}))`.execute(db);
}

/** Application tokens with their owners' names, oldest first. */
export async function listAppTokens(db: Kysely<Database>) {
  return db
    .selectFrom('tokens as t')
    .innerJoin('users as u', 'u.character_id', 't.owner_id')
    .select(['t.uuid', 't.token_type', 't.owner_id', 'u.character_name', 't.callback', 't.comments', 't.kid'])
    .where('t.token_type', '!=', 'use')
    .orderBy('t.created_on')
    .orderBy('t.uuid')
    .execute();
}

/** Stores the id of the key that a token is signed with (D20b). */
export async function setKey(db: Kysely<Database>, uuid: string, kid: string) {
  return db.updateTable('tokens').set({ kid }).where('uuid', '=', uuid).returningAll().executeTakeFirst();
}

/**
 * Unexpired tokens that were signed with a key other than these (D20b). The console's own token is left out: it is
 * never signed (D130).
 */
export async function tokensOfOtherKeys(db: Kysely<Database>, kids: readonly string[], now: Date) {
  return db
    .selectFrom('tokens')
    .select(['uuid', 'token_type', 'kid'])
    .where('kid', 'not in', [...kids])
    .where((eb) => eb.not(eb.and([eb('token_type', '=', 'dyn'), eb('parent', 'is', null)])))
    .where((eb) => eb.or([eb('expires_on', 'is', null), eb('expires_on', '>', now)]))
    .orderBy('created_on')
    .limit(100)
    .execute();
}

/** Unexpired tokens that were signed with a key other than these, as in {@link tokensOfOtherKeys}. */
const ofOtherKeys = (kids: readonly string[], now: Date) => sql<boolean>`
  kid <> all(${[...kids]}::text[]) and not (token_type = 'dyn' and parent is null)
    and (expires_on is null or expires_on > ${now})`;

/** Deletes up to `most` user tokens of other keys than these. */
export async function deleteUserTokensOfOtherKeys(
  db: Kysely<Database>,
  kids: readonly string[],
  { now, most }: { readonly now: Date; readonly most: number },
): Promise<GoneToken[]> {
  const some = db.selectFrom('tokens').select('uuid').where(ofOtherKeys(kids, now));
  return db
    .deleteFrom('tokens')
    .where('uuid', 'in', some.where('token_type', '=', 'use').limit(most))
    .returning(['uuid', 'token_type', 'owner_id'])
    .execute();
}

/**
 * Deletes the tokens of other keys than these, with their descendants, but for those that app tokens of these keys
 * descend from. Call it after {@link deleteUserTokensOfOtherKeys}, as there may be very many.
 */
export async function deleteTokensOfOtherKeys(
  tx: Transaction<Database>,
  kids: readonly string[],
  now: Date,
): Promise<GoneToken[]> {
  const { rows } = await sql<GoneToken>`
    with recursive ancestors (uuid) as (
      select parent from tokens where token_type <> 'use' and kid = any(${[...kids]}::text[])
      union select parent from ancestors join tokens using (uuid)
    )
    select uuid, token_type, owner_id from tokens where ${ofOtherKeys(kids, now)}
      and uuid not in (select uuid from ancestors where uuid is not null)`.execute(tx);
  for (const { uuid } of rows) await deleteBelowTokens(tx, { appToken: uuid });
  await tx
    .deleteFrom('tokens')
    .where('uuid', '=', sql<string>`any(${rows.map(({ uuid }) => uuid)}::uuid[])`)
    .execute();
  return rows;
}

/** Stores this key for all tokens of other keys than these; returns their ids. */
export async function moveTokensOfOtherKeys(
  db: Kysely<Database>,
  { kids, to }: { readonly kids: readonly string[]; readonly to: string },
  now: Date,
): Promise<string[]> {
  const rows = await db
    .updateTable('tokens')
    .set({ kid: to })
    .where(ofOtherKeys(kids, now))
    .returning('uuid')
    .execute();
  return rows.map(({ uuid }) => uuid);
}

/** The user that a token is to be made for; undefined when it does not exist. */
export async function findOwner(db: Kysely<Database>, characterId: number) {
  return db
    .selectFrom('users')
    .select('character_id')
    .where('character_id', '=', characterId)
    .executeTakeFirst();
}

/** Deletes up to `most` expired tokens with their descendants; returns the number of expired ones. */
export async function deleteExpiredTokens(db: Kysely<Database>, now: Date, most: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from tokens where uuid in (
      select uuid from tokens where expires_on <= ${now}
      order by expires_on limit ${most} for update skip locked)`.execute(db);
  return Number(numAffectedRows);
}

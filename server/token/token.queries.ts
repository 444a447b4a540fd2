import { type CompiledQuery, type Insertable, type Kysely, sql, type Transaction } from 'kysely';
import type { TokenKind } from '../../contract/access.ts';
import { mayUseTokens } from '../access/login-permission.queries.ts';
import type { Database, TokenTable } from '../database/tables.ts';

/** Who calls: the token, its owner, and what that owner may do at this moment. */
export interface Caller {
  readonly uuid: string;
  readonly token_type: TokenKind;
  readonly owner_id: number;
  readonly owner_name: string;
  readonly parent: string | null;
  readonly app_token: string;
  readonly callback: string | null;
  readonly comments: string | null;
  readonly created_on: Date;
  readonly expires_on: Date | null;
  /** Owner of the permanent token that a user token was made from: who stands behind it (D23). */
  readonly sponsor_id: number | null;
  /** The owner's level, never above the sponsor's (D23). */
  readonly level: number;
  /** Whether the sponsor, or else the owner, may log in (D27b). */
  readonly may_log_in: boolean;
}

/**
 * The one query of authentication. `u` is who answers for the token: the sponsor of a user token that was made from
 * a permanent one (D23), else the owner.
 */
const authentication = sql<Caller>`
  select t.uuid, t.token_type, t.owner_id, o.character_name as owner_name, t.parent, t.app_token, t.callback,
    t.comments, t.created_on, t.expires_on, p.owner_id as sponsor_id,
    least(o.clearance_level, u.clearance_level) as level,
    ${mayUseTokens} as may_log_in
  from tokens t
    join users o on o.character_id = t.owner_id
    left join tokens p on t.token_type = 'use' and p.uuid = t.parent and p.token_type = 'per'
    join users u on u.character_id = coalesce(p.owner_id, t.owner_id)
  where t.uuid = ${sql.raw('$1')}`;

const keeping = sql<Caller>`${authentication} for key share of t`;

let compiled: Readonly<Record<'find' | 'keep', CompiledQuery<Caller>>> | undefined;

/** Both statements are compiled once. */
async function runOn(
  db: Kysely<Database>,
  which: 'find' | 'keep',
  uuid: string,
): Promise<Caller | undefined> {
  compiled ??= { find: authentication.compile(db), keep: keeping.compile(db) };
  const { rows } = await db.executeQuery<Caller>({ ...compiled[which], parameters: [uuid] });
  return rows[0];
}

/** The caller behind a token's uuid, or undefined when the token was revoked. */
export function findCaller(db: Kysely<Database>, uuid: string): Promise<Caller | undefined> {
  return runOn(db, 'find', uuid);
}

/** The same, and nobody deletes the token before the transaction ends. */
export function keepCaller(db: Transaction<Database>, uuid: string): Promise<Caller | undefined> {
  return runOn(db, 'keep', uuid);
}

export type NewToken = Insertable<TokenTable>;

export async function insertToken(db: Kysely<Database>, token: NewToken): Promise<void> {
  await db.insertInto('tokens').values(token).execute();
}

/** A token's row, for signing it (again). */
export async function findToken(db: Kysely<Database>, uuid: string) {
  return db.selectFrom('tokens').selectAll().where('uuid', '=', uuid).executeTakeFirst();
}

/** Deletes a token with all that descends from it, and its state codes (D21). False: there was none. */
export async function deleteToken(db: Kysely<Database>, uuid: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('tokens').where('uuid', '=', uuid).executeTakeFirst();
  return numDeletedRows > 0n;
}

/** A parentless permanent token, the kind that `npm run token` makes: the oldest of this owner. */
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

/** Makes the present key the one that a token is signed with (D20b). */
export async function setKey(db: Kysely<Database>, uuid: string, kid: string) {
  return db.updateTable('tokens').set({ kid }).where('uuid', '=', uuid).returningAll().executeTakeFirst();
}

/** Unexpired tokens signed by a key that is no longer there (D20b). */
export async function tokensOfOtherKeys(db: Kysely<Database>, kids: readonly string[], now: Date) {
  return db
    .selectFrom('tokens')
    .select(['uuid', 'token_type', 'kid'])
    .where('kid', 'not in', [...kids])
    .where((eb) => eb.or([eb('expires_on', 'is', null), eb('expires_on', '>', now)]))
    .orderBy('created_on')
    .limit(100)
    .execute();
}

/** Whether there is such a user to own a token. */
export async function findOwner(db: Kysely<Database>, characterId: number) {
  return db
    .selectFrom('users')
    .select('character_id')
    .where('character_id', '=', characterId)
    .executeTakeFirst();
}

/** Deletes some of the tokens that have expired, with all that descends from them; returns how many expired ones. */
export async function deleteExpiredTokens(db: Kysely<Database>, now: Date, most: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from tokens where uuid in (
      select uuid from tokens where expires_on <= ${now}
      order by expires_on limit ${most} for update skip locked)`.execute(db);
  return Number(numAffectedRows);
}

import { type CompiledQuery, type Kysely, sql, type Transaction } from 'kysely';
import type { TokenKind } from '../../contract/access.ts';
import type { Database } from '../database/tables.ts';
import { mayUseTokens } from './login-permission.queries.ts';

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

/** Whose word it is: of a token of the built-in user made from a permanent one who stands behind it (D23). */
export function answersFor({ sponsor_id, owner_id }: Pick<Caller, 'sponsor_id' | 'owner_id'>): number {
  return sponsor_id ?? owner_id;
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

const locking = sql<Caller>`${authentication} for key share of t`;

let compiled: Readonly<Record<'find' | 'lock', CompiledQuery<Caller>>> | undefined;

/** Both statements are compiled once. */
async function runOn(
  db: Kysely<Database>,
  which: 'find' | 'lock',
  uuid: string,
): Promise<Caller | undefined> {
  compiled ??= { find: authentication.compile(db), lock: locking.compile(db) };
  const { rows } = await db.executeQuery<Caller>({ ...compiled[which], parameters: [uuid] });
  return rows[0];
}

/** The caller behind a token's uuid, or undefined when the token was revoked. */
export async function findCaller(db: Kysely<Database>, uuid: string): Promise<Caller | undefined> {
  return runOn(db, 'find', uuid);
}

/** The same, and nobody deletes the token before the transaction ends. */
export async function lockCaller(db: Transaction<Database>, uuid: string): Promise<Caller | undefined> {
  return runOn(db, 'lock', uuid);
}

/**
 * Locks the users for the rest of the transaction, in one order: nobody changes their level or moves them, while others
 * may refer to them.
 */
export async function lockUsers(db: Transaction<Database>, characterIds: readonly number[]): Promise<void> {
  await db
    .selectFrom('users')
    .select('character_id')
    .where('character_id', 'in', [...characterIds])
    .orderBy('character_id')
    .forNoKeyUpdate()
    .execute();
}

import { type CompiledQuery, type Kysely, sql, type Transaction } from 'kysely';
import type { TokenKind } from '../../contract/access.ts';
import type { Database } from '../database/tables.ts';
import { mayUseTokens } from './login-permission.queries.ts';

/** The caller of a request: the token, its owner, and the owner's present rights. */
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
  /** The sponsor: owner of the permanent token that this user token was made from (D23); null for all other tokens. */
  readonly sponsor_id: number | null;
  /** The owner's level, never above the sponsor's (D23). */
  readonly level: number;
  /** Whether the sponsor, or else the owner, may log in (D27b). */
  readonly may_log_in: boolean;
}

/**
 * The query that authenticates every request. `u` is the user who is responsible for the token: its sponsor, else its
 * owner (D23).
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

/** Runs a statement that was compiled once, as compiling costs more than running it. */
async function runOn(
  db: Kysely<Database>,
  which: 'find' | 'lock',
  uuid: string,
): Promise<Caller | undefined> {
  compiled ??= { find: authentication.compile(db), lock: locking.compile(db) };
  const { rows } = await db.executeQuery<Caller>({ ...compiled[which], parameters: [uuid] });
  return rows[0];
}

/** The caller that a token's uuid belongs to; undefined when the token was deleted. */
export async function findCaller(db: Kysely<Database>, uuid: string): Promise<Caller | undefined> {
  return runOn(db, 'find', uuid);
}

/** Like {@link findCaller}, and locks the token's row until the transaction ends. */
export async function lockCaller(db: Transaction<Database>, uuid: string): Promise<Caller | undefined> {
  return runOn(db, 'lock', uuid);
}

/**
 * Locks the rows of users until the transaction ends, ordered by id to avoid deadlocks. Nobody else can change their
 * level or membership meanwhile, while foreign keys to them may still be inserted.
 *
 * @returns the ids of those that there are
 */
export async function lockUsers(
  db: Transaction<Database>,
  characterIds: readonly number[],
): Promise<number[]> {
  const rows = await db
    .selectFrom('users')
    .select('character_id')
    .where('character_id', 'in', [...characterIds])
    .orderBy('character_id')
    .forNoKeyUpdate()
    .execute();
  return rows.map((row) => row.character_id);
}

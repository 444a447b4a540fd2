import type { Kysely, Transaction } from 'kysely';
import type { AccessRule } from '../../contract/access.ts';
import type { Database } from '../database/tables.ts';
import { DomainError, forbidden } from '../shared/errors.ts';
import { judge, judgeFields } from './access-rule.ts';
import { usable } from './authenticate.ts';
import { type Caller, findCaller, lockCaller, lockUsers } from './caller.queries.ts';
import { isBuiltIn } from './levels.ts';
import { requireAuthority } from './require-authority.ts';

/** A valid request past the gate: who asks, by which rule, about what. */
export interface Admission {
  readonly caller: Caller;
  readonly rule: AccessRule;
  readonly params: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/** What can be judged before the request is read: the type of the token and the level (D4, D5). */
export function requireClearance(rule: AccessRule, caller: Caller): void {
  const refused = judge(rule, caller);
  if (refused === undefined) return;
  if (refused.reason === 'level') throw forbidden(refused.lack);
  throw new DomainError('token_type_refused', refused.detail);
}

/** What takes a valid request: the fields that it sets, then whether its record exists and is in reach (D6). */
export async function requireRights(
  db: Kysely<Database>,
  { caller, rule, params, body }: Admission,
): Promise<void> {
  const lack = judgeFields(rule, body, caller.level);
  if (lack !== undefined) throw forbidden(lack);
  if (rule.authority === undefined) return;
  await requireAuthority(db, caller, rule.authority, params[rule.authority.param] as number | string);
}

/** Judges an admission anew, on what the caller may do by now. */
export async function rejudge(db: Kysely<Database>, admission: Admission): Promise<Caller> {
  return judgeAs(db, admission, await findCaller(db, admission.caller.uuid));
}

/**
 * Judges an admission anew within the transaction of the write that it is for, and keeps the caller from being demoted,
 * moved or deleted before that ends: a demotion comes before the write, which is then refused, or after it (D14).
 * Everything is locked in this order, or there are deadlocks: alliances, corporations, coalitions, groups, then users.
 *
 * @param others ids of users that the write is about, locked in the same breath
 */
export async function readmit(
  tx: Transaction<Database>,
  admission: Admission,
  others: readonly number[] = [],
): Promise<Caller> {
  const { uuid, owner_id, sponsor_id } = admission.caller;
  // Nobody changes the built-in user, and its many applications need not wait for each other.
  const ids = [owner_id, sponsor_id ?? owner_id, ...others].filter((id) => !isBuiltIn(id));
  if (ids.length > 0) await lockUsers(tx, ids);
  return judgeAs(tx, admission, await lockCaller(tx, uuid));
}

async function judgeAs(
  db: Kysely<Database>,
  admission: Admission,
  found: Caller | undefined,
): Promise<Caller> {
  const caller = usable(found);
  requireClearance(admission.rule, caller);
  await requireRights(db, { ...admission, caller });
  return caller;
}

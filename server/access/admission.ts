import type { Kysely, Transaction } from 'kysely';
import type { AccessRule } from '../../contract/access.ts';
import type { Database } from '../database/tables.ts';
import type { Clock } from '../shared/clock.ts';
import { DomainError, forbidden } from '../shared/domain-error.ts';
import { answersFor } from './account.ts';
import { usable } from './authenticate.ts';
import { type Caller, findCaller, lockCaller, lockUsers } from './caller.queries.ts';
import { judge, judgeFields } from './check-access-rule.ts';
import { isBuiltIn } from './clearance-levels.ts';
import { requireAuthority } from './require-authority.ts';

/** An authenticated and validated request: its caller, the rule of its route, its parameters and body. */
export interface Admission {
  readonly caller: Caller;
  readonly rule: AccessRule;
  readonly params: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  readonly clock: Clock;
  /** When the caller was looked up, in terms of `performance.now()`; absent where there is no client. */
  readonly judgedAt?: number;
  /** Makes the signal of {@link goneOf}; absent where there is no client. */
  readonly gone?: () => AbortSignal;
}

/** A signal that is aborted when the client's connection closes; never where there is no client. */
export function goneOf({ gone }: Pick<Admission, 'gone'>): AbortSignal {
  return gone?.() ?? new AbortController().signal;
}

/** Checks that need no body: the kind of the token and the level (D4, D5). */
export function requireClearance(rule: AccessRule, caller: Caller): void {
  const refused = judge(rule, caller);
  if (refused === undefined) return;
  if (refused.reason === 'level') throw forbidden(refused.lack);
  throw new DomainError('token_type_refused', refused.detail);
}

/**
 * Checks that need a valid request: the level for the fields that it sets, then existence of the record and authority
 * over it (D6).
 */
export async function requireRights(
  db: Kysely<Database>,
  { caller, rule, params, body }: Admission,
): Promise<void> {
  const lack = judgeFields(rule, body, caller.level);
  if (lack !== undefined) throw forbidden(lack);
  if (rule.authority === undefined) return;
  await requireAuthority(db, caller, rule.authority, params[rule.authority.param] as number | string);
}

/** Repeats all checks of an admission with the caller's present level and memberships. */
export async function rejudge(db: Kysely<Database>, admission: Admission): Promise<Caller> {
  return judgeAs(db, admission, await findCaller(db, admission.caller.uuid));
}

/** Milliseconds after which a read counts as one that had to wait for something. */
const WAITED = 1_000;

/**
 * Judges a read that had to wait again before it is answered, so that nobody learns by it what they may not know any
 * more (D20, D27b, D29b).
 */
export async function rejudgeLate(db: Kysely<Database>, admission: Admission): Promise<void> {
  const { judgedAt = performance.now() } = admission;
  if (performance.now() - judgedAt > WAITED) await rejudge(db, admission);
}

/**
 * Repeats the checks of an admission inside the transaction of its write and locks the caller's row, so that nobody can
 * demote, move or delete the caller before the transaction ends: a demotion comes either before the write, which is
 * then refused, or after it (D14). To avoid deadlocks, every transaction locks rows in this order: alliances,
 * corporations, coalitions, groups, users.
 *
 * @param others ids of the users that the write concerns; locked in the same statement
 */
export async function readmit(
  tx: Transaction<Database>,
  admission: Admission,
  others: readonly number[] = [],
): Promise<Caller> {
  return (await readmitOver(tx, admission, others)).caller;
}

/**
 * Like {@link readmit}; also says which users are locked. A user of `others` who is registered only after that is not
 * among them: whoever finds one must not judge or change it, as somebody else may do so at the same time.
 */
export async function readmitOver(
  tx: Transaction<Database>,
  admission: Admission,
  others: readonly number[],
): Promise<{ readonly caller: Caller; readonly locked: ReadonlySet<number> }> {
  const ids = [...lockedFor(admission), ...others.filter((id) => !isBuiltIn(id))];
  const locked = new Set(ids.length > 0 ? await lockUsers(tx, ids) : []);
  return { caller: await judgeAs(tx, admission, await lockCaller(tx, admission.caller.uuid)), locked };
}

/**
 * The users whose rows {@link readmit} locks for the caller: the token's owner, and who answers for it. A write that
 * locks users itself locks these with them, so that all are locked in one order. The built-in user is not locked: it never
 * changes, and its applications would block each other.
 */
export function lockedFor({ caller }: Pick<Admission, 'caller'>): number[] {
  return [caller.owner_id, answersFor(caller)].filter((id) => !isBuiltIn(id));
}

async function judgeAs(
  db: Kysely<Database>,
  admission: Admission,
  found: Caller | undefined,
): Promise<Caller> {
  const caller = usable(found, admission.clock);
  requireClearance(admission.rule, caller);
  await requireRights(db, { ...admission, caller });
  return caller;
}

import { isBuiltIn } from '../access/clearance-levels.ts';

/**
 * The budget that a request is charged to (D33, D33b). Of the error limit a part is reserved for `service`, which is
 * sign-in, and for `job`, and of that some for `service` alone.
 */
export type BudgetAccount = 'service' | 'job' | CallerAccount;

/** A caller also has a budget of its own, under a name that identifies who pays. */
export interface CallerAccount {
  readonly caller: string;
}

/** The properties of a caller that determine who pays. */
export interface Payer {
  readonly app_token: string;
  readonly owner_id: number;
  readonly sponsor_id: number | null;
}

/** Counts errors against the provider's error limit, retries included. */
export interface ErrorTally {
  errors: number;
}

/** How many errors one forwarded call may still cause, as if each request in progress failed (D33). */
export interface ErrorAllowance {
  left: number;
}

/** Maximum number of provider errors of one forwarded call (D33). */
const ERRORS_OF_A_CALL = 10;

export function errorsOfOneCall(): ErrorAllowance {
  return { left: ERRORS_OF_A_CALL };
}

/**
 * The account of a caller (D33b): its owner's or, for a user token made from a permanent one, the sponsor's. The
 * built-in user owns many applications' tokens, so each of its permanent tokens has an account of its own, which its
 * user tokens share.
 */
export function budgetAccountOf({ app_token, owner_id, sponsor_id }: Payer): CallerAccount {
  const payer = sponsor_id ?? owner_id;
  return { caller: isBuiltIn(payer) ? `0/${app_token}` : String(payer) };
}

import { accountKey, type Payer } from '../access/account.ts';

/**
 * The budget that a request is charged to (D33, D33b). Of the error limit a part is reserved for `service`, which is
 * sign-in, and for `job`, and of that some for `service` alone.
 */
export type BudgetAccount = 'service' | 'job' | CallerAccount;

/** A caller also has a budget of its own, under a name that identifies who pays. */
export interface CallerAccount {
  readonly caller: string;
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
/** Errors per minute that a caller may cause (D33). */
export const ERRORS_OF_A_CALLER = 20;
/** The part of the provider's error limit that is reserved for sign-in and jobs (D33, D33b). */
export const KEPT_FOR_SERVICE = 30;
/** What of that is reserved for sign-in alone: jobs run again, and many may run at the same time. */
const KEPT_FOR_SIGN_IN = 15;

export function errorsOfOneCall(): ErrorAllowance {
  return { left: ERRORS_OF_A_CALL };
}

/** The account of a caller (D33b). */
export function budgetAccountOf(caller: Payer): CallerAccount {
  return { caller: accountKey(caller) };
}

/** The part of the error limit that an account may not use. */
export function keptFrom(account: BudgetAccount): number {
  if (account === 'service') return 0;
  return account === 'job' ? KEPT_FOR_SIGN_IN : KEPT_FOR_SERVICE;
}

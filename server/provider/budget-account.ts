/**
 * Whose budget a request draws on (D33, D33b): sign-in and jobs (`service`) may use what is kept for them; a caller has
 * a budget of its own besides, under a name that tells who pays.
 */
export type BudgetAccount = 'service' | { readonly caller: string };

/** What of a caller says who pays. */
export interface Payer {
  readonly app_token: string;
  readonly owner_id: number;
  readonly sponsor_id: number | null;
}

/** Counts what requests cost of the provider's error limit, further tries included. */
export interface ErrorTally {
  errors: number;
}

/**
 * The account of a caller (D33b): its owner's, and of a user token made from a permanent one the owner's of that. The
 * built-in user stands behind many applications: each of them, with all the user tokens that it makes, has one.
 */
export function budgetAccountOf({
  app_token,
  owner_id,
  sponsor_id,
}: Payer): Exclude<BudgetAccount, 'service'> {
  const payer = sponsor_id ?? owner_id;
  return { caller: payer === 0 ? `0/${app_token}` : String(payer) };
}

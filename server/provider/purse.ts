import type { Caller } from '../token/token.queries.ts';
import type { ProviderClient, ProviderRequest } from './client.ts';

/** What of a caller says who pays. */
export type Payer = Pick<Caller, 'app_token' | 'owner_id' | 'sponsor_id'>;

/**
 * Whose share of the provider's error budget a request of this caller uses (D33b): its owner's, and of a user token
 * made from a permanent one the owner's of that. The built-in user stands behind many applications: each of them,
 * with all the user tokens that it makes, is a caller of its own.
 */
export function budgetOf({
  app_token,
  owner_id,
  sponsor_id,
}: Payer): Exclude<ProviderRequest['on'], 'service'> {
  const payer = sponsor_id ?? owner_id;
  return { caller: payer === 0 ? `0/${app_token}` : String(payer) };
}

/** The provider as this caller may ask it: within its own share of the error budget, whatever is asked for. */
export function chargedTo(caller: Payer, client: ProviderClient): ProviderClient {
  return { ask: (request) => client.ask({ ...request, on: budgetOf(caller) }) };
}

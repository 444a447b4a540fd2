import type { ProviderRequest } from '../provider/client.ts';
import type { Caller } from '../token/token.queries.ts';

/**
 * Whose share of the provider's error budget a request of this caller uses (D33). The built-in user stands behind
 * many applications: each token of it is a caller of its own.
 */
export function budgetOf({ owner_id, uuid }: Pick<Caller, 'owner_id' | 'uuid'>): ProviderRequest['on'] {
  return { caller: owner_id === 0 ? `0/${uuid}` : String(owner_id) };
}

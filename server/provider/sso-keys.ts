import { createLocalJWKSet, type JSONWebKeySet } from 'jose';
import { createRenewed, type Renewed } from '../shared/renewed.ts';
import { ProviderError } from './http.ts';

/** Finds the key that a token names. */
export type KeySet = ReturnType<typeof createLocalJWKSet>;

/** Milliseconds for which a key that the provider withdrew may still count. */
const KEYS_LAST = 600_000;

/** Remembers the provider's keys; the former ones serve while it does not give them, or no usable ones. */
export function rememberKeys(uri: string, request: typeof fetch): Renewed<KeySet> {
  return createRenewed(async () => {
    const response = await request(uri);
    if (!response.ok) {
      throw new ProviderError('unusable', `the sign-on provider's keys cannot be used (${response.status})`);
    }
    return createLocalJWKSet((await response.json()) as JSONWebKeySet);
  }, KEYS_LAST);
}

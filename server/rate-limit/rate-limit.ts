import type { TokenClaims } from '../keys/signing-keys.ts';
import { countedAs } from './address.ts';
import { createLeases, type LeaseServices, type Quota } from './leases.ts';

/** Requests per minute, counted over all processes (D60). */
export interface RateLimit {
  /** Counts a request with a validly signed token: RATE_LIMIT, for a dynamic token ten times as many. */
  takeFromToken(claims: Pick<TokenClaims, 'uuid' | 'kind'>): Quota | Promise<Quota>;
  /** Counts a request without a usable token against its address: RATE_LIMIT. */
  takeFromAddress(address: string): Quota | Promise<Quota>;
  /** Takes back what {@link takeFromAddress} counted, because the request turned out to have a good credential. */
  returnToAddress(address: string, quota: Quota): void;
  close(): void;
}

/** A dynamic token belongs to an application that signs in many people, so it gets a higher limit. */
const DYNAMIC_FACTOR = 10;
/**
 * Keys in memory for each kind, at about 300 bytes. Separate, so that a client with many addresses cannot evict tokens.
 */
const KEYS = 50_000;

/**
 * @param limit RATE_LIMIT; 0 means no limit, and undefined is returned
 */
export function createRateLimit(services: LeaseServices, limit: number): RateLimit | undefined {
  if (limit === 0) return undefined;
  const tokens = createLeases(services, KEYS);
  const addresses = createLeases(services, KEYS);
  return {
    takeFromToken: ({ uuid, kind }) => tokens.take(uuid, kind === 'dyn' ? DYNAMIC_FACTOR * limit : limit),
    takeFromAddress: (address) => addresses.take(countedAs(address), limit),
    returnToAddress: (address, quota) => addresses.untake(countedAs(address), quota),
    close() {
      tokens.close();
      addresses.close();
    },
  };
}

import type { TokenClaims } from '../keys/signing-keys.ts';
import { countedAs } from './address.ts';
import { createLeases, type LeaseParts, type Quota } from './leases.ts';

/** Who may make how many requests a minute, counted by all processes together (D60). */
export interface RateLimit {
  /** Of a token whose signature is valid: RATE_LIMIT, for a dynamic one ten times as many. */
  takeFromToken(claims: Pick<TokenClaims, 'uuid' | 'kind'>): Quota | Promise<Quota>;
  /** Of an address whose requests bear no usable token: RATE_LIMIT. */
  takeFromAddress(address: string): Quota | Promise<Quota>;
  close(): void;
}

/** A dynamic token is an application that signs in many people. */
const DYNAMIC_FACTOR = 10;
/** Remembered of each kind, at about 300 bytes. Whoever has many addresses cannot make tokens be forgotten. */
const KEYS = 50_000;

/** @param limit RATE_LIMIT; with 0 there is none */
export function createRateLimit(services: LeaseParts, limit: number): RateLimit | undefined {
  if (limit === 0) return undefined;
  const tokens = createLeases(services, KEYS);
  const addresses = createLeases(services, KEYS);
  return {
    takeFromToken: ({ uuid, kind }) => tokens.take(uuid, kind === 'dyn' ? DYNAMIC_FACTOR * limit : limit),
    takeFromAddress: (address) => addresses.take(countedAs(address), limit),
    close() {
      tokens.close();
      addresses.close();
    },
  };
}

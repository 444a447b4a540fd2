import { createLocalJWKSet, errors, jwtVerify } from 'jose';
import type { SigningKeys } from './signing-keys.ts';

/** A statement that the event chain is intact up to a position, with the chain's hash there (D90). */
export interface Checkpoint {
  readonly position: number;
  /** The chain's hash at that position, in hexadecimal. */
  readonly hash: string;
}

/** The JWT header `typ`, so that a checkpoint cannot be used as a token. */
const TYPE = 'castellan-checkpoint+jwt';

/** Signs a checkpoint with the key that signs tokens: anybody can check it with `/.well-known/jwks.json`. */
export async function signCheckpoint(
  { idTokens }: Pick<SigningKeys, 'idTokens'>,
  { position, hash }: Checkpoint,
  now: Date,
): Promise<string> {
  const iat = Math.floor(now.getTime() / 1000);
  return idTokens.sign('EdDSA', TYPE, { iat, position, hash });
}

/**
 * Verifies a checkpoint and returns its contents. `unknown key`: its key is not in the set any more. Undefined: it is
 * not a checkpoint of this service.
 */
export async function readCheckpoint(
  { jwks }: Pick<SigningKeys, 'jwks'>,
  signed: string,
): Promise<Checkpoint | 'unknown key' | undefined> {
  try {
    const { payload } = await jwtVerify(signed, createLocalJWKSet(jwks), {
      algorithms: ['EdDSA'],
      typ: TYPE,
    });
    const { position, hash } = payload;
    return typeof position === 'number' && typeof hash === 'string' ? { position, hash } : undefined;
  } catch (error) {
    if (error instanceof errors.JWKSNoMatchingKey) return 'unknown key';
    if (error instanceof errors.JOSEError) return undefined;
    throw error;
  }
}

import { hash } from 'node:crypto';
import {
  createLocalJWKSet,
  decodeProtectedHeader,
  errors,
  importJWK,
  type JSONWebKeySet,
  jwtVerify,
  SignJWT,
} from 'jose';
import { LRUCache } from 'lru-cache';
import type { TokenKind } from '../../contract/access.ts';
import type { Clock } from '../shared/clock.ts';
import { DomainError } from '../shared/domain-error.ts';
import { type JwkSet, publicHalf } from './formats.ts';
import { type IdTokenKeys, loadIdTokenKeys } from './id-token-keys.ts';

/** The claims of our JWTs (D20), under the names used in this code. */
export interface TokenClaims {
  readonly uuid: string;
  readonly kind: TokenKind;
  readonly ownerId: number;
  readonly appToken: string;
  /** Seconds since the epoch; application tokens do not expire (D22). */
  readonly expires: number | undefined;
}

/** The columns of a token that its JWT needs. */
export interface SignableToken {
  readonly uuid: string;
  readonly token_type: TokenKind;
  readonly owner_id: number;
  readonly app_token: string;
  readonly kid: string;
  readonly created_on: Date;
  readonly expires_on: Date | null;
}

export interface SigningKeys {
  /** Public keys, for `/.well-known/jwks.json`. */
  readonly jwks: JSONWebKeySet;
  /** Keys that sign ID tokens. */
  readonly idTokens: IdTokenKeys;
  /** The key that signs new tokens. */
  readonly currentKid: string;
  /** Ids of the keys that can verify, and of those that can sign. */
  readonly kids: readonly string[];
  readonly signingKids: readonly string[];
  /** The JWT of a token. Ed25519 is deterministic, so the same row gives the same text (D29). */
  sign(token: SignableToken): Promise<string>;
  /** Verifies signature, issuer and claims; throws a {@link DomainError} that says what is wrong (D4). */
  verify(jwt: string): Promise<TokenClaims>;
}

/** Verified signatures in the cache; an entry holds a hash of the JWT (about 400 bytes itself) and five values. */
const CACHED_SIGNATURES = 20_000;
const LONGEST_JWT = 4096;
const KINDS: ReadonlySet<unknown> = new Set(['dyn', 'per', 'use']);
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * Loads the keys that sign and verify this service's tokens; `issuer` is BASE_URL. `onUnknownKey` is called for tokens
 * whose key is not in the set.
 */
export async function loadSigningKeys(
  set: JwkSet,
  issuer: string,
  clock: Clock,
  onUnknownKey: (kid: string | undefined) => void = () => undefined,
): Promise<SigningKeys> {
  const publicKeys = set.keys.map((key) => ({ ...publicHalf(key), alg: 'EdDSA', use: 'sig' }));
  // The service's tokens are never verified with keys that are only for ID tokens.
  const findKey = createLocalJWKSet({ keys: publicKeys });
  const idTokens = await loadIdTokenKeys(set, issuer);
  const privateKeys = new Map(
    await Promise.all(
      set.keys
        .filter((key) => key.d !== undefined)
        .map(async (key) => [key.kid, await importJWK({ ...key, d: key.d as string }, 'EdDSA')] as const),
    ),
  );
  const [currentKid] = privateKeys.keys();
  if (currentKid === undefined) throw new Error('no private key to sign with');
  const verified = new LRUCache<string, TokenClaims>({ max: CACHED_SIGNATURES });

  async function check(jwt: string): Promise<TokenClaims> {
    if (jwt.length > LONGEST_JWT) throw notOurs();
    const { payload } = await jwtVerify(jwt, findKey, {
      algorithms: ['EdDSA'],
      issuer,
      requiredClaims: ['jti', 'sub', 'azp', 'typ', 'iat', 'nbf'],
      currentDate: clock.now(),
      // In seconds: clocks of processes differ slightly, and a token may be used at once.
      clockTolerance: 5,
    });
    const { jti, sub, azp, typ, exp } = payload;
    const valid =
      UUID.test(String(jti)) &&
      /^\d{1,16}$/.test(String(sub)) &&
      typeof azp === 'string' &&
      KINDS.has(typ) &&
      (typ !== 'use' || exp !== undefined);
    if (!valid) throw untrue('The token lacks a claim that every token of this service has.');
    return { uuid: jti as string, kind: typ as TokenKind, ownerId: Number(sub), appToken: azp, expires: exp };
  }

  function unknownKey(jwt: string): DomainError {
    const kid = presentable(decodeProtectedHeader(jwt).kid, /^[\w.:-]{1,64}$/);
    onUnknownKey(kid);
    const which = kid === undefined ? '' : ` (kid ${kid})`;
    return untrue(`The token was signed with an unknown key${which}.`);
  }

  return {
    jwks: { keys: [...publicKeys, ...idTokens.rsaPublicKeys] },
    idTokens,
    currentKid,
    kids: publicKeys.map((key) => key.kid),
    signingKids: [...privateKeys.keys()],
    async sign(token) {
      const key = privateKeys.get(token.kid);
      if (key === undefined) throw new Error(`key ${token.kid} cannot sign: it is verify-only or removed`);
      const issued = seconds(token.created_on);
      const jwt = new SignJWT({ azp: token.app_token, typ: token.token_type })
        .setProtectedHeader({ alg: 'EdDSA', kid: token.kid })
        .setIssuer(issuer)
        .setJti(token.uuid)
        .setSubject(String(token.owner_id))
        .setIssuedAt(issued)
        .setNotBefore(issued);
      if (token.expires_on !== null) jwt.setExpirationTime(seconds(token.expires_on));
      return jwt.sign(key);
    },
    async verify(jwt) {
      const id = hash('sha256', jwt);
      let claims = verified.get(id);
      if (claims === undefined) {
        claims = await check(jwt).catch((error: unknown) => {
          if (error instanceof errors.JWKSNoMatchingKey) throw unknownKey(jwt);
          throw explain(error, issuer);
        });
        verified.set(id, claims);
      }
      const { expires = Number.POSITIVE_INFINITY } = claims;
      if (expires <= clock.now().getTime() / 1000) throw expired();
      return claims;
    },
  };
}

function seconds(date: Date): number {
  return Math.floor(date.getTime() / 1000);
}

export function expired(): DomainError {
  return new DomainError('token_expired', 'The token has expired.');
}

function notOurs(): DomainError {
  return new DomainError('token_malformed', 'The token is not a JWT of this service.');
}

function untrue(detail: string): DomainError {
  return new DomainError('token_invalid', detail);
}

/** The error message for each way in which a JWT can be invalid; it never quotes the token. */
function explain(error: unknown, issuer: string): unknown {
  if (error instanceof errors.JWTExpired) return expired();
  if (error instanceof errors.JWSSignatureVerificationFailed)
    return untrue("The token's signature is not valid.");
  if (error instanceof errors.JOSEAlgNotAllowed)
    return untrue('The token was signed with an algorithm that is not accepted.');
  if (error instanceof errors.JWTClaimValidationFailed) return untrue(wrongClaim(error, issuer));
  if (error instanceof errors.JOSEError) return notOurs();
  return error;
}

/**
 * The signature is valid at this point, so the issuer has our key: most likely it is this service under another
 * BASE_URL.
 */
function wrongClaim({ claim, payload }: errors.JWTClaimValidationFailed, issuer: string): string {
  const other = presentable(payload.iss, /^https?:\/\/[\x21-\x7e]{1,200}$/);
  if (claim !== 'iss' || other === undefined) return `The token's claim ${claim} is missing or not valid.`;
  return `The token was issued by ${other}, but this service is ${issuer}.`;
}

/** A claim of a token if it is safe to quote in an error message. */
function presentable(value: unknown, form: RegExp): string | undefined {
  return typeof value === 'string' && form.test(value) ? value : undefined;
}

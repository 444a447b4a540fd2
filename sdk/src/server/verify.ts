import { createRemoteJWKSet, decodeJwt, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';

export interface VerifierOptions {
  /** The service's BASE_URL, exactly as it is set there: what it signs as `iss`. */
  issuer: string;
  /** The application's own dynamic or permanent token, or its uuid: user tokens of other applications are refused. */
  appToken: string;
  /** URL of the public keys; by default `/.well-known/jwks.json` of the issuer. */
  jwksUrl?: string | undefined;
  /**
   * The public keys themselves, as `createLocalJWKSet` of jose gives them, instead of asking for them. Not by jose's
   * own type: it has none that CommonJS may import under every compiler.
   */
  keys?: ((header: never, jws: never) => unknown) | undefined;
}

const keyFaults = new WeakSet<object>();

/** Whether a verifier could not get the token's key, which says nothing about the token. */
export function lacksKey(error: unknown): boolean {
  return typeof error === 'object' && error !== null && keyFaults.has(error);
}

/** The claims of a verified user token. */
export interface UserClaims {
  readonly characterId: number;
  /** Uuid of the user token. */
  readonly uuid: string;
  readonly expiresOn: Date;
}

/**
 * Checks user tokens without asking the service: signature, `iss`, `azp`, kind and lifetime. A token that was revoked
 * since, or whose owner may no longer log in, still passes: for anything privileged use a guard.
 *
 * @returns a function that rejects with one of jose's errors, or a TypeError for what is no user token of this app.
 */
export function createVerifier(options: VerifierOptions): (jwt: string) => Promise<UserClaims> {
  const issuer = options.issuer.replace(/\/+$/, '');
  const appToken = uuidOf(options.appToken);
  const keys =
    (options.keys as JWTVerifyGetKey | undefined) ??
    createRemoteJWKSet(new URL(options.jwksUrl ?? `${issuer}/.well-known/jwks.json`));
  const keyOf: JWTVerifyGetKey = async (header, jws) => {
    try {
      return await keys(header, jws);
    } catch (error) {
      keyFaults.add(error as Error);
      throw error;
    }
  };
  return async (jwt) => {
    const { payload } = await jwtVerify(jwt, keyOf, {
      issuer,
      algorithms: ['EdDSA'],
      requiredClaims: ['exp', 'jti', 'sub', 'azp'],
      // In seconds, as much as the service itself allows: clocks differ, and a token may be used at once.
      clockTolerance: 5,
    }).catch((error) => {
      if (error.claim === 'iss') {
        error.message = `The token is from ${decodeJwt(jwt).iss}, but this application expects ${issuer}.`;
      }
      throw error;
    });
    return claimsOf(payload, appToken);
  };
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The uuid of an application's token, which is given as its text or as that uuid. */
export function uuidOf(appToken: string | undefined): string {
  const uuid = String(appToken?.includes('.') ? decodeJwt(appToken).jti : appToken).toLowerCase();
  if (!UUID.test(uuid)) throw new TypeError('appToken is neither a token of castellan nor a uuid');
  return uuid;
}

/** The application that an unverified token says it belongs to; undefined where it says none. */
export function claimedApp(jwt: string): unknown {
  try {
    return decodeJwt(jwt).azp;
  } catch {
    return undefined;
  }
}

function claimsOf({ azp, typ, sub = '', jti = '', exp = 0 }: JWTPayload, appToken: string): UserClaims {
  if (typ !== 'use') throw new TypeError('This is not a user token.');
  if (azp !== appToken) throw new TypeError('This token was made for another application.');
  return { characterId: Number(sub), uuid: jti, expiresOn: new Date(exp * 1000) };
}

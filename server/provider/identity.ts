import { errors, type JWTPayload, type JWTVerifyOptions, jwtVerify } from 'jose';
import { z } from 'zod';
import type { ExtScope } from '../../contract/scopes.ts';
import type { Settings } from '../config/settings.ts';
import { storable } from '../database/text.ts';
import type { Clock } from '../shared/clock.ts';
import type { Renewed } from '../shared/renewed.ts';
import { ProviderError } from './http.ts';
import { profile } from './profile.ts';
import { fromProviderScopes } from './scopes.ts';
import { type KeySet, rememberKeys } from './sso-keys.ts';
import type { Metadata } from './sso-metadata.ts';

/** The identity in the provider's verified access token. */
export interface Identity {
  readonly characterId: number;
  readonly characterName: string;
  /** Changes when the character is transferred to another person (D29b). */
  readonly ownerHash: string;
  readonly scopes: readonly ExtScope[];
  /** Granted scopes that this service does not know; they are dropped. */
  readonly unknownScopes: readonly string[];
  readonly expiresOn: Date;
}

/** Seconds by which the provider's clock may differ from ours. */
const CLOCK_TOLERANCE = 30;

interface Options {
  readonly settings: {
    readonly sso: Pick<Settings['sso'], 'url' | 'clientId'>;
    readonly extApi: Pick<Settings['extApi'], 'scopePrefix'>;
  };
  readonly clock: Clock;
  /** Fetches the provider's keys. */
  readonly request: typeof fetch;
}

/**
 * Creates the verification of the provider's access tokens: signature, issuer, both audiences, lifetime and subject
 * (D26).
 */
export function createIdentification({ settings, clock, request }: Options) {
  const clientId = settings.sso.clientId ?? '';
  let known: { readonly uri: string; readonly keys: Renewed<KeySet> } | undefined;

  function keysAt(uri: string): Renewed<KeySet> {
    if (known?.uri !== uri) known = { uri, keys: rememberKeys(uri, request) };
    return known.keys;
  }

  return async (accessToken: string, server: Metadata): Promise<Identity> => {
    const now = clock.now();
    const keys = keysAt(server.jwks_uri);
    const options: JWTVerifyOptions = {
      algorithms: [profile.algorithm],
      issuer: knownIssuers(server.issuer, settings.sso.url),
      audience: clientId,
      requiredClaims: ['exp', 'iat', 'jti', 'sub', 'name', 'owner'],
      currentDate: now,
      clockTolerance: CLOCK_TOLERANCE,
    };
    const verify = (keySet: KeySet) =>
      jwtVerify(accessToken, keySet, options).catch((error: unknown) =>
        verifyByAnyOf(error, accessToken, options),
      );
    const verified = keys.get().then(verify);
    const verifiedAnew = verified.catch(async (error: unknown) => {
      if (!mayHaveNewKeys(error)) throw error;
      return verify(await keys.renew());
    });
    const { payload } = await verifiedAnew.catch(refuseToken);
    return identityOf(payload, clientId, settings.extApi.scopePrefix, now);
  };
}

/**
 * While the provider replaces its key, the set may hold the old and the new one under one `kid` (provider.md §1): the
 * token is valid when one of them signed it. Any other error is thrown again.
 */
async function verifyByAnyOf(error: unknown, accessToken: string, options: JWTVerifyOptions) {
  if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
  for await (const key of error) {
    try {
      return await jwtVerify(accessToken, key, options);
    } catch (refused) {
      const isOther = refused instanceof errors.JWSSignatureVerificationFailed;
      if (refused instanceof errors.JOSEError && !isOther) throw refused;
    }
  }
  throw new errors.JWSSignatureVerificationFailed();
}

/**
 * The issuers to accept: the claim occurs with and without a scheme, and is documented with a slash (provider.md §1).
 */
function knownIssuers(...urls: readonly string[]): string[] {
  const forms = [...profile.issuers, ...urls]
    .map((url) => url.replace(/\/+$/, ''))
    .flatMap((url) => [url, `${url}/`, url.replace(/^https?:\/\//, '')]);
  return [...new Set(forms)];
}

const Claims = z.object({
  sub: z.string().regex(profile.subject),
  name: z.string().transform(storable).pipe(z.string().min(1).max(100)),
  // Never cleaned: two owners must not become one (D29b).
  owner: z
    .string()
    .min(1)
    .max(200)
    .refine((text) => storable(text) === text),
  aud: z.array(z.string()),
  azp: z.string().nullish(),
  scp: z
    .union([z.string(), z.array(z.string())])
    .nullish()
    .transform((scp) => scp ?? []),
  exp: z.number(),
  iat: z.number(),
});

/** Checks what jose does not: both audiences, a limited lifetime, the subject's form, the scopes. */
function identityOf(payload: JWTPayload, clientId: string, prefix: string, now: Date): Identity {
  const parsed = Claims.safeParse(payload);
  if (!parsed.success) {
    const names = parsed.error.issues.map((issue) => issue.path.join('.')).join(', ');
    throw new ProviderError('unusable', `the provider's access token has unusable claims: ${names}`);
  }
  const { sub, name, owner, aud, azp, scp, exp, iat } = parsed.data;
  if (!aud.includes(clientId) || !aud.includes(profile.audience) || (azp ?? clientId) !== clientId) {
    throw new ProviderError('unusable', "the provider's access token was made for another application");
  }
  const latest = now.getTime() / 1000 + profile.longestLife + CLOCK_TOLERANCE;
  if (exp > latest || exp - iat > profile.longestLife) {
    throw new ProviderError('unusable', "the provider's access token lives longer than it may");
  }
  const { scopes, unknown } = fromProviderScopes(typeof scp === 'string' ? scp.split(' ') : scp, prefix);
  return {
    characterId: Number(profile.subject.exec(sub)?.[1]),
    characterName: name,
    ownerHash: owner,
    scopes,
    unknownScopes: unknown,
    expiresOn: new Date(exp * 1000),
  };
}

/**
 * Whether the provider may have replaced its keys since they were fetched. A new key may have the `kid` of the old one
 * (provider.md §1), so that only the signature differs. Only tokens from the provider's token endpoint are verified, so
 * nobody else can cause fetches of the keys.
 */
function mayHaveNewKeys(error: unknown): boolean {
  return error instanceof errors.JWSSignatureVerificationFailed || error instanceof errors.JWKSNoMatchingKey;
}

/** Refuses the token on any error: jose has no error of its own for unusable keys. */
function refuseToken(error: unknown): never {
  if (error instanceof ProviderError) throw error;
  const reason = error instanceof errors.JOSEError ? error.code : 'its key cannot be used';
  throw new ProviderError('unusable', `the provider's access token is not valid (${reason})`);
}

import { createRemoteJWKSet, customFetch, errors, type JWTPayload, jwtVerify } from 'jose';
import * as oauth from 'oauth4webapi';
import { z } from 'zod';
import type { ExtScope } from '../../contract/scopes.ts';
import type { Clock } from '../clock.ts';
import type { Settings } from '../settings.ts';
import { boundedFetch, type Limits, ProviderError } from './http.ts';
import { profile } from './profile.ts';
import { causeOfDeath } from './refresh-answer.ts';
import { fromProviderScopes, toProviderScope } from './scopes.ts';

/** Who signed in, as the provider's verified access token says. */
export interface Identity {
  readonly characterId: number;
  readonly characterName: string;
  /** Changes when the character is handed to another person (D29b). */
  readonly ownerHash: string;
  readonly scopes: readonly ExtScope[];
  /** Granted scopes that this service has no name for; dropped. */
  readonly unknownScopes: readonly string[];
  readonly expiresOn: Date;
}

export interface SignOn {
  readonly identity: Identity;
  readonly accessToken: string;
  /** Absent when no scope was granted. */
  readonly refreshToken: string | undefined;
}

/** What became of a refresh (facts §1). */
export type Refreshed =
  /** `refreshToken` replaces the one that was sent, which may have died: to be stored before all else. */
  | { readonly kind: 'refreshed'; readonly accessToken: string; readonly refreshToken: string }
  /** The provider says that the refresh token is of no more use; `cause` are its words. */
  | { readonly kind: 'dead'; readonly cause: string };

/** The sign-on provider: OAuth 2.0 authorization code flow with PKCE. Failures are {@link ProviderError}s. */
export interface Sso {
  loginUrl(request: { state: string; scopes: readonly ExtScope[]; codeVerifier: string }): Promise<string>;
  exchange(code: string, codeVerifier: string): Promise<SignOn>;
  /**
   * A new access token. Throws ProviderError when nothing follows for the refresh token: the provider is away or
   * sick, or we asked in a wrong way.
   */
  refresh(refreshToken: string): Promise<Refreshed>;
  /** Verifies an access token and says whose it is. */
  identify(accessToken: string): Promise<Identity>;
  /** Asks the provider to forget a refresh token. */
  revoke(refreshToken: string): Promise<void>;
}

/** What is used of the metadata; the revocation endpoint is where the provider documents it, unless it says so. */
const Metadata = z.object({
  issuer: z.string().min(1),
  authorization_endpoint: z.string().url(),
  token_endpoint: z.string().url(),
  revocation_endpoint: z.string().url().optional(),
  jwks_uri: z.string().url(),
});
type Metadata = z.infer<typeof Metadata> & { readonly revocation_endpoint: string };

const METADATA_LASTS = 3_600_000;
const LIMITS: Limits = { milliseconds: 10_000, bytes: 256 * 1024 };
/** Seconds by which the provider's clock may differ from ours. */
const CLOCK_TOLERANCE = 30;

interface SsoOptions {
  readonly settings: Pick<Settings, 'baseUrl' | 'sso' | 'extApi'>;
  readonly clock: Clock;
  /** Of one exchange with the provider. */
  readonly limits?: Limits;
}

export function createSso({ settings, clock, limits = LIMITS }: SsoOptions): Sso {
  const request = boundedFetch(limits);
  const clientId = settings.sso.clientId ?? '';
  const client: oauth.Client = { client_id: clientId };
  const authentication = oauth.ClientSecretBasic(settings.sso.clientSecret);
  const redirectUri = `${settings.baseUrl}/callback/ext`;
  // http is for providers on the own machine; the settings decide where secrets go, not the library.
  const options = { [oauth.customFetch]: request, [oauth.allowInsecureRequests]: true };
  const metadata = rememberMetadata(settings.sso.url, request);
  let keySet: { readonly uri: string; readonly find: ReturnType<typeof createRemoteJWKSet> } | undefined;

  function keysAt(uri: string) {
    if (keySet?.uri !== uri) {
      const find = createRemoteJWKSet(new URL(uri), {
        [customFetch]: request,
        timeoutDuration: limits.milliseconds,
      });
      keySet = { uri, find };
    }
    return keySet.find;
  }

  async function verify(accessToken: string, server: Metadata): Promise<Identity> {
    const now = clock.now();
    const { payload } = await jwtVerify(accessToken, keysAt(server.jwks_uri), {
      algorithms: [profile.algorithm],
      issuer: knownIssuers(server.issuer, settings.sso.url),
      audience: clientId,
      requiredClaims: ['exp', 'iat', 'jti', 'sub', 'name', 'owner'],
      currentDate: now,
      clockTolerance: CLOCK_TOLERANCE,
    }).catch(refuseToken);
    return identityOf(payload, clientId, settings.extApi.scopePrefix, now);
  }

  return {
    async loginUrl({ state, scopes, codeVerifier }) {
      const url = new URL((await metadata.orDefault()).authorization_endpoint);
      const parameters = {
        response_type: 'code',
        client_id: clientId,
        redirect_uri: redirectUri,
        scope: scopes.map((scope) => toProviderScope(scope, settings.extApi.scopePrefix)).join(' '),
        state,
        code_challenge: await oauth.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
      };
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
      return url.href;
    },

    async exchange(code, codeVerifier) {
      const server = await metadata.get();
      try {
        const answer = oauth.validateAuthResponse(
          server,
          client,
          new URLSearchParams({ code }),
          oauth.expectNoState,
        );
        const response = await oauth.authorizationCodeGrantRequest(
          server,
          client,
          authentication,
          answer,
          redirectUri,
          codeVerifier,
          options,
        );
        const grant = await oauth.processAuthorizationCodeResponse(server, client, response);
        const identity = await verify(grant.access_token, server);
        return { identity, accessToken: grant.access_token, refreshToken: grant.refresh_token };
      } catch (error) {
        throw toProviderError(error);
      }
    },

    async refresh(refreshToken) {
      const server = await metadata.get();
      try {
        const response = await oauth.refreshTokenGrantRequest(
          server,
          client,
          authentication,
          refreshToken,
          options,
        );
        const cause = await causeOfDeath(response);
        if (cause !== undefined) return { kind: 'dead', cause };
        const grant = await oauth.processRefreshTokenResponse(server, client, response);
        const { access_token: accessToken, refresh_token: replaced } = grant;
        return { kind: 'refreshed', accessToken, refreshToken: replaced ?? refreshToken };
      } catch (error) {
        throw toProviderError(error);
      }
    },

    async identify(accessToken) {
      return verify(accessToken, await metadata.get());
    },

    async revoke(refreshToken) {
      const server = await metadata.get();
      try {
        const response = await oauth.revocationRequest(server, client, authentication, refreshToken, options);
        await oauth.processRevocationResponse(response);
      } catch (error) {
        throw toProviderError(error);
      }
    },
  };
}

/** The provider's metadata: asked at most hourly; an old copy serves while the provider is away. */
function rememberMetadata(ssoUrl: string, request: typeof fetch) {
  let known: { readonly value: Metadata; readonly until: number } | undefined;
  let asking: Promise<Metadata> | undefined;

  async function ask(): Promise<Metadata> {
    const response = await request(`${ssoUrl}/.well-known/oauth-authorization-server`);
    const parsed = Metadata.safeParse(await response.json().catch(() => undefined));
    if (!response.ok || !parsed.success) {
      throw new ProviderError(
        'unusable',
        `the sign-on provider's metadata cannot be used (${response.status})`,
      );
    }
    const value = {
      ...parsed.data,
      revocation_endpoint: parsed.data.revocation_endpoint ?? usual.revocation_endpoint,
    };
    known = { value, until: performance.now() + METADATA_LASTS };
    return value;
  }

  async function get(): Promise<Metadata> {
    if (known !== undefined && performance.now() < known.until) return known.value;
    asking ??= ask().finally(() => {
      asking = undefined;
    });
    const stale = known?.value;
    return stale === undefined ? asking : asking.catch(() => stale);
  }

  // A login URL can be handed out while the provider is away: where its pages are is known (facts of its API).
  const usual: Metadata = {
    issuer: ssoUrl,
    authorization_endpoint: `${ssoUrl}/v2/oauth/authorize`,
    token_endpoint: `${ssoUrl}/v2/oauth/token`,
    revocation_endpoint: `${ssoUrl}/v2/oauth/revoke`,
    jwks_uri: `${ssoUrl}/oauth/jwks`,
  };
  return { get, orDefault: () => get().catch(() => usual) };
}

/** The issuer claim comes with and without a scheme. */
function knownIssuers(...urls: readonly string[]): string[] {
  const forms = urls
    .map((url) => url.replace(/\/+$/, ''))
    .flatMap((url) => [url, url.replace(/^https?:\/\//, '')]);
  return [...new Set([...profile.issuers, ...forms])];
}

const Claims = z.object({
  sub: z.string().regex(profile.subject),
  name: z.string().min(1).max(100),
  owner: z.string().min(1).max(200),
  aud: z.array(z.string()),
  azp: z.string().optional(),
  scp: z.union([z.string(), z.array(z.string())]).default([]),
  exp: z.number(),
  iat: z.number(),
});

/** What jose leaves to us: both audiences, a bounded life, the subject's form, the scopes. */
function identityOf(payload: JWTPayload, clientId: string, prefix: string, now: Date): Identity {
  const parsed = Claims.safeParse(payload);
  if (!parsed.success) {
    const names = parsed.error.issues.map((issue) => issue.path.join('.')).join(', ');
    throw new ProviderError('unusable', `the provider's access token has unusable claims: ${names}`);
  }
  const { sub, name, owner, aud, azp, scp, exp, iat } = parsed.data;
  if (!aud.includes(clientId) || !aud.includes(profile.audience) || (azp !== undefined && azp !== clientId)) {
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

/** Whatever it is that fails: for keys that cannot be used there is no error of jose's own. */
function refuseToken(error: unknown): never {
  if (error instanceof ProviderError) throw error;
  const reason = error instanceof errors.JOSEError ? error.code : 'its key cannot be used';
  throw new ProviderError('unusable', `the provider's access token is not valid (${reason})`);
}

/** OAuth errors are the provider's fault here: the words are ours, the codes are kept. */
function toProviderError(error: unknown): Error {
  if (error instanceof ProviderError) return error;
  if (error instanceof oauth.ResponseBodyError) {
    return new ProviderError('unusable', `the sign-on provider refused: ${error.error} (${error.status})`);
  }
  if (
    error instanceof oauth.OperationProcessingError ||
    error instanceof oauth.WWWAuthenticateChallengeError ||
    error instanceof oauth.UnsupportedOperationError
  ) {
    return new ProviderError('unusable', `the sign-on provider's answer cannot be used (${error.code})`);
  }
  // oauth4webapi wraps what fetch throws in nothing; jose does not either.
  return error instanceof Error ? error : new Error(String(error));
}

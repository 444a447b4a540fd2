import * as oauth from 'oauth4webapi';
import { z } from 'zod';
import type { ExtScope } from '../../contract/scopes.ts';
import type { Settings } from '../config/settings.ts';
import type { Clock } from '../shared/clock.ts';
import { CLIENT_UNKNOWN, causeOfDeath, GRANT_TYPE_UNKNOWN, oauthErrorOf } from './dead-refresh-token.ts';
import { boundedFetch, jsonOf, type Limits, ProviderError } from './http.ts';
import { createIdentification, type Identity } from './identity.ts';
import { toProviderScope } from './scopes.ts';
import { rememberMetadata } from './sso-metadata.ts';

export interface SignOn {
  readonly identity: Identity;
  readonly accessToken: string;
  /** Absent when no scope was granted. */
  readonly refreshToken: string | undefined;
}

/** The outcome of a refresh (provider.md §1). */
type Refreshed =
  /**
   * `refreshToken` replaces the one that was sent, which may be invalid now, so it must be stored before anything else.
   */
  | { readonly kind: 'refreshed'; readonly accessToken: string; readonly refreshToken: string }
  /** The answer holds a new refresh token, which must be stored like that, but no usable access token: `fault`. */
  | { readonly kind: 'replaced'; readonly refreshToken: string; readonly fault: Error }
  /** The provider declared the refresh token invalid; `cause` is its description. */
  | { readonly kind: 'dead'; readonly cause: string };

/** The provider's sign-on: OAuth 2.0 authorization code flow with PKCE. Throws {@link ProviderError}s. */
export interface Sso {
  loginUrl(request: { state: string; scopes: readonly ExtScope[]; codeVerifier: string }): Promise<string>;
  /** Exchanges an authorization code; fault `refused-code` when the provider does not accept it. */
  exchange(code: string, codeVerifier: string): Promise<SignOn>;
  /**
   * Refreshes an access token.
   *
   * @throws ProviderError when the result says nothing about the refresh token: the provider is unreachable or failing,
   * or our request was wrong
   */
  refresh(refreshToken: string): Promise<Refreshed>;
  /** Verifies an access token and returns its identity. */
  identify(accessToken: string): Promise<Identity>;
  /** Revokes a refresh token at the provider. */
  revoke(refreshToken: string): Promise<void>;
}

const LIMITS: Limits = { milliseconds: 10_000, bytes: 256 * 1024 };

/** Optional by RFC 7009, but documented by the provider, which answers 200 whatever it did (provider.md §1). */
const REFRESH_TOKEN = { token_type_hint: 'refresh_token' };

interface SsoOptions {
  readonly settings: Pick<Settings, 'baseUrl' | 'sso' | 'extApi'>;
  readonly clock: Clock;
  /** Limits of one exchange. */
  readonly limits?: Limits;
}

export function createSso({ settings, clock, limits = LIMITS }: SsoOptions): Sso {
  const request = boundedFetch(limits);
  const clientId = settings.sso.clientId ?? '';
  const client: oauth.Client = { client_id: clientId };
  const authentication = basicAsDocumented(clientId, settings.sso.clientSecret);
  const redirectUri = `${settings.baseUrl}/callback/ext`;
  // http is allowed here because the settings decide which URLs are acceptable (loopback only), not the library.
  const options = { [oauth.customFetch]: request, [oauth.allowInsecureRequests]: true };
  const metadata = rememberMetadata(settings.sso.url, request);
  const identityIn = createIdentification({ settings, clock, request });

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
        if (await refusesCode(response)) {
          throw new ProviderError(
            'refused-code',
            'the sign-on provider does not accept the authorization code',
          );
        }
        await requireClient(response);
        const grant = await oauth.processAuthorizationCodeResponse(
          server,
          client,
          await membersInUse(response),
        );
        const identity = await identityIn(grant.access_token, server);
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
        const cause = await causeOfDeath(response, refreshToken);
        if (cause !== undefined) return { kind: 'dead', cause };
        await requireClient(response);
        const answer = await membersInUse(response);
        const replaced = await newRefreshTokenIn(answer);
        try {
          const { access_token: accessToken } = await oauth.processRefreshTokenResponse(
            server,
            client,
            answer,
          );
          return { kind: 'refreshed', accessToken, refreshToken: replaced ?? refreshToken };
        } catch (error) {
          if (replaced === undefined) throw error;
          return { kind: 'replaced', refreshToken: replaced, fault: toProviderError(error) };
        }
      } catch (error) {
        throw toProviderError(error);
      }
    },

    async identify(accessToken) {
      return identityIn(accessToken, await metadata.get());
    },

    async revoke(refreshToken) {
      const server = await metadata.get();
      try {
        const response = await oauth.revocationRequest(server, client, authentication, refreshToken, {
          ...options,
          additionalParameters: REFRESH_TOKEN,
        });
        await requireClient(response);
        await oauth.processRevocationResponse(response);
      } catch (error) {
        throw toProviderError(error);
      }
    },
  };
}

/**
 * HTTP Basic authentication as the provider documents it: without the percent-encoding of RFC 6749, which the library
 * applies (D33b).
 */
function basicAsDocumented(clientId: string, clientSecret: string): oauth.ClientAuth {
  const credentials = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
  return (_server, _client, _body, headers) => headers.set('authorization', `Basic ${credentials}`);
}

/**
 * The answer without members that are null, such as a refresh token that was not granted, which the library refuses, and
 * without an ID token, which it would verify though nobody asked for one. Lists and objects are emptied, as what is
 * nested too deeply cannot be written; no member that counts is one.
 */
async function membersInUse(response: Response): Promise<Response> {
  const body = await jsonOf(response);
  if (typeof body !== 'object' || body === null) return response;
  const { status, headers } = response;
  const given = Object.entries(body)
    .filter(([name, value]) => value !== null && name !== 'id_token')
    .map(([name, value]) => [name, typeof value === 'object' ? {} : value]);
  return new Response(JSON.stringify(Object.fromEntries(given)), { status, headers });
}

const Replacement = z.object({ refresh_token: z.string().min(1) });

/** The new refresh token of a successful refresh, whatever else the answer says; the library refuses it as a whole. */
async function newRefreshTokenIn(response: Response): Promise<string | undefined> {
  if (response.status !== 200) return undefined;
  return Replacement.safeParse(await jsonOf(response)).data?.refresh_token;
}

/**
 * Whether the answer means a wrong, expired or used code only; an unsupported grant type would be our own mistake
 * (provider.md §1). The library understands it only as JSON by its content type, and without `WWW-Authenticate`.
 */
async function refusesCode(response: Response): Promise<boolean> {
  const { error = '', error_description: description = '' } = (await oauthErrorOf(response)) ?? {};
  return error.startsWith('invalid_grant') && !GRANT_TYPE_UNKNOWN.test(description);
}

/**
 * Refuses an answer that our own id and secret are wrong: by the error of that name, a named grant type that is not
 * supported, or a 401 with a challenge, whose body the library does not look at.
 *
 * @throws ProviderError `refused-client`
 */
async function requireClient(response: Response): Promise<void> {
  const { status, headers } = response;
  const challenged = status === 401 && headers.has('www-authenticate');
  const { error = '', error_description: description = '' } = (await oauthErrorOf(response)) ?? {};
  const unknown =
    error === 'invalid_client' || (error === 'invalid_grant' && CLIENT_UNKNOWN.test(description));
  if (!challenged && !unknown) return;
  const message = `the sign-on provider does not accept SSO_CLIENT_ID and SSO_CLIENT_SECRET (${status})`;
  throw new ProviderError('refused-client', message);
}

/** Converts OAuth errors to ProviderErrors with messages of our own and the provider's error codes. */
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
  // oauth4webapi and jose pass errors of fetch on unchanged.
  return error instanceof Error ? error : new Error(String(error));
}

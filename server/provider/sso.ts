import * as oauth from 'oauth4webapi';
import type { ExtScope } from '../../contract/scopes.ts';
import type { Settings } from '../config/settings.ts';
import type { Clock } from '../shared/clock.ts';
import { causeOfDeath, GRANT_TYPE_UNKNOWN } from './dead-refresh-token.ts';
import { boundedFetch, type Limits, ProviderError } from './http.ts';
import { createIdentification, type Identity } from './identity.ts';
import { toProviderScope } from './scopes.ts';
import { rememberMetadata } from './sso-metadata.ts';

export interface SignOn {
  readonly identity: Identity;
  readonly accessToken: string;
  /** Absent when no scope was granted. */
  readonly refreshToken: string | undefined;
}

/** What became of a refresh (facts §1). */
type Refreshed =
  /** `refreshToken` replaces the one that was sent, which may have died: to be stored before all else. */
  | { readonly kind: 'refreshed'; readonly accessToken: string; readonly refreshToken: string }
  /** The provider says that the refresh token is of no more use; `cause` are its words. */
  | { readonly kind: 'dead'; readonly cause: string };

/** The sign-on provider: OAuth 2.0 authorization code flow with PKCE. Failures are {@link ProviderError}s. */
export interface Sso {
  loginUrl(request: { state: string; scopes: readonly ExtScope[]; codeVerifier: string }): Promise<string>;
  /** Redeems an authorization code; one that the provider does not accept is the fault `refused-code`. */
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

const LIMITS: Limits = { milliseconds: 10_000, bytes: 256 * 1024 };

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
  const authentication = basicAsDocumented(clientId, settings.sso.clientSecret);
  const redirectUri = `${settings.baseUrl}/callback/ext`;
  // http is for providers on the own machine; the settings decide where secrets go, not the library.
  const options = { [oauth.customFetch]: request, [oauth.allowInsecureRequests]: true };
  const metadata = rememberMetadata(settings.sso.url, request);
  const identityIn = createIdentification({ settings, clock, request, timeLimit: limits.milliseconds });

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
        const identity = await identityIn(grant.access_token, server);
        return { identity, accessToken: grant.access_token, refreshToken: grant.refresh_token };
      } catch (error) {
        throw refusesCode(error)
          ? new ProviderError('refused-code', 'the sign-on provider does not accept the authorization code')
          : toProviderError(error);
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
      return identityIn(accessToken, await metadata.get());
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

/** As the provider documents it: nothing is percent-encoded, as RFC 6749 would have it and the library does (D33b). */
function basicAsDocumented(clientId: string, clientSecret: string): oauth.ClientAuth {
  const credentials = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
  return (_server, _client, _body, headers) => headers.set('authorization', `Basic ${credentials}`);
}

/** The code is wrong, too old or used already, and that alone: a grant type is our own mistake (facts §1). */
function refusesCode(error: unknown): boolean {
  if (!(error instanceof oauth.ResponseBodyError)) return false;
  return error.error.startsWith('invalid_grant') && !GRANT_TYPE_UNKNOWN.test(error.error_description ?? '');
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

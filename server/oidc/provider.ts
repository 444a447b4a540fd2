import type { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Configuration, KoaContextWithOIDC, Provider as ProviderInstance } from 'oidc-provider';
import { OIDC_ENDPOINTS } from '../../contract/oidc.ts';
import type { Services } from '../services/services.ts';
import { findAccount, isLetIn } from './account.queries.ts';
import { createAdapter } from './adapter.ts';
import { correctBrowserSessions } from './browser-session.ts';
import { accountOf, CLAIMS } from './claims.ts';
import { recordUse } from './client.queries.ts';
import { loadGrant, settleScopes } from './consent.ts';
import { begunCookie, begunRemovals, cookiesOf, endedCookie, endsInteraction } from './cookies.ts';
import { giveBackUsed } from './give-back.ts';
import { takeFormerHints } from './id-token-hint.ts';
import { errors, Provider } from './library.ts';
import { correctAnswer, METADATA } from './library-corrections.ts';
import { LIFETIMES, sessionLeft } from './lifetimes.ts';
import { tellLater } from './logout-notice.ts';
import { returnToRegistered } from './logout-return.ts';
import { errorPage, loggedOutPage, logoutPage, PROTOCOL_HEADERS, withFormAction } from './pages.ts';
import { policy } from './prompts.ts';
import { isSecretOf } from './secret.ts';

/** Sees an answer before it is sent; where it rejects, the request is not answered. */
type Judge = (
  res: ServerResponse,
  outcome: {
    readonly status: number;
    readonly clientId: string | undefined;
    readonly accessToken: string | undefined;
  },
) => Promise<void>;

/** Answers a request; rejects with an unforeseen error, or the judge's, without having answered. */
type Speak = (req: IncomingMessage, res: ServerResponse, judge?: Judge) => Promise<void>;

/** The configured protocol implementation. */
export interface Protocol {
  readonly provider: ProviderInstance;
  readonly speak: Speak;
}

/** Configures OpenID Connect for this service (D80); features that are not named here are off. */
export function createProtocol(services: Services): Protocol {
  const { settings } = services;
  const provider = new Provider(settings.baseUrl, configurationOf(services));
  // Safe, because host and scheme were set to those of BASE_URL before the request gets here.
  provider.proxy = true;
  adaptClients(provider);
  tellLater(provider, services);
  takeFormerHints(provider, services);
  bindToBrowser(provider, services);
  correctBrowserSessions(provider, services);
  returnToRegistered(provider);
  provider.on('grant.success', ({ oidc }: KoaContextWithOIDC) => {
    const clientId = oidc.client?.clientId ?? '';
    recordUse(services.db, clientId, services.clock.now()).catch((error: unknown) =>
      services.log.warn(
        { err: error, client_id: clientId },
        "the time of an application's last use could not be stored",
      ),
    );
  });
  return { provider, speak: listenerOf(provider, services) };
}

function configurationOf(services: Services): Configuration {
  const { db, clock, keys, settings } = services;
  const { email, ...claims } = CLAIMS;
  const path = (name: keyof typeof OIDC_ENDPOINTS) => OIDC_ENDPOINTS[name].path;
  const offered = { ...claims, ...(settings.oidcEmailDomain !== undefined && { email }) };
  const account = async (clientId: string | undefined, accountId: string) => {
    const row = await findAccount(db, Number(accountId), clientId ?? '');
    return row && accountOf(row, settings);
  };
  return {
    adapter: (model) => createAdapter(services, model),
    findAccount: ({ oidc }, accountId) => account(oidc.client?.clientId, accountId),
    loadExistingGrant: (ctx) => loadGrant(services, ctx),
    interactions: {
      policy: policy(),
      url: (_ctx, { uid }) =>
        `${new URL(settings.baseUrl).pathname.replace(/\/$/, '')}/oidc/interaction/${uid}`,
    },
    cookies: cookiesOf(settings),
    jwks: {
      keys: keys.idTokens.privateKeys.map((key) => ({ ...key })) as NonNullable<
        Configuration['jwks']
      >['keys'],
    },
    enabledJWA: { idTokenSigningAlgValues: [...keys.idTokens.algorithms] },
    clientDefaults: { id_token_signed_response_alg: keys.idTokens.algorithms[0] ?? 'EdDSA' },
    extraClientMetadata: { properties: ['first_party'], validator: () => undefined },
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
    discovery: METADATA,
    // CORS from every origin, because no endpoint called by scripts uses cookies (D62).
    clientBasedCORS: () => true,
    scopes: ['openid', 'offline_access', ...Object.keys(offered)],
    claims: { ...offered, auth_time: null, iss: null, sid: null } as unknown as NonNullable<
      Configuration['claims']
    >,
    responseTypes: ['code'],
    allowOmittingSingleRegisteredRedirectUri: false,
    pkce: { required: (_ctx, client) => client.clientAuthMethod === 'none' },
    extraParams: { access_type: settleScopes },
    rotateRefreshToken: true,
    ttl: {
      AccessToken: LIFETIMES.accessToken,
      AuthorizationCode: LIFETIMES.code,
      Grant: LIFETIMES.grant,
      IdToken: LIFETIMES.idToken,
      Interaction: LIFETIMES.interaction,
      RefreshToken: LIFETIMES.refreshToken,
      Session: (_ctx, { loginTs }) => sessionLeft(loginTs, Math.floor(clock.now().getTime() / 1000)),
    },
    routes: {
      authorization: path('authorization'),
      token: path('token'),
      userinfo: path('userinfo'),
      introspection: path('introspection'),
      revocation: path('revocation'),
      end_session: path('logout'),
      jwks: '/.well-known/jwks.json',
    },
    features: {
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      resourceIndicators: { enabled: false },
      userinfo: { enabled: true },
      backchannelLogout: { enabled: true },
      introspection: {
        enabled: true,
        // An application with a secret may introspect any token, as those that protect an API of theirs do, and a public
        // one its own. Active are those of users who may use the token's application at the time of the request (D84).
        async allowedPolicy(ctx, client, token) {
          const { clientId } = token;
          if (clientId === undefined || !('accountId' in token)) return false;
          if (client.clientAuthMethod === 'none' && clientId !== client.clientId) return false;
          if (!(await isLetIn(db, Number(token.accountId), clientId))) return false;
          // The library would look up the token's application before it says whose it is, and fail where that was deleted
          // meanwhile.
          Object.assign(ctx.body as object, { sub: token.accountId });
          Object.assign(token, { accountId: undefined });
          return true;
        },
      },
      revocation: {
        enabled: true,
        allowedPolicy(_ctx, client, token) {
          if (token.clientId === client.clientId) return true;
          if (client.clientAuthMethod === 'none') return false;
          throw new errors.InvalidRequest('the token was issued to another application');
        },
      },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource(ctx, form) {
          ctx.body = logoutPage(form, ctx.oidc.client?.clientName);
        },
        postLogoutSuccessSource(ctx) {
          ctx.body = loggedOutPage(ctx.oidc.client?.clientName);
        },
      },
    },
    renderError: (ctx, out, error) => {
      ctx.type = 'html';
      ctx.body = errorPage(out, ctx.oidc?.route === 'end_session_confirm' ? 'logout' : error);
    },
  };
}

function adaptClients(provider: ProviderInstance): void {
  Object.assign(provider.Client.prototype, {
    /** Compares hashes, because the library is given the stored hash in place of the secret (D81). */
    compareClientSecret(this: { clientSecret?: string }, secret: string) {
      return this.clientSecret !== undefined && isSecretOf(secret, this.clientSecret);
    },
    /** Every application's sessions are remembered, as it may get its `backchannel_logout_uri` later (D84). */
    includeSid: () => true,
  });
}

/** Each interaction belongs to the browser that began it, until it ends there (D82). */
function bindToBrowser(provider: ProviderInstance, { settings }: Pick<Services, 'settings'>): void {
  provider.on('interaction.started', (ctx: KoaContextWithOIDC) => {
    // The next prompt of a sign-in is an interaction of its own, and the former one ends.
    const ending = ctx.oidc.route === 'resume' ? String(ctx.params.uid) : undefined;
    ctx.append('Set-Cookie', [
      ...begunRemovals(settings, ctx.req.headers.cookie, ending),
      begunCookie(settings, ctx.oidc.entities.Interaction?.uid ?? ''),
    ]);
  });
  provider.use(async (ctx, next) => {
    await next();
    const { oidc } = ctx as Partial<KoaContextWithOIDC>;
    if (oidc?.route === 'resume' && endsInteraction([ctx.response.headers['set-cookie'] ?? []].flat()))
      ctx.append('Set-Cookie', endedCookie(settings, ctx.params.uid));
  });
}

const OF_A_RESULT = ['Set-Cookie', 'Location'] as const;

/** The library as a listener that answers everything but unforeseen errors, with which it rejects. */
function listenerOf(
  provider: ProviderInstance,
  services: Pick<Services, 'db' | 'clock' | 'log' | 'lastWork'>,
): Speak {
  const failures = new WeakMap<IncomingMessage, Error>();
  const judges = new WeakMap<IncomingMessage, Judge>();
  const fail = (ctx: { req: IncomingMessage }, error: Error) => failures.set(ctx.req, error);
  provider.on('server_error', fail);
  (provider as EventEmitter).on('error', (error: Error & { headerSent?: true }, ctx: KoaContextWithOIDC) => {
    // Koa marks what came of a client that has gone.
    if (error.headerSent !== true) fail(ctx, error);
  });
  provider.use(async (ctx, next) => {
    ctx.set(PROTOCOL_HEADERS);
    // Errors outside the library's own handling, as of a session that cannot be stored: Koa would answer them itself.
    await next().catch((error: Error) => fail(ctx, error));
    const { oidc } = ctx as Partial<KoaContextWithOIDC>;
    if (oidc !== undefined && !failures.has(ctx.req)) {
      if (ctx.type === 'text/html') withFormAction(ctx, oidc);
      else correctAnswer(ctx, oidc);
      const outcome = {
        status: ctx.status,
        clientId: oidc.client?.clientId,
        accessToken: oidc.entities.AccessToken?.jti,
      };
      await judges
        .get(ctx.req)?.(ctx.res, outcome)
        .catch((error: Error) => {
          ctx.remove('WWW-Authenticate');
          fail(ctx, error);
        });
    }
    // Nobody gets this answer: the client has gone, or the graceful stop has answered with 503.
    const unheard = !ctx.writable || ctx.res.destroyed;
    if (failures.has(ctx.req)) ctx.respond = false;
    else if (!unheard) return;
    if (oidc !== undefined) await giveBackUsed(services, oidc);
  });
  const answer = provider.callback();
  return async (req, res, judge) => {
    if (judge !== undefined) judges.set(req, judge);
    // Also once the stop has answered in its place: it may be using up a code or refresh token, which is given back then.
    await services.lastWork.add(answer(req, res));
    const failure = failures.get(req);
    if (failure === undefined) return;
    // What the library had prepared was not stored: with the cookie of such a session the browser would lose its own.
    for (const name of OF_A_RESULT) if (!res.headersSent) res.removeHeader(name);
    throw failure;
  };
}

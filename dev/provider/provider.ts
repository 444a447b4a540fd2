import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { takeNickname, VOICE_PATH, voicePage } from '../voice-server/page.ts';
import type { SimulatedVoiceServer } from '../voice-server/server.ts';
import { type Answer, json, Refusal, readBody, requireOwnHost, send, text } from '../web/http.ts';
import { World } from '../world/world.ts';
import { type AccessTokenDraft, createAccessTokens } from './access-token.ts';
import { createApi } from './api.ts';
import { sendFaultily } from './fault-answers.ts';
import { createFaults, type Faults } from './faults.ts';
import { homePage } from './home-page.ts';
import { createLimits } from './limits.ts';
import { createRequestLog, type OpenRecord, type RecordedRequest } from './request-log.ts';
import { createSso } from './sso.ts';

const API_BASE = '/api';

export interface SimulatedProviderOptions {
  readonly clientId: string;
  readonly clientSecret: string;
  /** 0, the default: any free port. */
  readonly port?: number;
  readonly host?: string;
  readonly seed?: number;
  readonly alliances?: number;
  readonly corporations?: number;
  /** At most about 480,000. */
  readonly characters?: number;
  /** How far back the mailboxes go, in rounds of six hours (48). */
  readonly mailRounds?: number;
  readonly rotateRefreshTokens?: boolean;
  readonly now?: () => Date;
  /** `iss` of the access tokens: the bare host (default) or the URL, as the provider does both (provider.md §1). */
  readonly issuerForm?: 'host' | 'url';
  readonly scopePrefix?: string;
  /** A voice server to show a page of, and to stop together with this. */
  readonly voice?: SimulatedVoiceServer | undefined;
}

export type Choice =
  | { readonly characterId: number; readonly scopes?: readonly string[] }
  | { readonly cancel: true };

export interface SimulatedProvider {
  readonly url: string;
  /** Base of the sign-on: the metadata is below it. */
  readonly ssoUrl: string;
  /** Base of the game API. */
  readonly apiUrl: string;
  /** The API's description. */
  readonly specUrl: string;
  /** Change it at will: every answer is made from its present state. */
  readonly world: World;
  readonly faults: Faults;
  /** The voice server beside it, whose page is at {@link VOICE_PATH}. */
  readonly voice: SimulatedVoiceServer | undefined;
  /** The newest 10,000 requests, oldest first. */
  readonly requests: readonly RecordedRequest[];
  /** Is the refresh token replaced at every refresh? */
  rotateRefreshTokens: boolean;
  /** Is the former Swagger 2.0 description served too? */
  publishSwagger: boolean;
  /** `perMinute` is the whole budget (100); `remaining` sets what is left of the present minute. */
  setErrorLimit(limit: { readonly perMinute?: number; readonly remaining?: number }): void;
  /** Another size for the token buckets of a rate group. */
  setRateLimit(group: string, maxTokens: number): void;
  /** Changes the access token of the next answer that carries one; calls queue up. */
  nextAccessToken(mutate: (draft: AccessTokenDraft) => void): void;
  /**
   * Signs in as the page does: choose a character (granting fewer scopes if wanted) or cancel.
   * @returns the address that the application is sent back to, with code and state or with error
   * @throws Error when the sign-on refuses the request
   */
  authorize(loginUrl: string, choice: Choice): Promise<string>;
  /** Back to the options given: no faults, full budgets, no requests, no queued changes. World and tokens stay. */
  reset(): void;
  /** Closes every connection at once, also those that hang. */
  stop(): Promise<void>;
}

/**
 * Starts the stand-in for the game's sign-on and API on one loopback port.
 * @throws RangeError when the numbers cannot make a world
 */
export async function startSimulatedProvider(options: SimulatedProviderOptions): Promise<SimulatedProvider> {
  const { clientId, clientSecret, seed = 1, scopePrefix = 'esi-', now = () => new Date() } = options;
  const { voice } = options;
  const { alliances = 3, corporations = 12, characters = 300, mailRounds = 48, host = '127.0.0.1' } = options;
  const world = new World({ seed, alliances, corporations, characters, mailRounds });
  const limits = createLimits(now);
  const faults = createFaults(seed);
  const log = createRequestLog();

  const server = createServer();
  // Longer than any client keeps an idle connection, so that this side never closes one that a client is about to
  // reuse.
  server.keepAliveTimeout = 75_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, host, resolve);
  });
  const authority = `${host}:${(server.address() as AddressInfo).port}`;
  const url = `http://${authority}`;
  const urls = {
    SSO_URL: url,
    EXT_API_URL: url + API_BASE,
    EXT_API_SPEC_URL: `${url + API_BASE}/meta/openapi.json`,
  };
  const issuer = options.issuerForm === 'url' ? url : authority;
  const accessTokens = await createAccessTokens({ clientId, issuer, now });
  const rotateRefreshTokens = options.rotateRefreshTokens ?? false;
  const shared = { world, scopePrefix, accessTokens, now };
  const sso = createSso({ ...shared, url, clientId, clientSecret, rotateRefreshTokens });
  const api = createApi({ ...shared, url: urls.EXT_API_URL, ssoUrl: url, limits });

  let open = 0;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    requireOwnHost(request);
    const { pathname, searchParams } = new URL(request.url ?? '/', url);
    const method = request.method ?? 'GET';
    const header = (name: string) => request.headers[name]?.toString() ?? null;
    const area = pathname.startsWith(`${API_BASE}/`)
      ? 'api'
      : Object.hasOwn(sso.routes, pathname)
        ? 'sso'
        : 'none';
    const record: OpenRecord = {
      at: now(),
      area,
      method,
      path: pathname,
      query: area === 'api' ? searchParams.toString() : '',
      route: area === 'sso' ? pathname : null,
      grantType: null,
      characterId: null,
      userAgent: header('user-agent'),
      compatibilityDate: header('x-compatibility-date'),
      ifNoneMatch: header('if-none-match'),
      open: ++open,
      fault: null,
      status: null,
    };
    log.add(record);
    response.once('close', () => {
      open--;
      if (response.headersSent) record.status = response.statusCode;
    });
    response.setHeader('date', now().toUTCString());

    const authorization = request.headers.authorization;
    const visit =
      area === 'api'
        ? await api.visit({
            method,
            path: pathname.slice(API_BASE.length),
            query: searchParams,
            authorization,
            compatibilityDate: header('x-compatibility-date') ?? undefined,
            ifNoneMatch: header('if-none-match') ?? undefined,
          })
        : undefined;
    if (visit !== undefined) {
      record.route = visit.template;
      record.characterId = visit.token?.characterId ?? null;
    }

    const produce = async (): Promise<Answer> => {
      if (visit !== undefined) return await api.answer(visit, () => readBody(request), faults.downtime);
      if (area === 'none') return ours(method, pathname, request);
      if (!sso.routes[pathname]?.includes(method)) return json(405, { error: 'invalid_request' });
      const form = new URLSearchParams(method === 'POST' ? await readBody(request) : '');
      record.grantType = form.get('grant_type');
      return await sso.handle({ method, path: pathname, query: searchParams, form, authorization });
    };
    const fault = faults.strike({ area, method, path: visit?.path ?? pathname, route: record.route });
    record.fault = fault?.kind ?? null;
    const count = (answer: Answer) => (visit === undefined ? answer : api.count(visit, answer));
    if (fault === undefined) send(response, count(await produce()));
    else await sendFaultily(response, fault, produce, count);
  }

  async function ours(method: string, path: string, request: IncomingMessage): Promise<Answer> {
    if (path === VOICE_PATH && voice !== undefined) {
      if (method === 'GET') return voicePage(voice);
      if (method === 'POST') return takeNickname(voice, new URLSearchParams(await readBody(request)));
    }
    if (path !== '/' || method !== 'GET') return text(404, 'Not found');
    return homePage(world, urls, faults, limits.errorBudget());
  }

  server.on('request', (request, response) => {
    serve(request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else if (error instanceof Refusal) send(response, json(error.status, { error: error.message }));
      else send(response, json(500, { error: 'Internal server error' }));
    });
  });

  return {
    url,
    ssoUrl: url,
    apiUrl: urls.EXT_API_URL,
    specUrl: urls.EXT_API_SPEC_URL,
    world,
    faults,
    voice,
    get requests() {
      return log.records;
    },
    get rotateRefreshTokens() {
      return sso.rotateRefreshTokens;
    },
    set rotateRefreshTokens(on) {
      sso.rotateRefreshTokens = on;
    },
    get publishSwagger() {
      return api.publishSwagger;
    },
    set publishSwagger(on) {
      api.publishSwagger = on;
    },
    setErrorLimit: (limit) => limits.setErrorLimit(limit),
    setRateLimit: (group, maxTokens) => limits.setRateLimit(group, maxTokens),
    nextAccessToken: (mutate) => sso.nextAccessToken(mutate),
    authorize: (loginUrl, choice) => authorize(url, loginUrl, choice),
    reset() {
      faults.clear();
      limits.reset();
      log.reset();
      sso.reset();
      api.publishSwagger = false;
    },
    async stop() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
      await voice?.stop();
    },
  };
}

/** Signs in at the simulated provider of this URL, in whichever process: opens the page, then sends its form. */
export async function authorize(url: string, loginUrl: string, choice: Choice): Promise<string> {
  const login = new URL(loginUrl);
  if (login.origin !== url) throw new Error('The login URL does not lead to this sign-on');
  const page = await fetch(login, { redirect: 'manual' });
  await page.arrayBuffer();
  if (page.status !== 200) throw new Error(`The sign-on refused the request with ${page.status}`);
  const form = new URLSearchParams(login.search);
  if ('cancel' in choice) form.set('cancel', '1');
  else {
    form.set('character_id', String(choice.characterId));
    for (const scope of choice.scopes ?? form.get('scope')?.split(' ') ?? []) form.append('grant', scope);
  }
  const answer = await fetch(login.origin + login.pathname, {
    method: 'POST',
    body: form,
    redirect: 'manual',
  });
  await answer.arrayBuffer();
  const location = answer.headers.get('location');
  if (answer.status !== 302 || location === null)
    throw new Error(`The sign-on refused the choice with ${answer.status}`);
  return location;
}

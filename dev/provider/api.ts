import { createHash } from 'node:crypto';
import { type Answer, json, Refusal } from '../web/http.ts';
import type { World } from '../world/world.ts';
import type { AccessTokens, TokenFacts } from './access-token.ts';
import { openApiDocument, swaggerDocument } from './document.ts';
import { proxyPage } from './fault-answers.ts';
import { costOf, type Limits } from './limits.ts';
import type { Operation, Page } from './operation.ts';
import { OPERATIONS } from './operations.ts';

/** Assumed of requests that do not name one. */
const OLDEST_COMPATIBILITY_DATE = '2020-01-01';
const DOCUMENT_PATH = '/meta/openapi.json';
const SWAGGER_PATH = '/latest/swagger.json';
const DOWNTIME_END_MINUTE = 11 * 60 + 5;

export interface ApiOptions {
  readonly world: World;
  readonly url: string;
  readonly ssoUrl: string;
  readonly scopePrefix: string;
  readonly accessTokens: AccessTokens;
  readonly limits: Limits;
  readonly now: () => Date;
}

/** A request for the API, before it is known what to make of it. */
interface ApiRequest {
  readonly method: string;
  /** Below the API's base, as it came. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly authorization: string | undefined;
  readonly compatibilityDate: string | undefined;
  readonly ifNoneMatch: string | undefined;
}

/** What the path names. */
interface ApiRoute {
  /** Template of the operation or name of a document; null for a path that does not exist. */
  readonly template: string | null;
  /** The path without version prefix and trailing slash. */
  readonly path: string;
  /** Whether the path has a version prefix, so that the former document describes the request. */
  readonly former: boolean;
  readonly operation: Operation | undefined;
  readonly params: Readonly<Record<string, number>>;
  /** Methods that the path has. */
  readonly methods: readonly string[];
}

/** A request with its route and its caller: what the limits are counted for. */
interface ApiVisit extends ApiRoute {
  readonly request: ApiRequest;
  readonly token: TokenFacts | undefined;
  readonly caller: string;
}

export interface Api {
  /** Serves `/latest/swagger.json` too. */
  publishSwagger: boolean;
  visit(request: ApiRequest): Promise<ApiVisit>;
  /** Downtime, limits, authorisation, then the operation. */
  answer(visit: ApiVisit, readBody: () => Promise<string>, downtime: boolean): Promise<Answer>;
  /** Counts the answer, whoever made it, and adds the limits' headers. */
  count(visit: ApiVisit, answer: Answer): Answer;
}

interface Route {
  readonly operation: Operation;
  readonly pattern: RegExp;
  readonly names: readonly string[];
}

const ROUTES: readonly Route[] = OPERATIONS.map((operation) => ({
  operation,
  pattern: new RegExp(`^${operation.path.replace(/\{\w+\}/g, '(\\d{1,15})')}$`),
  names: [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name),
}));

/** The game API (provider.md §2). */
export function createApi(options: ApiOptions): Api {
  const { world, limits, now, scopePrefix } = options;
  const openApi = openApiDocument(options.url, options.ssoUrl, scopePrefix);
  const swagger = swaggerDocument(options.url, options.ssoUrl, scopePrefix);
  let publishSwagger = false;

  /** Throws its refusals; the body is read last. */
  async function run(visit: ApiVisit, readBody: () => Promise<string>): Promise<Answer> {
    const { request, operation, token } = visit;
    const compatibilityDate = request.compatibilityDate ?? OLDEST_COMPATIBILITY_DATE;
    if (!/^\d{4}-\d{2}-\d{2}$/.test(compatibilityDate))
      throw new Refusal(400, 'X-Compatibility-Date must be a date');
    if (visit.template === null) throw new Refusal(404, 'Requested path does not exist');
    if (!visit.methods.includes(request.method)) throw new Refusal(405, 'Method not allowed');
    if (operation === undefined) return json(200, visit.template === DOCUMENT_PATH ? openApi : swagger);
    const { scope } = operation;
    if (scope !== undefined) {
      if (request.authorization === undefined) throw new Refusal(401, 'Authorization not provided');
      if (token === undefined) throw new Refusal(401, 'Token is expired or invalid');
      if (!token.scopes.includes(scopePrefix + scope))
        throw new Refusal(403, `Token is not valid for scope ${scopePrefix}${scope}`);
    }
    const body = operation.method === 'POST' ? parse(await readBody()) : undefined;
    const caller = scope === undefined ? 0 : (token?.characterId ?? 0);
    const result = operation.run({
      world,
      params: visit.params,
      query: visit.former ? withoutCommas(request.query, operation) : request.query,
      body,
      caller,
      compatibilityDate,
    });
    const lifetime = cacheHeaders(operation);
    if (!operation.paged) return json(200, result, lifetime);
    const { items, pages } = result as Page;
    if (Number(request.query.get('page') ?? 1) > pages)
      throw new Refusal(404, 'Requested page does not exist!');
    return json(200, items, { ...lifetime, 'x-pages': String(pages) });
  }

  function cacheHeaders({ cached, scope }: Operation): Record<string, string> {
    if (cached === 'not') return { 'cache-control': 'no-cache' };
    const visibility = scope === undefined ? 'public' : 'private';
    // Lists that change at the downtime have no max-age, so clients have to use Expires.
    if (cached === 'daily')
      return { 'cache-control': visibility, expires: nextDowntimeEnd(now()).toUTCString() };
    const expires = new Date(now().getTime() + cached * 1_000).toUTCString();
    return { 'cache-control': `${visibility}, max-age=${cached}`, expires };
  }

  return {
    get publishSwagger() {
      return publishSwagger;
    },
    set publishSwagger(on) {
      publishSwagger = on;
    },
    async visit(request) {
      const bearer = /^Bearer (\S+)$/i.exec(request.authorization ?? '')?.[1];
      const token = bearer === undefined ? undefined : await options.accessTokens.verify(bearer);
      const caller = token === undefined ? 'public' : `${token.application} ${token.characterId}`;
      return { ...route(request, publishSwagger), request, token, caller };
    },
    async answer(visit, readBody, downtime) {
      if (downtime) return proxyPage(503);
      if (limits.errorBudget().remaining === 0)
        return json(420, { error: 'The error limit of this minute is used up.' });
      const group = visit.operation?.rateGroup;
      const wait = group === undefined ? 0 : limits.balance(group, visit.caller).wait;
      if (wait > 0) return json(429, { error: 'Rate limit exceeded' }, { 'retry-after': String(wait) });
      try {
        return conditional(visit.request, await run(visit, readBody));
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        return json(error.status, { error: error.message });
      }
    },
    count(visit, answer) {
      const headers: Record<string, string> = {
        'x-compatibility-date': visit.request.compatibilityDate ?? OLDEST_COMPATIBILITY_DATE,
      };
      const group = visit.operation?.rateGroup;
      if (group !== undefined && answer.status !== 420) {
        const cost = costOf(answer.status);
        limits.spend(group, visit.caller, cost);
        headers['x-ratelimit-group'] = group.group;
        headers['x-ratelimit-limit'] = `${limits.maxTokens(group)}/${group.windowSeconds / 60}m`;
        headers['x-ratelimit-remaining'] = String(limits.balance(group, visit.caller).remaining);
        headers['x-ratelimit-used'] = String(cost);
      } else {
        if (answer.status >= 400) limits.countError();
        const budget = limits.errorBudget();
        headers['x-esi-error-limit-remain'] = String(budget.remaining);
        headers['x-esi-error-limit-reset'] = String(budget.reset);
      }
      return { ...answer, headers: { ...headers, ...answer.headers } };
    },
  };
}

function route({ method, path }: ApiRequest, publishSwagger: boolean): ApiRoute {
  const document = path === DOCUMENT_PATH || (publishSwagger && path === SWAGGER_PATH);
  if (document)
    return { template: path, path, former: false, operation: undefined, params: {}, methods: ['GET'] };
  const versioned = /^\/(?:latest|legacy|dev|v\d+)(\/.*?)\/?$/.exec(path)?.[1];
  const plain = versioned ?? path;
  const found = ROUTES.flatMap(({ operation, pattern, names }) => {
    const values = pattern.exec(plain)?.slice(1);
    return values === undefined
      ? []
      : [{ operation, params: Object.fromEntries(names.map((name, i) => [name, Number(values[i])])) }];
  });
  const match = found.find(({ operation }) => operation.method === method) ?? found[0];
  return {
    template: match?.operation.path ?? null,
    path: plain,
    former: versioned !== undefined,
    operation: match?.operation,
    params: match?.params ?? {},
    methods: found.map(({ operation }) => operation.method),
  };
}

/** Takes lists apart, which the former document describes as joined by commas. */
function withoutCommas(query: URLSearchParams, { query: types = {} }: Operation): URLSearchParams {
  return new URLSearchParams(
    [...query].flatMap(([name, value]) => {
      const values = types[name] === 'array' ? value.split(',') : [value];
      return values.map((one): [string, string] => [name, one]);
    }),
  );
}

/** Adds the ETag, and answers 304 if the caller has the same body. */
function conditional({ method, ifNoneMatch }: ApiRequest, answer: Answer): Answer {
  if (method !== 'GET') return answer;
  const etag = `"${createHash('sha1').update(answer.body).digest('hex')}"`;
  const headers = { ...answer.headers, etag };
  const known = (ifNoneMatch ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return known.includes(etag) ? { status: 304, headers, body: '' } : { ...answer, headers };
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new Refusal(400, 'The body is no JSON');
  }
}

function nextDowntimeEnd(now: Date): Date {
  const end = new Date(now);
  end.setUTCHours(0, DOWNTIME_END_MINUTE, 0, 0);
  if (end <= now) end.setUTCDate(end.getUTCDate() + 1);
  return end;
}

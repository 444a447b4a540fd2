import type { Answer } from './call.ts';
import { CastellanError } from './errors.ts';
import { type Route, routes } from './generated/routes.ts';
import type { Api } from './generated/types.ts';

type Token = string | undefined;

export interface ClientOptions {
  /** Address of the service, for example `https://castellan.example`; may hold a path prefix. */
  baseUrl: string;
  /** The token to send, or a function that is asked before each call. */
  token?: string | (() => Token | Promise<Token>) | undefined;
  /** Stands in for the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
  /** Request headers of every call. */
  headers?: Record<string, string> | undefined;
}

/** Any request, seen without its types. */
interface AnyRequest {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

/**
 * A client of the service. Its functions bear the names of the contract and answer with `{ status, body, headers }`
 * whatever the status; they throw only when no answer comes, or when the request cannot be put together.
 *
 * @throws {TypeError} when `baseUrl` is not an absolute http or https URL.
 */
export function createClient(options: ClientOptions): Api {
  const base = baseOf(options.baseUrl);
  const resources = Object.entries(routes).map(([resource, operations]) => {
    const calls = Object.entries<Route>(operations).map(([name, route]) => {
      return [name, (request: AnyRequest = {}) => call(options, base, route, request)];
    });
    return [resource, Object.fromEntries(calls)];
  });
  return Object.fromEntries(resources) as Api;
}

function baseOf(baseUrl: string): string {
  const url = new URL(baseUrl);
  const usable = /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  if (!usable) throw new TypeError('baseUrl must be an http or https URL without user and password');
  return url.origin + url.pathname.replace(/\/+$/, '');
}

async function call(
  options: ClientOptions,
  base: string,
  route: Route,
  request: AnyRequest,
): Promise<Answer<number, unknown>> {
  const url = base + pathOf(route, request.params ?? {}) + queryOf(route, request.query ?? {});
  const body = route.body && request.body !== undefined ? JSON.stringify(request.body) : undefined;
  const send = options.fetch ?? globalThis.fetch;
  const response = await send(url, {
    method: route.method,
    headers: await headersOf(options, route, request, body !== undefined),
    // The API never redirects: a redirect that carried the token elsewhere is refused.
    redirect: route.public ? 'manual' : 'error',
    ...(body !== undefined && { body }),
    ...(request.signal !== undefined && { signal: request.signal }),
  });
  return answerOf(route, response);
}

/** @throws {TypeError} for a parameter that is missing, empty, or would lead to another path. */
function pathOf(route: Route, params: Readonly<Record<string, unknown>>): string {
  return route.path.replace(/:(\w+)(\*?)/g, (_, name: string, rest: string) => {
    const value = params[name];
    const usable = typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value));
    if (!usable || value === '') throw new TypeError(`Path parameter ${name} is missing`);
    const segments = rest === '' ? [String(value)] : String(value).replace(/^\//, '').split('/');
    // URLs treat these as steps, encoded or not.
    if (segments.some((segment) => segment === '.' || segment === '..')) {
      throw new TypeError(`Path parameter ${name} must not be a dot segment`);
    }
    return segments.map(encodeURIComponent).join('/');
  });
}

function queryOf(route: Route, query: Readonly<Record<string, unknown>>): string {
  const search = new URLSearchParams();
  for (const name of route.query ?? []) {
    const value = query[name];
    if (value === undefined || value === null) continue;
    search.set(name, typeof value === 'object' ? JSON.stringify(value) : String(value));
  }
  return search.size === 0 ? '' : `?${search}`;
}

async function headersOf(
  options: ClientOptions,
  route: Route,
  request: AnyRequest,
  hasBody: boolean,
): Promise<Headers> {
  const headers = new Headers(options.headers);
  headers.set('accept', 'application/json');
  if (hasBody) headers.set('content-type', 'application/json');
  const token = typeof options.token === 'function' ? await options.token() : options.token;
  if (route.public) headers.delete('authorization');
  else if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
  for (const [name, value] of Object.entries(request.headers ?? {})) {
    if (value !== undefined) headers.set(name, String(value));
  }
  return headers;
}

async function answerOf(route: Route, response: Response): Promise<Answer<number, unknown>> {
  const { status, headers } = response;
  const text = await response.text();
  const isJson = /^application\/(\S+\+)?json\b/i.test(headers.get('content-type') ?? '');
  if (response.ok && route.answer === 'json') {
    const body = isJson ? parsed(text) : undefined;
    if (body === undefined) {
      throw new CastellanError({ status, headers, body: { detail: 'The answer is not JSON' } });
    }
    return { status, headers, body };
  }
  const body = (isJson ? parsed(text) : undefined) ?? (text === '' ? undefined : text);
  return { status, headers, body };
}

/** The value that a JSON text holds; undefined where it is none. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

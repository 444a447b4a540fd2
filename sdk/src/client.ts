import type { Answer, Success } from './call.ts';
import { CastellanError, ok } from './errors.ts';
import { routes } from './generated/routes.ts';
import type { Api } from './generated/types.ts';
import { sendWithRetries } from './send.ts';
import { baseOf, pathOf, previewOf, queryOf, type Route, routeOf } from './url.ts';

type Token = string | undefined;

export interface ClientOptions {
  /**
   * Address of the service, for example `https://castellan.example`; may hold a path prefix. In a page it may be
   * relative to the page: `/castellan`.
   */
  baseUrl: string;
  /** The token to send, or a function that is asked before each call. */
  token?: string | (() => Token | Promise<Token>) | undefined;
  /** Milliseconds for a call, further tries included; no limit where absent. */
  timeout?: number | undefined;
  /** Further tries after 429, 502, 503 and 504 of calls that may be repeated: all but POST. 2 where absent. */
  retries?: number | undefined;
  /** Stands in for the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
  /** Request headers of every call. */
  headers?: Record<string, string> | undefined;
}

/**
 * The service, each call giving the body of a success and throwing a {@link CastellanError} for anything else. Each
 * has a twin, `answer`, that gives the whole answer whatever its status: `castellan.group.list.answer()`. Those that
 * take something from people have another, `preview`, that says who would gain or lose what:
 * `castellan.group.delete.preview({ params: { group_id } })`.
 */
export type Castellan = {
  readonly [Resource in keyof Api]: {
    readonly [Name in keyof Api[Resource]]: ResultCall<Api[Resource][Name]>;
  };
};

type ResultCall<Call> = Call extends (...request: infer Request) => Promise<infer Answers>
  ? ((...request: Request) => Promise<Success<Answers>>) & { readonly answer: Call } & (Call extends {
        preview(...request: infer Tried): Promise<infer Previews>;
      }
        ? { readonly preview: (...request: Tried) => Promise<Success<Previews>> }
        : unknown)
  : never;

/** Any request, seen without its types. */
interface AnyRequest {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  readonly timeout?: number;
  readonly retries?: number;
}

type Answering = Promise<Answer<number, unknown>>;
type Call = ((request?: AnyRequest) => Answering) & {
  readonly preview?: (request?: AnyRequest) => Answering;
};

/**
 * A client whose calls give the body of a success: `const groups = await castellan.group.list();`
 * They throw a {@link CastellanError} for any other answer.
 *
 * @throws {TypeError} when `baseUrl` is no http or https URL.
 */
export function createCastellan(options: ClientOptions): Castellan {
  return build(options, (answer) =>
    Object.assign(
      (request?: AnyRequest) => ok(answer(request)),
      { answer },
      answer.preview && { preview: (request?: AnyRequest) => ok(answer.preview?.(request) as Answering) },
    ),
  ) as Castellan;
}

/**
 * A client whose calls answer with `{ status, body, headers }` whatever the status; they throw only when no answer
 * comes, or when the request cannot be put together.
 *
 * @throws {TypeError} when `baseUrl` is no http or https URL.
 */
export function createClient(options: ClientOptions): Api {
  return build(options, (answer) => answer) as Api;
}

/** Functions under the names of the contract. */
function build(options: ClientOptions, shape: (answer: Call) => unknown): object {
  const base = baseOf(options.baseUrl);
  return mapValues(routes, (operations) =>
    mapValues<string>(operations, (text) => {
      const route = routeOf(text);
      return shape(calling(options, base, route));
    }),
  );
}

function calling(options: ClientOptions, base: string, route: Route): Call {
  const answer = (request: AnyRequest = {}) => call(options, base, route, request);
  if (!route.previews) return answer;
  const trial = previewOf(route);
  return Object.assign(answer, {
    preview: (request: AnyRequest = {}) =>
      call(options, base, trial, { ...request, query: { dry_run: true } }),
  });
}

function mapValues<From>(of: Readonly<Record<string, From>>, to: (value: From) => unknown): object {
  return Object.fromEntries(Object.entries(of).map(([name, value]) => [name, to(value)]));
}

async function call(options: ClientOptions, base: string, route: Route, request: AnyRequest): Answering {
  const { timeout = options.timeout, signal } = request;
  const url = base + pathOf(route, request.params ?? {}) + queryOf(request.query ?? {});
  const body = route.body && request.body !== undefined ? JSON.stringify(request.body) : undefined;
  const send = options.fetch ?? globalThis.fetch;
  const headers = await headersOf(options, route, request, body !== undefined);
  const response = await sendWithRetries(
    (ending) =>
      send(url, {
        method: route.method,
        headers,
        // The API never redirects: a redirect that carried the token elsewhere is refused.
        redirect: route.public ? 'manual' : 'error',
        ...(body !== undefined && { body }),
        ...(ending !== undefined && { signal: ending }),
      }),
    { timeout, signal, retries: request.retries ?? (route.method === 'POST' ? 0 : (options.retries ?? 2)) },
  );
  return answerOf(route, response);
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

async function answerOf(route: Route, response: Response): Answering {
  const { status, headers } = response;
  const text = await response.text();
  const isJson = /^application\/(\S+\+)?json\b/i.test(headers.get('content-type') ?? '');
  const body = isJson ? parsed(text) : undefined;
  if (response.ok && route.json) {
    if (body === undefined) {
      throw new CastellanError({ status, headers, body: { detail: 'The answer is not JSON' } });
    }
    return { status, headers, body };
  }
  return { status, headers, body: body ?? (text === '' ? undefined : text) };
}

/** The value that a JSON text holds; undefined where it is none. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

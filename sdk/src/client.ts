import type { Answer, Success } from './call.ts';
import { CastellanError, ok } from './errors.ts';
import type { Api } from './generated/types.ts';
import { fromRoutes, type Route } from './routes.ts';
import { sendWithRetries } from './send.ts';
import { baseOf, pathOf, queryOf } from './url.ts';

type Token = string | undefined;

const JSON_TYPE = 'application/json';

export interface ClientOptions {
  /**
   * Address of the service, for example `https://castellan.example`; may hold a path prefix. In a page it may be
   * relative to the page: `/castellan`.
   */
  baseUrl: string;
  /** The token to send, or a function that is called before each call and returns it. */
  token?: string | (() => Token | Promise<Token>) | undefined;
  /** Timeout in milliseconds for a call, retries included; none by default. */
  timeout?: number | undefined;
  /**
   * Number of retries after 429, 502, 503 and 504, 2 by default, for all methods but POST, whose repetition may not be
   * safe.
   */
  retries?: number | undefined;
  /** Used instead of the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
  /** Request headers of every call. */
  headers?: Record<string, string> | undefined;
}

/**
 * The service, each call giving the body of a success and throwing a {@link CastellanError} for anything else. Each has
 * a twin, `answer`, that gives the whole answer whatever its status: `castellan.group.list.answer()`. Where another
 * form than JSON is asked for (`headers: { accept: 'text/csv' }`), the body is its text, whatever the type says. Those
 * that take something from people have another, `preview`, that says who would gain or lose what:
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

/** A request of any operation, without its specific types. */
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
  const succeeding = (call: Call) => (request?: AnyRequest) => ok(call(request));
  return build(options, (answer) =>
    Object.assign(succeeding(answer), { answer }, answer.preview && { preview: succeeding(answer.preview) }),
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

function build(options: ClientOptions, shape: (call: Call) => unknown): object {
  const base = baseOf(options.baseUrl);
  return fromRoutes((route) => {
    const asking =
      (always?: object): Call =>
      (request) =>
        call(options, base, route, { ...request, ...always });
    const previews = route.marks.includes('?') && { preview: asking({ query: { dry_run: true } }) };
    return shape(Object.assign(asking(), previews));
  });
}

async function call(options: ClientOptions, base: string, route: Route, request: AnyRequest): Answering {
  const { method, marks } = route;
  const url = base + pathOf(route, request.params) + queryOf(request.query);
  const body = method === 'GET' ? null : JSON.stringify(request.body);
  const token = typeof options.token === 'function' ? await options.token() : options.token;
  const headers = new Headers(options.headers);
  const own = {
    accept: JSON_TYPE,
    'content-type': body ? JSON_TYPE : undefined,
    authorization: token === undefined || marks.includes('!') ? undefined : `Bearer ${token}`,
    ...request.headers,
  };
  for (const [name, value] of Object.entries(own)) {
    try {
      if (value !== undefined) headers.set(name, String(value));
    } catch {
      // The runtime's own error tells the value, which may be a token.
      throw new TypeError(`Header ${name} is invalid`);
    }
  }
  const response = await sendWithRetries(
    // The API redirects only where no token is needed, so a redirect of a request with a token is refused: the token
    // might be sent elsewhere.
    (ending) =>
      (options.fetch ?? fetch)(url, {
        method,
        headers,
        body,
        signal: ending ?? null,
        redirect: marks.includes('!') ? 'manual' : 'error',
      }),
    {
      ...request,
      timeout: request.timeout ?? options.timeout,
      retries: request.retries ?? (method === 'POST' ? 0 : (options.retries ?? 2)),
    },
  );
  return answerOf(response, marks.includes('.'), headers.get('accept') as string);
}

async function answerOf(response: Response, mayBeEmpty: boolean, accept: string): Answering {
  const { ok, status, headers } = response;
  let body: unknown = await response.text();
  const type = (headers.get('content-type') || JSON_TYPE).split(';')[0] as string;
  try {
    // Another form than JSON has to be asked for: what a proxy says in the service's place is an error.
    if (type === JSON_TYPE || !accept.includes(type)) body = JSON.parse(body as string);
  } catch {
    if (ok && (body || !mayBeEmpty)) {
      throw new CastellanError({ status, headers, body: { detail: 'The answer is not JSON' } });
    }
    body ||= undefined;
  }
  return { status, headers, body };
}

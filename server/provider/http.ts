import { Agent, fetch as undiciFetch } from 'undici';

/** Why there is no usable answer of the provider. */
export type ProviderFault =
  | 'unreachable'
  | 'timeout'
  | 'too-large'
  /** Not JSON, a redirect, a 5xx, or not the expected content. */
  | 'unusable'
  /** Its error or rate limit is used up, or it refuses us until a time that it named (D30). */
  | 'exhausted'
  /** The caller has used up its share of errors (D33). */
  | 'caller-exhausted'
  /** The character has no valid refresh token with the scope. */
  | 'no-token'
  /** The sign-on does not accept an authorization code. */
  | 'refused-code'
  /** The sign-on does not accept our own id and secret. */
  | 'refused-client';

/** A request to the provider failed. The message contains no token. */
export class ProviderError extends Error {
  readonly fault: ProviderFault;
  /** Seconds after which a retry makes sense. */
  readonly retryAfter: number | undefined;
  /** `exhausted` is a rate limit of the character whose access token is sent, which says nothing about others. */
  readonly ofCharacter: boolean;
  constructor(
    fault: ProviderFault,
    message: string,
    {
      cause,
      retryAfter,
      ofCharacter = false,
    }: { readonly cause?: unknown; readonly retryAfter?: number; readonly ofCharacter?: boolean } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'ProviderError';
    this.fault = fault;
    this.retryAfter = retryAfter;
    this.ofCharacter = ofCharacter;
  }
}

export interface Limits {
  /** Timeout for the whole exchange including the body, so that a slowly dripping answer ends, too. */
  readonly milliseconds: number;
  readonly bytes: number;
}

/** One pool for all calls to the provider: few connections, kept alive. */
const agent = new Agent({ connections: 32, keepAliveTimeout: 30_000, connect: { timeout: 5_000 } });

interface Whole {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
}

/**
 * One HTTP exchange with a total timeout and a size limit; redirects are not followed.
 *
 * @throws ProviderError `unreachable`, `timeout` or `too-large`
 */
async function exchangeWhole(url: string | URL, init: RequestInit, limits: Limits): Promise<Whole> {
  const signal = AbortSignal.timeout(Math.max(Math.ceil(limits.milliseconds), 0));
  try {
    const response = await undiciFetch(url, {
      ...(init as object),
      redirect: 'manual',
      signal,
      dispatcher: agent,
    });
    const body = await readBody(response.body, limits.bytes);
    return { status: response.status, headers: new Headers([...response.headers.entries()]), body };
  } catch (error) {
    if (error instanceof ProviderError) throw error;
    if (signal.aborted) throw new ProviderError('timeout', `no full answer from ${hostOf(url)} in time`);
    throw new ProviderError('unreachable', `${hostOf(url)} cannot be reached or broke off`, { cause: error });
  }
}

/** A `fetch` with these limits, for libraries that take one; the body of its Response is read already. */
export function boundedFetch(limits: Limits): typeof fetch {
  return (async (url: string | URL, init: RequestInit = {}) => {
    const { status, headers, body } = await exchangeWhole(url, init, limits);
    // undici passes any three digits on, but Response takes only those of HTTP.
    if (status > 599)
      throw new ProviderError('unusable', `${hostOf(url)} answered with the status ${status}`);
    const empty = status === 204 || status === 205 || status === 304;
    return new Response(empty ? null : body, { status, headers });
  }) as typeof fetch;
}

/** The JSON of the body, whatever its content type says; undefined if it is none. The response can be read again. */
export async function jsonOf(response: Response): Promise<unknown> {
  return response
    .clone()
    .json()
    .catch(() => undefined);
}

/** A received answer; header names are in lower case. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Hop-by-hop headers and cookies, which are not passed on. */
const CONNECTION_HEADERS = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'keep-alive',
  'set-cookie',
  'transfer-encoding',
]);

/** One exchange with these limits; throws like {@link exchangeWhole}. */
export async function exchangeText(
  url: string,
  init: { readonly method: string; readonly headers: Record<string, string>; readonly body?: string },
  limits: Limits,
): Promise<RawAnswer> {
  const { status, headers, body } = await exchangeWhole(url, init, limits);
  const kept = [...headers.entries()].filter(([name]) => !CONNECTION_HEADERS.has(name));
  return { status, headers: Object.fromEntries(kept), body: body.toString('utf8') };
}

const NEVER_SENT = new Set([
  'ECONNREFUSED',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Whether the request cannot have reached the provider, so that it has not counted an error. */
export function neverArrived({ cause }: ProviderError): boolean {
  // fetch wraps the connection's error; with several addresses it is an AggregateError.
  const inner = cause instanceof Error ? (cause.cause ?? cause) : undefined;
  const first = inner instanceof AggregateError ? (inner.errors[0] as unknown) : inner;
  const code = (first as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' && NEVER_SENT.has(code);
}

async function readBody(stream: AsyncIterable<Uint8Array> | null, most: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop cancels the stream, so an endless body costs no more than the limit.
  for await (const chunk of stream ?? []) {
    size += chunk.length;
    if (size > most) throw new ProviderError('too-large', `the answer is larger than ${most} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function hostOf(url: string | URL): string {
  return new URL(url).host;
}

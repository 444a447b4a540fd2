import { promisify } from 'node:util';
import { brotliDecompress, gunzip } from 'node:zlib';
import { Agent, type Dispatcher, request, fetch as undiciFetch } from 'undici';
import { type Body, bodyOf, UNPACKED } from '../shared/json-body.ts';

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

/**
 * Runs an exchange with a total timeout.
 *
 * @throws ProviderError `unreachable` or `timeout`, or the one that the exchange throws
 */
async function inTime<Result>(
  url: string | URL,
  { milliseconds }: Pick<Limits, 'milliseconds'>,
  exchange: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const signal = AbortSignal.timeout(Math.max(Math.ceil(milliseconds), 0));
  try {
    return await exchange(signal);
  } catch (error) {
    if (error instanceof ProviderError) throw error;
    if (signal.aborted) throw new ProviderError('timeout', `no full answer from ${hostOf(url)} in time`);
    throw new ProviderError('unreachable', `${hostOf(url)} cannot be reached or broke off`, { cause: error });
  }
}

/**
 * A `fetch` with these limits, for libraries that take one; the body of its Response is read already, and redirects are
 * not followed.
 *
 * @throws ProviderError `unreachable`, `timeout` or `too-large`
 */
export function boundedFetch(limits: Limits): typeof fetch {
  return (async (url: string | URL, init: RequestInit = {}) =>
    inTime(url, limits, async (signal) => {
      const how = { ...(init as object), redirect: 'manual', signal, dispatcher: agent } as const;
      const { status, headers, body: stream } = await undiciFetch(url, how);
      const body = await readBody(stream ?? [], limits.bytes);
      // undici passes any three digits on, but Response takes only those of HTTP.
      if (status > 599)
        throw new ProviderError('unusable', `${hostOf(url)} answered with the status ${status}`);
      const empty = status === 204 || status === 205 || status === 304;
      return new Response(empty ? null : body, { status, headers: [...headers.entries()] });
    })) as typeof fetch;
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
  readonly body: Body;
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

/** How an answer may be compressed; decompressed off the event loop. */
const DECODERS = new Map([
  ['br', promisify(brotliDecompress)],
  ['gzip', promisify(gunzip)],
]);
const ACCEPT_ENCODING = [...DECODERS.keys()].join(', ');

/**
 * One exchange with these limits; redirects are not followed. By undici's `request`, as its `fetch` costs the event loop
 * three times as much.
 *
 * @throws ProviderError `unreachable`, `timeout` or `too-large`
 */
export async function exchange(
  url: string,
  init: {
    readonly method: Dispatcher.HttpMethod;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
  },
  limits: Limits,
): Promise<RawAnswer> {
  return inTime(url, limits, async (signal) => {
    const headers = { ...init.headers, 'accept-encoding': ACCEPT_ENCODING };
    const got = await request(url, { ...init, headers, signal, dispatcher: agent });
    const bytes = await readBody(got.body, limits.bytes);
    const body = await decode(bytes, String(got.headers['content-encoding'] ?? 'identity'), limits.bytes);
    return { status: got.statusCode, headers: passedOn(got.headers), body: bodyOf(body) };
  });
}

async function decode(bytes: Buffer, encoding: string, most: number): Promise<Buffer> {
  if (bytes.length === 0 || encoding === 'identity') return bytes;
  const decoder = DECODERS.get(encoding.toLowerCase());
  if (decoder === undefined) throw new ProviderError('unusable', `the answer is encoded as ${encoding}`);
  return decoder(bytes, { ...UNPACKED, maxOutputLength: most }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ERR_BUFFER_TOO_LARGE' ? tooLarge(most) : error;
  });
}

function passedOn(headers: Readonly<Record<string, string | string[] | undefined>>): RawAnswer['headers'] {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || CONNECTION_HEADERS.has(name)) continue;
    kept[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return kept;
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
  // Of a host with several addresses each has an error of its own.
  const first = cause instanceof AggregateError ? (cause.errors[0] as unknown) : cause;
  const code = (first as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' && NEVER_SENT.has(code);
}

async function readBody(
  stream: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  most: number,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop cancels the stream, so an endless body costs no more than the limit.
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > most) throw tooLarge(most);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function tooLarge(most: number): ProviderError {
  return new ProviderError('too-large', `the answer is larger than ${most} bytes`);
}

function hostOf(url: string | URL): string {
  return new URL(url).host;
}

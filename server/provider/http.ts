import { Agent, fetch as undiciFetch } from 'undici';

/** Why there is no usable answer of the provider. */
export type ProviderFault =
  | 'unreachable'
  | 'timeout'
  | 'too-large'
  /** No JSON, a redirect, a 5xx, or not what was asked for. */
  | 'unusable'
  /** Its error or rate limit is used up, or it refuses us until a moment that it named (D30). */
  | 'exhausted'
  /** The caller has had its share of errors (D33). */
  | 'caller-exhausted'
  /** The character has no valid refresh token with the scope. */
  | 'no-token';

/** The provider could not be asked, or not successfully. The message names no token. */
export class ProviderError extends Error {
  readonly fault: ProviderFault;
  /** Seconds after which asking again makes sense. */
  readonly retryAfter: number | undefined;
  constructor(
    fault: ProviderFault,
    message: string,
    { cause, retryAfter }: { readonly cause?: unknown; readonly retryAfter?: number } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'ProviderError';
    this.fault = fault;
    this.retryAfter = retryAfter;
  }
}

export interface Limits {
  /** For the whole exchange, body included, so that a dripping answer ends, too. */
  readonly milliseconds: number;
  readonly bytes: number;
}

/** One pool for all calls to the provider: few connections, kept alive. */
const agent = new Agent({ connections: 32, keepAliveTimeout: 30_000, connect: { timeout: 5_000 } });

/**
 * A `fetch` with an end: total time limit, size limit, no redirects followed. Answers with a Response whose
 * body is already read; throws {@link ProviderError}.
 */
export function boundedFetch(limits: Limits): typeof fetch {
  return (async (url: string | URL, init: RequestInit = {}) => {
    const signal = AbortSignal.timeout(limits.milliseconds);
    try {
      const response = await undiciFetch(url, {
        ...(init as object),
        redirect: 'manual',
        signal,
        dispatcher: agent,
      });
      const body = await readBody(response.body, limits.bytes);
      const { status, headers } = response;
      const empty = status === 204 || status === 205 || status === 304;
      return new Response(empty ? null : body, { status, headers: [...headers.entries()] });
    } catch (error) {
      if (error instanceof ProviderError) throw error;
      if (signal.aborted) throw new ProviderError('timeout', `no full answer from ${hostOf(url)} in time`);
      throw new ProviderError('unreachable', `${hostOf(url)} cannot be reached or broke off`, {
        cause: error,
      });
    }
  }) as typeof fetch;
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

/** Ends idle connections, so that a process can end. */
export function closeConnections(): Promise<void> {
  return agent.close();
}

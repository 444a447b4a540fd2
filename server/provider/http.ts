import { Agent, fetch as undiciFetch } from 'undici';

/** Why the provider gave no usable answer. */
export type ProviderFault = 'unreachable' | 'timeout' | 'too-large' | 'unusable';

/** The provider's fault, never the caller's. The message names no token. */
export class ProviderError extends Error {
  readonly fault: ProviderFault;
  constructor(fault: ProviderFault, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'ProviderError';
    this.fault = fault;
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
      throw new ProviderError('unreachable', `${hostOf(url)} cannot be reached or broke off`, error);
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

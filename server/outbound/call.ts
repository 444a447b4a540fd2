import { isIP } from 'node:net';
import { Agent, request } from 'undici';
import { ForbiddenAddress, hostOf, isPublicAddress, publicLookup } from './public-address.ts';

interface Call {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Whether addresses may be called that are not public (D29). */
  readonly allowPrivate: boolean;
  /** Ends the call, connecting included. */
  readonly signal: AbortSignal;
}

/** What counts of an answer. */
interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
}

/** Milliseconds for a connection to be made. */
const connect = { timeout: 10_000 };
/** Milliseconds for which a connection that nobody uses is kept. */
const keepAliveTimeout = 30_000;
const anywhere = new Agent({ connect, keepAliveTimeout });
const publicOnly = new Agent({ connect: { ...connect, lookup: publicLookup }, keepAliveTimeout });

/** Of an answer's body so many bytes are passed over, in so many milliseconds, to keep the connection. */
const MOST_PASSED_OVER = 16 * 1024;
const PASS_OVER_WITHIN = 1000;

/**
 * Calls a URL that somebody gave: only where it leads to a public address, which is the one that is connected to. Redirects
 * are not followed, and of the answer only status and `Retry-After` count.
 *
 * @throws ForbiddenAddress, or what undici throws where there is no answer in time
 */
export async function callOut(url: string, call: Call): Promise<Answer> {
  const { allowPrivate, method, headers, body: sent, signal } = call;
  const host = hostOf(url);
  if (!allowPrivate && isIP(host) && !isPublicAddress(host)) throw new ForbiddenAddress();
  const answer = await request(url, {
    method,
    headers: { Accept: '*/*', 'User-Agent': 'castellan', ...headers },
    ...(sent !== undefined && { body: sent }),
    dispatcher: allowPrivate ? anywhere : publicOnly,
    signal,
  });
  const within = AbortSignal.timeout(PASS_OVER_WITHIN);
  await answer.body.dump({ limit: MOST_PASSED_OVER, signal: within }).catch(() => answer.body.destroy());
  const retryAfter = answer.headers['retry-after'];
  return { status: answer.statusCode, retryAfter: typeof retryAfter === 'string' ? retryAfter : undefined };
}

/** Why a call came to no answer, in a word or a few that hold no secret. */
export function faultOf(error: unknown): string {
  if (error instanceof ForbiddenAddress) return error.message;
  const { code, name } = error as NodeJS.ErrnoException;
  return typeof code === 'string' ? code : name;
}

import { isIP } from 'node:net';
import { Agent, request } from 'undici';
import { ForbiddenAddress, hostOf, isPublicAddress, publicLookup } from './public-address.ts';

interface Call {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Whether private addresses may be called (D29). */
  readonly allowPrivate: boolean;
  /** Aborts the call, connecting included. */
  readonly signal: AbortSignal;
}

/** The parts of an answer that are used. */
interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
}

/** Timeout for connecting, in milliseconds. */
const connect = { timeout: 10_000 };
/** Milliseconds for which an idle connection is kept, whatever the receiver says: there may be thousands of receivers. */
const KEPT_IDLE = 4_000;
const keepAlive = { keepAliveTimeout: KEPT_IDLE, keepAliveMaxTimeout: KEPT_IDLE };
const anywhere = new Agent({ connect, ...keepAlive });
const publicOnly = new Agent({ connect: { ...connect, lookup: publicLookup }, ...keepAlive });

/** Limits for reading and discarding an answer's body so that its connection can be kept: bytes and milliseconds. */
const MOST_PASSED_OVER = 16 * 1024;
const PASS_OVER_WITHIN = 1000;
/** Interim answers (1xx), which undici reads without end while it waits for the final one. */
const MOST_INTERIM = 16;

/**
 * Calls a URL that a user or application configured. It must lead to a public address, and exactly the checked address
 * is connected to. Redirects are not followed; of the answer only status and `Retry-After` are used.
 *
 * @throws ForbiddenAddress, or undici's error when there is no answer in time, or none but interim ones
 */
export async function callOut(url: string, call: Call): Promise<Answer> {
  const { allowPrivate, method, headers, body: sent, signal } = call;
  const host = hostOf(url);
  if (!allowPrivate && isIP(host) && !isPublicAddress(host)) throw new ForbiddenAddress();
  const broken = new AbortController();
  let interim = 0;
  const answer = await request(url, {
    method,
    headers: { Accept: '*/*', 'User-Agent': 'castellan', ...headers },
    ...(sent !== undefined && { body: sent }),
    dispatcher: allowPrivate ? anywhere : publicOnly,
    signal: AbortSignal.any([signal, broken.signal]),
    onInfo() {
      interim += 1;
      if (interim > MOST_INTERIM) broken.abort(new TooManyInterimAnswers());
    },
  });
  const within = AbortSignal.timeout(PASS_OVER_WITHIN);
  await answer.body.dump({ limit: MOST_PASSED_OVER, signal: within }).catch(() => answer.body.destroy());
  const retryAfter = answer.headers['retry-after'];
  return { status: answer.statusCode, retryAfter: typeof retryAfter === 'string' ? retryAfter : undefined };
}

/** The called server goes on promising an answer. */
class TooManyInterimAnswers extends Error {
  override readonly name = 'TooManyInterimAnswers';
}

/** Why a call failed, in a few words without secrets. */
export function faultOf(error: unknown): string {
  if (error instanceof ForbiddenAddress) return error.message;
  const { code, name } = error as NodeJS.ErrnoException;
  return typeof code === 'string' ? code : name;
}

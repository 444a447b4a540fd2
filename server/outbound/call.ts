import { isIP } from 'node:net';
import { Agent, type Dispatcher, request } from 'undici';
import { ForbiddenAddress, hostOf, isPublicAddress, publicLookup } from './public-address.ts';

export interface Call {
  readonly allowPrivate: boolean;
  /** Milliseconds for all of it. */
  readonly timeLimit: number;
  readonly method?: Dispatcher.HttpMethod;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Milliseconds for connecting. */
const connect = { timeout: 10_000 };
const anywhere = new Agent({ connect });
const publicOnly = new Agent({ connect: { ...connect, lookup: publicLookup } });

/**
 * Calls an application's address (D29). Redirects are not followed, and of the answer only the status counts.
 *
 * @throws ForbiddenAddress where it is not public and `allowPrivate` is not set
 */
export async function callOut(url: string, { allowPrivate, timeLimit, ...call }: Call): Promise<number> {
  const host = hostOf(url);
  if (!allowPrivate && isIP(host) && !isPublicAddress(host)) throw new ForbiddenAddress();
  const { statusCode, body } = await request(url, {
    ...call,
    headers: { Accept: '*/*', 'User-Agent': 'castellan', ...call.headers },
    dispatcher: allowPrivate ? anywhere : publicOnly,
    signal: AbortSignal.timeout(timeLimit),
  });
  body.on('error', () => undefined);
  body.destroy();
  return statusCode;
}

import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import type { CompleteSettings } from '../config/settings.ts';
import { messageOf } from '../shared/message-of.ts';
import { bad, type Finding, good, mind } from './finding.ts';

/** Timeout in milliseconds for anything outside. */
const WITHIN = 5_000;
const GIB = 1024 ** 3;
/** Disk space for the joined answers of one process, with a reserve. */
const ROOM = 2 * GIB;

async function reach(url: string): Promise<{ status: number; date: string | null; took: number } | string> {
  const began = performance.now();
  try {
    const answer = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(WITHIN) });
    await answer.body?.cancel();
    return { status: answer.status, date: answer.headers.get('date'), took: performance.now() - began };
  } catch (error) {
    const { cause } = error as Error;
    return messageOf(cause instanceof Error ? cause : error);
  }
}

async function examineAddress(about: string, url: string, advice: string): Promise<Finding> {
  const found = await reach(url);
  if (typeof found === 'string')
    return bad(about, `${new URL(url).host} cannot be reached: ${found}`, advice);
  const says = `${new URL(url).host} answers ${found.status} after ${Math.round(found.took)} ms`;
  return found.status < 400 ? good(about, says) : bad(about, says, advice);
}

/** Checks the game's sign-on and API, and the redirect URL. */
export async function examineOutside({ sso, extApi, baseUrl }: CompleteSettings): Promise<Finding[]> {
  return Promise.all([
    examineAddress(
      "the game's sign-on",
      `${sso.url}/.well-known/oauth-authorization-server`,
      'nobody can sign in: is SSO_URL right, and may this machine connect outwards?',
    ),
    examineAddress(
      "the game's API",
      extApi.specUrl,
      'what is asked of the game waits: are EXT_API_URL and EXT_API_SPEC_URL right?',
    ),
    examineAddress(
      'BASE_URL',
      `${baseUrl}/healthz`,
      'browsers cannot come back from a sign-in either: is the service running, and is BASE_URL its public address?',
    ),
  ]);
}

export async function examineDisk(): Promise<Finding> {
  const { bavail, bsize } = await statfs(tmpdir());
  const says = `${((Number(bavail) * Number(bsize)) / GIB).toFixed(1)} GiB free at ${tmpdir()}`;
  return Number(bavail) * Number(bsize) < ROOM
    ? mind('disk', says, 'large answers of the game wait there: give it 2 GiB, or set TMPDIR')
    : good('disk', says);
}

export function examineProxy({ production, trustedProxies }: CompleteSettings): Finding[] {
  if (!production || trustedProxies.length > 0) return [];
  return [
    mind(
      'TRUSTED_PROXIES',
      'not set',
      'behind a proxy all clients without a token share one rate limit: set it to the proxy’s address',
    ),
  ];
}

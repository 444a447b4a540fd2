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
/** Milliseconds by which the game's clock may differ, for its access tokens to be accepted. */
const CLOCKS_APART = 30_000;

interface Reached {
  readonly status: number;
  /** Milliseconds that the answer took. */
  readonly took: number;
  /** Milliseconds by which the server's clock is ahead of this machine's, as far as the answer tells. */
  readonly ahead: number;
}

async function reach(url: string): Promise<Reached | string> {
  const began = performance.now();
  try {
    const answer = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(WITHIN) });
    await answer.body?.cancel();
    // A cache on the way tells when the answer was made, and how old it is.
    const age = Number(answer.headers.get('age') ?? 0) * 1000;
    const ahead = Date.parse(answer.headers.get('date') ?? '') + age - Date.now();
    return { status: answer.status, took: performance.now() - began, ahead: Number.isNaN(ahead) ? 0 : ahead };
  } catch (error) {
    const { cause } = error as Error;
    return messageOf(cause instanceof Error ? cause : error);
  }
}

async function examineAddress(about: string, url: string, advice: string): Promise<Finding> {
  return ofAddress(about, url, await reach(url), advice);
}

function ofAddress(about: string, url: string, found: Reached | string, advice: string): Finding {
  if (typeof found === 'string')
    return bad(about, `${new URL(url).host} cannot be reached: ${found}`, advice);
  const says = `${new URL(url).host} answers ${found.status} after ${Math.round(found.took)} ms`;
  return found.status < 400 ? good(about, says) : bad(about, says, advice);
}

/** Checks the sign-on, and by it this machine's clock, of which the database's may be a copy. */
async function examineSignOn(ssoUrl: string): Promise<Finding> {
  const about = "the game's sign-on";
  const url = `${ssoUrl}/.well-known/oauth-authorization-server`;
  const found = await reach(url);
  if (typeof found === 'string' || found.status >= 400 || Math.abs(found.ahead) <= CLOCKS_APART) {
    return ofAddress(
      about,
      url,
      found,
      'nobody can sign in: is SSO_URL right, and may this machine connect outwards?',
    );
  }
  const apart = `${Math.round(Math.abs(found.ahead) / 1000)} s ${found.ahead > 0 ? 'ahead of' : 'behind'}`;
  return bad(
    about,
    `the clock of ${new URL(url).host} is ${apart} this machine's`,
    'its tokens are not accepted, so nobody can sign in: run NTP on this machine',
  );
}

/** Checks the game's sign-on and API, and the redirect URL. */
export async function examineOutside({ sso, extApi, baseUrl }: CompleteSettings): Promise<Finding[]> {
  return Promise.all([
    examineSignOn(sso.url),
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
  const disk = await statfs(tmpdir()).catch((error: Error) => error);
  if (disk instanceof Error) {
    const says = `${tmpdir()} cannot be used: ${disk.message}`;
    return bad('disk', says, 'large answers of the game wait there: set TMPDIR to a folder that exists');
  }
  const { bavail, bsize } = disk;
  const says = `${((Number(bavail) * Number(bsize)) / GIB).toFixed(1)} GiB free at ${tmpdir()}`;
  return Number(bavail) * Number(bsize) < ROOM
    ? mind('disk', says, 'large answers of the game wait there: give it 2 GiB, or set TMPDIR')
    : good('disk', says);
}

/** The provider wants the User-Agent to name a contact. */
export function examineContact({ production, extApi: { userAgent } }: CompleteSettings): Finding[] {
  if (!production || !userAgent.includes('contact not set')) return [];
  return [
    mind(
      'EXT_USER_AGENT',
      'names no contact',
      'the game’s provider wants to know whom to ask: name your instance and an address',
    ),
  ];
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

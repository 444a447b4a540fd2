import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { z } from 'zod';
import type { CompleteSettings } from '../config/settings.ts';
import { parseDocument } from '../provider/document.ts';
import { boundedFetch, jsonOf, ProviderError } from '../provider/http.ts';
import { createSso } from '../provider/sso.ts';
import { Metadata } from '../provider/sso-metadata.ts';
import type { Clock } from '../shared/clock.ts';
import { messageOf } from '../shared/message-of.ts';
import { parseVoiceUrl } from '../voice-server/address.ts';
import { withVoiceServer } from '../voice-server/voice-server.ts';
import { CLOCK_DIFFERENCE } from './database.ts';
import { bad, type Finding, good, mind } from './finding.ts';

/** Of one answer of anything outside; the largest is the document of the game's API. */
const LIMITS = { milliseconds: 5_000, bytes: 32 * 1024 * 1024 };
const request = boundedFetch(LIMITS);
const GIB = 1024 ** 3;
/** Disk space for the joined answers of one process, with a reserve. */
const ROOM = 2 * GIB;

interface Reached {
  readonly status: number;
  /** Undefined where it is no JSON. */
  readonly body: unknown;
  /** Milliseconds that the answer took. */
  readonly took: number;
  /** Milliseconds by which the server's clock is ahead of this machine's, as far as the answer tells. */
  readonly ahead: number;
}

/** What answers at an address. Its body has to be recognised: a parked domain or a proxy answers 200, too. */
interface Expected {
  readonly about: string;
  readonly url: string;
  readonly headers?: Record<string, string>;
  readonly body: string;
  isBody(body: unknown): boolean;
  readonly advice: string;
}

const Health = z.object({ status: z.literal('ok') });
const Unready = z.object({ detail: z.string() });
const GameStatus = z.object({ players: z.number() });
const matches = (schema: z.ZodTypeAny) => (body: unknown) => schema.safeParse(body).success;

async function reach({ url, headers = {} }: Expected): Promise<Reached | string> {
  const began = performance.now();
  try {
    const answer = await request(url, { headers });
    // A cache on the way tells when the answer was made, and how old it is.
    const age = Number(answer.headers.get('age') ?? 0) * 1000;
    const ahead = Date.parse(answer.headers.get('date') ?? '') + age - Date.now();
    const took = performance.now() - began;
    const body = await jsonOf(answer);
    return { status: answer.status, body, took, ahead: Number.isNaN(ahead) ? 0 : ahead };
  } catch (error) {
    return reasonOf(error);
  }
}

/** The innermost cause: that of `fetch` is only that it failed. */
function reasonOf(error: unknown): string {
  const { cause } = error as Error;
  return cause instanceof Error ? reasonOf(cause) : messageOf(error);
}

function judge({ about, url, body, isBody, advice }: Expected, found: Reached | string): Finding {
  const { host } = new URL(url);
  if (typeof found === 'string') return bad(about, `${host} cannot be reached: ${found}`, advice);
  const says = `${host} answers ${found.status} after ${Math.round(found.took)} ms`;
  if (found.status !== 200) return bad(about, says, advice);
  return isBody(found.body) ? good(about, says) : bad(about, `${says}, but not with ${body}`, advice);
}

const examineAddress = async (expected: Expected) => judge(expected, await reach(expected));

/** Checks the sign-on, by it this machine's clock, of which the database's may be a copy, and our credentials there. */
async function examineSignOn(settings: CompleteSettings, clock: Clock): Promise<Finding[]> {
  const found = await examineClock(settings.sso.url);
  return found.state === 'good' ? [found, await examineClient(settings, clock)] : [found];
}

/**
 * Checks our client id and secret with a refresh token that nobody has: it is refused only after they were accepted.
 */
async function examineClient(settings: CompleteSettings, clock: Clock): Promise<Finding> {
  const about = 'SSO_CLIENT_ID';
  try {
    await createSso({ settings, clock, limits: LIMITS }).refresh('of nobody');
  } catch (error) {
    const says = messageOf(error);
    return error instanceof ProviderError && error.fault === 'refused-client'
      ? bad(about, says, "nobody can sign in: set both as the game's pages for developers show them")
      : mind(about, says, 'whether it and its secret are right is not known');
  }
  return good(about, 'accepted, with its secret');
}

async function examineClock(ssoUrl: string): Promise<Finding> {
  const expected = {
    about: "the game's sign-on",
    url: `${ssoUrl}/.well-known/oauth-authorization-server`,
    body: 'the metadata of a sign-on',
    isBody: matches(Metadata),
    advice: 'nobody can sign in: is SSO_URL right, and may this machine connect outwards?',
  };
  const found = await reach(expected);
  const finding = judge(expected, found);
  if (finding.state !== 'good' || typeof found === 'string') return finding;
  // Beyond that the game's access tokens are not accepted.
  if (Math.abs(found.ahead) <= CLOCK_DIFFERENCE.bad) return finding;
  const apart = `${Math.round(Math.abs(found.ahead) / 1000)} s ${found.ahead > 0 ? 'ahead of' : 'behind'}`;
  return bad(
    expected.about,
    `the clock of ${new URL(ssoUrl).host} is ${apart} this machine's`,
    'its tokens are not accepted, so nobody can sign in: run NTP on this machine',
  );
}

/** Logs in at the voice server, if there is one: few commands, which leave room below its flood limit. */
async function examineVoice({ voice: { url } }: CompleteSettings): Promise<Finding[]> {
  if (url === undefined) return [];
  const about = 'voice server';
  const address = parseVoiceUrl(url);
  const limits = { connect: 5_000, command: 5_000, total: 10_000 };
  try {
    await withVoiceServer(address, { limits }, async () => undefined);
    return [good(about, `${address.host} lets us in, to server ${address.serverId}`)];
  } catch (error) {
    return [bad(about, messageOf(error), 'see "Settings" in docs/voice.md: is VOICE_URL right?')];
  }
}

/** Checks the game's sign-on and API, the redirect URL, and the voice server. */
export async function examineOutside(settings: CompleteSettings, clock: Clock): Promise<Finding[]> {
  const { extApi, baseUrl } = settings;
  const headers = { 'user-agent': extApi.userAgent, 'x-compatibility-date': extApi.compatibilityDate };
  const findings = await Promise.all([
    examineSignOn(settings, clock),
    examineAddress({
      about: "the game's API",
      url: `${extApi.url}/status`,
      headers,
      body: 'the state of the game',
      isBody: matches(GameStatus),
      advice: 'what is asked of the game waits: is EXT_API_URL right? For minutes after 11:00 UTC, wait',
    }),
    examineAddress({
      about: "the document of the game's API",
      url: extApi.specUrl,
      headers,
      body: 'an OpenAPI document',
      isBody: (body) => isDocument(body, extApi.scopePrefix),
      advice: 'nothing can be forwarded without it: is EXT_API_SPEC_URL right?',
    }),
    examineService(baseUrl),
    examineVoice(settings),
  ]);
  return findings.flat();
}

/** Checks that the service answers at its public address, and that it is ready: what is up may lack its database. */
async function examineService(baseUrl: string): Promise<Finding> {
  const expected = {
    about: 'BASE_URL',
    url: `${baseUrl}/healthz`,
    body: 'what castellan says',
    isBody: matches(Health),
    advice:
      'browsers cannot come back from a sign-in either: is the service running, and is BASE_URL its public address?',
  };
  const finding = await examineAddress(expected);
  if (finding.state !== 'good') return finding;
  const readiness = await reach({ ...expected, url: `${baseUrl}/readyz` });
  // A proxy may hide it.
  const unready = typeof readiness === 'object' && readiness.status === 503 ? readiness.body : undefined;
  const told = Unready.safeParse(unready);
  if (!told.success) return finding;
  const says = `${new URL(baseUrl).host} answers, but is not ready: ${told.data.detail}`;
  return bad(
    expected.about,
    says,
    'it can do nothing yet: see what this command says of the database, and its log',
  );
}

function isDocument(body: unknown, scopePrefix: string): boolean {
  try {
    parseDocument(body, scopePrefix);
    return true;
  } catch {
    return false;
  }
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

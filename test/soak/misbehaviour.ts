import { sql } from 'kysely';
import { type Fault, OAUTH_FAULTS, type OAuthFault } from '../../dev/provider/faults.ts';
import type { RecordedRequest } from '../../dev/provider/request-log.ts';
import type { TestApp } from '../harness/app.ts';

/** Short, so that what hangs costs little. */
export const LIMITS = { milliseconds: 1_000, bytes: 256 * 1024 };

const API_FAULTS: readonly Fault[] = [
  { kind: 'status', status: 500 },
  { kind: 'status', status: 502, as: 'html' },
  { kind: 'status', status: 503, as: 'text' },
  { kind: 'status', status: 504 },
  { kind: 'status', status: 429, retryAfter: 1 },
  { kind: 'status', status: 401 },
  { kind: 'odd 403' },
  { kind: 'not json' },
  { kind: 'redirect' },
  { kind: 'truncate' },
  { kind: 'reset' },
  { kind: 'lose answer' },
  { kind: 'oversized', bytes: 1024 * 1024 },
  { kind: 'hang' },
  { kind: 'drip' },
];
/** None of them means that a refresh token is dead. */
const SSO_FAULTS: readonly Fault[] = [
  ...(Object.keys(OAUTH_FAULTS) as OAuthFault[])
    .filter((error) => !OAUTH_FAULTS[error].deadly)
    .map((error) => ({ kind: 'oauth', error }) as const),
  { kind: 'unusable token answer' },
  { kind: 'status', status: 502, as: 'html' },
  { kind: 'status', status: 503, as: 'text' },
  { kind: 'reset' },
  { kind: 'lose answer' },
  { kind: 'truncate' },
  { kind: 'not json' },
  { kind: 'hang' },
];

export interface Misbehaviour {
  /** Other faults than before, and now and then another minute with another error limit. */
  goOn(): Promise<void>;
  /** Requests so far that the provider answered 420 although we could have known. */
  readonly banned: number;
  /** The refresh tokens that count as dead. */
  dead(): Promise<unknown[]>;
}

/** Everything that can go wrong at the provider, mixed at random. */
export function createMisbehaviour(app: TestApp, random: () => number): Misbehaviour {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  let last: RecordedRequest | undefined;
  let banned = 0;

  function misbehave(): void {
    const { faults } = app.provider;
    faults.clear();
    for (let n = 0; n < 3; n += 1) faults.add('api', pick(API_FAULTS), { probability: random() * 0.2 });
    faults.add('/v2/oauth/token', pick(SSO_FAULTS), { probability: random() * 0.5 });
    faults.downtime = random() < 0.03;
    app.provider.setRateLimit('char-wallet', 50 + Math.floor(random() * 100));
  }

  /** With another error limit, and some access tokens less. */
  async function nextMinute(): Promise<void> {
    app.clock.advance(61_000);
    app.provider.setErrorLimit({ perMinute: 40 + Math.floor(random() * 100) });
    await sql`update grants set access_expires_on = now() where random() < 0.3`.execute(app.db);
  }

  function countBans(): void {
    const { requests } = app.provider;
    const fresh = requests.slice(last === undefined ? 0 : requests.lastIndexOf(last) + 1);
    last = requests.at(-1);
    banned += fresh.filter(({ status, fault }) => status === 420 && fault === null).length;
  }

  return {
    async goOn() {
      countBans();
      misbehave();
      if (random() < 0.8) await nextMinute();
    },
    get banned() {
      countBans();
      return banned;
    },
    dead: () =>
      app.db.selectFrom('grants').select(['character_id', 'cause']).where('valid', '=', false).execute(),
  };
}

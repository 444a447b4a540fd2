import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ProviderRequest } from '../../server/provider/client.ts';
import { type Fault, OAUTH_FAULTS, type OAuthFault } from '../../server/simulated/faults.ts';
import { sequence } from '../../server/simulated/random.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { addGrant, otherProcess, outcomeOf, ownRecord } from '../harness/provider.ts';
import { progressOf } from './progress.ts';

/** Calls of the whole run; fewer for a quick look. */
const CALLS = Number(process.env['SOAK_CALLS'] ?? 10_000);
const AT_ONCE = 24;
const USERS = 20;
const LIMITS = { milliseconds: 1_000, bytes: 256 * 1024 };
const SEED = Number(process.env['SOAK_SEED'] ?? 1);

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
/** What may come of a call: an answer below 500, or one of the errors that are named. */
const EXPECTED = new Set<string | number>([
  ...[200, 401, 403, 404, 'unreachable', 'timeout', 'too-large', 'unusable', 'exhausted', 'caller-exhausted'],
]);

describe(`D33: ${CALLS} calls in two processes while everything fails at random`, () => {
  let app: TestApp;
  let other: ReturnType<typeof otherProcess>;
  const users = Array.from({ length: USERS }, (_, n) => 2_112_000_001 + n);
  const random = sequence(SEED);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;

  beforeAll(async () => {
    app = await startTestApp({ providerLimits: LIMITS });
    other = otherProcess(app, { limits: LIMITS });
    await app.app.parts.document.current();
    await other.document.current();
    for (const user of users) await addGrant(app, user);
  });
  afterAll(async () => {
    await other.stop();
    await app.stop();
  });

  function randomRequest(): ProviderRequest {
    const on = random() < 0.3 ? 'service' : { caller: `caller ${pick(users)}` };
    const user = pick(users);
    if (random() < 0.5)
      return {
        ...ownRecord(user, pick(['skills', 'location', 'wallet'] as const), on),
        anew: random() < 0.5,
      };
    if (random() < 0.1) return { path: '/universe/names', body: [98_000_001, pick(users)], on };
    const id = 98_000_001 + Math.floor(random() * 40);
    return { path: `/corporations/${id}`, on, anew: random() < 0.5 };
  }

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

  it('ends in answers and named errors; no refresh token dies; nobody asks while banned', async () => {
    const outcomes = new Map<string | number, number>();
    const unexpected: unknown[] = [];
    let banned = 0;
    let seen = 0;
    /** Requests that the provider answered 420 although we could have known. */
    const countBans = () => {
      const fresh = app.provider.requests.slice(seen);
      seen += fresh.length;
      banned += fresh.filter(({ status, fault }) => status === 420 && fault === null).length;
    };
    const progress = progressOf('calls', CALLS);
    for (let made = 0; made < CALLS; made += AT_ONCE * 4) {
      progress(made);
      misbehave();
      if (random() < 0.8) await nextMinute();
      await Promise.all(
        Array.from({ length: AT_ONCE }, async (_, lane) => {
          const { client } = lane % 2 ? other : app.app.parts;
          for (let n = 0; n < 4; n += 1) {
            const outcome = await outcomeOf(client.ask(randomRequest())).catch((error: unknown) => {
              unexpected.push(error);
              return 'crash';
            });
            outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
          }
        }),
      );
      countBans();
    }
    process.stdout.write(
      `${JSON.stringify({ seed: SEED, outcomes: Object.fromEntries(outcomes), banned })}\n`,
    );
    expect(unexpected).toEqual([]);
    expect([...outcomes.keys()].filter((outcome) => !EXPECTED.has(outcome))).toEqual([]);
    expect(outcomes.get(200)).toBeGreaterThan(CALLS / 10);
    expect(banned).toBe(0);
    const grants = await app.db.selectFrom('grants').select(['valid', 'cause']).execute();
    expect(grants).toHaveLength(USERS);
    expect(grants.filter(({ valid }) => !valid)).toEqual([]);
  });

  it('all is well when the provider is', async () => {
    app.provider.reset();
    app.clock.advance(3_600_000);
    for (const user of users) expect(await outcomeOf(app.app.parts.client.ask(ownRecord(user)))).toBe(200);
  });
});

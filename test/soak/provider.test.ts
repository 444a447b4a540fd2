import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sequence } from '../../dev/world/random.ts';
import type { ProviderRequest } from '../../server/provider/client.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { addGrant, otherProcess, outcomeOf, ownRecord } from '../harness/provider.ts';
import { createMisbehaviour, LIMITS } from './misbehaviour.ts';
import { progressOf } from './progress.ts';

/** Calls of the whole run; fewer for a quick look. */
const CALLS = Number(process.env['SOAK_CALLS'] ?? 10_000);
const AT_ONCE = 24;
const USERS = 20;
const SEED = Number(process.env['SOAK_SEED'] ?? 1);

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
    await app.app.services.document.current();
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

  it('ends in answers and named errors; no refresh token dies; nobody asks while banned', async () => {
    const outcomes = new Map<string | number, number>();
    const unexpected: unknown[] = [];
    const misbehaviour = createMisbehaviour(app, random);
    const progress = progressOf('calls', CALLS);
    for (let made = 0; made < CALLS; made += AT_ONCE * 4) {
      progress(made);
      await misbehaviour.goOn();
      await Promise.all(
        Array.from({ length: AT_ONCE }, async (_, lane) => {
          const { client } = lane % 2 ? other : app.app.services;
          for (let n = 0; n < 4; n += 1) {
            const outcome = await outcomeOf(client.ask(randomRequest())).catch((error: unknown) => {
              unexpected.push(error);
              return 'crash';
            });
            outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
          }
        }),
      );
    }
    const { banned } = misbehaviour;
    process.stdout.write(
      `${JSON.stringify({ seed: SEED, outcomes: Object.fromEntries(outcomes), banned })}\n`,
    );
    expect(unexpected).toEqual([]);
    expect([...outcomes.keys()].filter((outcome) => !EXPECTED.has(outcome))).toEqual([]);
    expect(outcomes.get(200)).toBeGreaterThan(CALLS / 10);
    expect(banned).toBe(0);
    expect(await misbehaviour.dead()).toEqual([]);
  });

  it('all is well when the provider is', async () => {
    app.provider.reset();
    app.clock.advance(3_600_000);
    for (const user of users) expect(await outcomeOf(app.app.services.client.ask(ownRecord(user)))).toBe(200);
  });
});

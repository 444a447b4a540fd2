import { isUnreachable } from '../database/errors.ts';
import { inTransaction } from '../database/transaction.ts';
import { userTarget } from '../event/record.ts';
import { guardMassChange, storeRefusal } from '../guard/mass-change-guard.ts';
import type { Death } from '../provider/access-token-source.ts';
import { type AdaptiveLimit, createAdaptiveLimit, STOPPED_BY_SIGNAL } from '../provider/adaptive-limit.ts';
import { ProviderError } from '../provider/http.ts';
import type { Run } from '../queue/run.ts';
import type { Services } from '../services/services.ts';
import type { Clock } from '../shared/clock.ts';
import {
  type CheckPlace,
  countToCheck,
  findToCheck,
  type GrantToCheck,
  makeDue,
  markAllInvalid,
  postponeChecks,
} from './check-grants.queries.ts';
import { grantBinding, lockGrants } from './grant.queries.ts';
import { recordDeaths } from './grant-events.ts';

type CheckServices = Pick<Services, 'db' | 'vault' | 'clock' | 'access' | 'log' | 'outages' | 'metrics'>;

/** Grants read by one statement, which are also the requests that may wait in memory. */
const PAGE = 200;
/** The dependency's name in the log. */
const SUBJECT = 'the check of refresh tokens';
const BOUNDS = { concurrency: 8, failuresAtStart: 3, failuresInARow: 10 };
/** Timeout of one refresh in milliseconds, including the wait for a refresh by another process. */
const WITHIN = 20_000;
/**
 * Milliseconds after which a grant whose check gave no result is due again, behind the others. The next run has it,
 * too, as each takes all that are due within that time: without such grants it might find fewer dead ones than the
 * guard holds back, and invalidate those.
 */
const AGAIN_AFTER = 5 * 60_000;
/**
 * The same where the sign-on answered for nearly all others: longer than from one run to the next, so that there are
 * runs without a grant that always fails. Not after an outage: the next run has to show the guard all of these grants.
 */
const ALONE_AGAIN_AFTER = 25 * 60_000;
/**
 * A run that fails for a larger share of users does not count for the guard (D63); a single odd answer is no outage.
 */
const FAILING = 0.005;
/** Milliseconds: a check that is due later than this was put off by a clock that is ahead. */
const LATEST = 60 * 60_000;

interface Check {
  readonly run: Run;
  readonly limit: AdaptiveLimit;
  readonly deaths: Death[];
  /** Ids of the grants whose check gave no result. */
  readonly unknown: string[];
}

/**
 * Checks refresh tokens at the provider's sign-on: those that were not used there for 40 to 45 minutes, or all in a run
 * that an administrator requested, each once. So tracking is at most an hour old, except for single tokens whose check
 * failed, and access tokens are at hand before they are needed. The tokens that the sign-on declares invalid (D34) are
 * marked together at the end, unless they are suspiciously many (D63).
 *
 * @throws Error when the run was stopped (the next run continues), or when the sign-on is failing; its verdicts of this
 * run are then discarded
 */
export async function checkGrants(services: CheckServices, run: Run): Promise<void> {
  const { db, clock } = services;
  const check: Check = {
    run,
    limit: createAdaptiveLimit(BOUNDS, run.signal),
    deaths: [],
    unknown: [],
  };
  const now = clock.now();
  await makeDue(db, now, run.asked ? now : new Date(now.getTime() + LATEST));
  // Those whose check gives no result in this run are due later than that, so it takes none of them twice.
  const dueBy = new Date(now.getTime() + AGAIN_AFTER - 1);
  const total = await countToCheck(db, dueBy);
  const characters = new Set<number>();
  let done = 0;
  let after: CheckPlace | undefined;
  do {
    const page = await findToCheck(db, { dueBy, after, most: PAGE });
    after = page.length === PAGE ? page.at(-1) : undefined;
    await Promise.all(
      page.map(async (grant) => {
        const slot = await check.limit.acquire();
        if (slot === undefined) return;
        try {
          await checkGrant(services, check, grant);
        } catch (error) {
          // Others of the page would be checked beside the next attempt.
          check.limit.stop('a check failed');
          throw error;
        } finally {
          slot.release();
        }
        characters.add(grant.character_id);
        done += 1;
        run.progress(done, Math.max(done, total));
      }),
    );
  } while (after !== undefined && check.limit.stopped === undefined);
  const { stopped } = check.limit;
  // At the time limit the results so far are applied: otherwise a run that always takes too long would never apply any.
  if (stopped === undefined || stopped === STOPPED_BY_SIGNAL)
    await invalidateDead(services, check, characters.size);
  const { unknown } = check;
  if (stopped === undefined && (unknown.length === 1 || isHealthy(check, characters.size))) {
    await postponeChecks(db, unknown, { dueAfter: now, until: later(clock, ALONE_AGAIN_AFTER) });
  }
  if (stopped !== undefined) {
    throw new Error(`the check of refresh tokens ended after ${done} of ${total}: ${stopped}`);
  }
}

async function checkGrant(services: CheckServices, check: Check, grant: GrantToCheck): Promise<void> {
  const { db, vault, clock, access, outages } = services;
  const { limit, deaths, unknown } = check;
  const { grant_id: id, character_id: characterId, access_token: encrypted } = grant;
  try {
    // Also when it is still valid: the check is about whether the refresh token gives a new one.
    const refused =
      encrypted === null ? undefined : vault.decrypt(encrypted, grantBinding(id, 'access_token'));
    const held = { ...grant, access_expires_on: null, cut_off: false };
    const dead = (death: Death) => void deaths.push(death);
    await access.of(held, characterId, performance.now() + WITHIN, { refused, dead });
    limit.succeeded();
    outages.worked(SUBJECT);
  } catch (error) {
    const told = { err: error, grant_id: id, character_id: characterId };
    outages.failed(SUBJECT, told, 'a refresh token could not be checked');
    if (isUnreachable(error)) return limit.stop('the database cannot be reached');
    // Errors of our own, such as a missing key, say nothing about the sign-on.
    if (error instanceof ProviderError) limit.failed(error.message);
    unknown.push(id);
    await postponeChecks(db, [id], { until: later(clock, AGAIN_AFTER) });
  }
}

function later(clock: Clock, milliseconds: number): Date {
  return new Date(clock.now().getTime() + milliseconds);
}

function isHealthy({ limit }: Check, lookedAt: number): boolean {
  return limit.failures <= lookedAt * FAILING;
}

/** Marks invalid what the provider declared invalid, unless these are too many at once (D34, D63). */
async function invalidateDead(services: CheckServices, check: Check, lookedAt: number): Promise<void> {
  const { run, deaths, limit, unknown } = check;
  const { db, clock, log } = services;
  const losers = [...new Set(deaths.map(({ characterId }) => characterId))];
  const losses = {
    lookedAt,
    losses: deaths.map(({ characterId, grantId }) => [characterId, grantId] as const),
    details: () =>
      losers.map((id) => ({
        target: userTarget(id),
        changes: [{ field: 'refresh_token', before: 'valid', after: 'invalid' }],
      })),
    healthy: isHealthy(check, lookedAt),
    complete: limit.stopped === undefined && unknown.length === 0,
  };
  const { invalid, refusal } = await inTransaction(db, async (tx) => {
    const refusal = await guardMassChange(tx, services, run, losses);
    if (refusal !== undefined) return { invalid: [], refusal };
    await lockGrants(tx, losers);
    const marked = await markAllInvalid(tx, deaths, clock.now());
    const told = deaths.filter(({ grantId }) => marked.includes(grantId));
    await recordDeaths(tx, told, clock.now());
    return { invalid: marked, refusal };
  });
  await storeRefusal(services, refusal);
  const buried = new Set(invalid);
  for (const { grantId, characterId, cause } of deaths) {
    if (!buried.has(grantId)) continue;
    log.info({ character_id: characterId, grant_id: grantId, cause }, 'a refresh token is dead');
  }
}

import { isUnreachable } from '../database/errors.ts';
import { inTransaction } from '../database/transaction.ts';
import { userTarget } from '../event/record.ts';
import { guardMassChange } from '../guard/mass-change-guard.ts';
import type { AccessTokens, Death } from '../provider/access-token-source.ts';
import { type AdaptiveLimit, createAdaptiveLimit, STOPPED_BY_SIGNAL } from '../provider/adaptive-limit.ts';
import { ProviderError } from '../provider/http.ts';
import type { Run } from '../queue/run.ts';
import type { Services } from '../services/services.ts';
import { createAccessTokens } from './access-tokens.ts';
import {
  type CheckPlace,
  countToCheck,
  findToCheck,
  type GrantToCheck,
  markAllInvalid,
  postponeCheck,
} from './check-grants.queries.ts';
import { grantPlace } from './grant.queries.ts';
import { recordDeaths } from './grant-events.ts';

type CheckServices = Pick<Services, 'db' | 'vault' | 'clock' | 'sso' | 'log' | 'outages' | 'metrics'>;

/** Grants in one statement, and those that wait for their answers in memory. */
const PAGE = 200;
/** As the log names it. */
const SUBJECT = 'the check of refresh tokens';
const BOUNDS = { concurrency: 8, failuresAtStart: 3, failuresInARow: 10 };
/** Milliseconds for one refresh, its waiting for another process included. */
const WITHIN = 20_000;
/** Milliseconds after which a grant is tried again that nothing was learned about. */
const AGAIN_AFTER = 5 * 60_000;

interface Check {
  readonly run: Run;
  readonly tokens: AccessTokens;
  readonly limit: AdaptiveLimit;
  readonly deaths: Death[];
}

/**
 * Asks the sign-on whether refresh tokens live that it was not asked about for 40 to 45 minutes, each once in a run,
 * so that tracking is true within the hour and access tokens are at hand before they are needed. Those that it calls
 * dead (D34) become invalid together at the end, if they are not suspiciously many (D63).
 *
 * @throws Error when the run was told to end, the rest being left to the next one, or when the sign-on is sick: then
 *   what it called dead is left to that, too
 */
export async function checkGrants(services: CheckServices, run: Run): Promise<void> {
  const { db, clock } = services;
  const check: Check = {
    run,
    tokens: createAccessTokens(services),
    limit: createAdaptiveLimit(BOUNDS, run.signal),
    deaths: [],
  };
  const now = clock.now();
  const total = await countToCheck(db, now);
  const characters = new Set<number>();
  let done = 0;
  let after: CheckPlace | undefined;
  do {
    const page = await findToCheck(db, { now, after, most: PAGE });
    after = page.length === PAGE ? page.at(-1) : undefined;
    await Promise.all(
      page.map(async (grant) => {
        const slot = await check.limit.acquire();
        if (slot === undefined) return;
        try {
          await checkGrant(services, check, grant);
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
  // What is out of time has learned what it has: else a run that is always too long would never say so.
  if (stopped === undefined || stopped === STOPPED_BY_SIGNAL)
    await invalidateDead(services, check, characters.size);
  if (stopped !== undefined) {
    throw new Error(`the check of refresh tokens ended after ${done} of ${total}: ${stopped}`);
  }
}

async function checkGrant(services: CheckServices, check: Check, grant: GrantToCheck): Promise<void> {
  const { db, vault, clock, outages } = services;
  const { tokens, limit, deaths } = check;
  const { grant_id: id, character_id: characterId, access_token: sealed } = grant;
  try {
    // Whatever its age: what shall be known is whether another one can be had.
    const refused = sealed === null ? undefined : vault.open(sealed, grantPlace(id, 'access_token'));
    const held = { ...grant, access_expires_on: null, cut_off: false };
    const dead = (death: Death) => void deaths.push(death);
    await tokens.of(held, characterId, performance.now() + WITHIN, { refused, dead });
    limit.succeeded();
    outages.worked(SUBJECT);
  } catch (error) {
    const told = { err: error, grant_id: id, character_id: characterId };
    outages.failed(SUBJECT, told, 'a refresh token could not be checked');
    if (isUnreachable(error)) return limit.stop('the database cannot be reached');
    // What is our own fault, as a key that is gone, says nothing about the sign-on.
    if (error instanceof ProviderError) limit.failed(error.message);
    await postponeCheck(db, id, new Date(clock.now().getTime() + AGAIN_AFTER));
  }
}

/** The provider's word on each of them counts unless it says so of too many at once (D34, D63). */
async function invalidateDead(
  services: CheckServices,
  { run, deaths, limit }: Check,
  lookedAt: number,
): Promise<void> {
  const { db, clock, log } = services;
  const losers = [...new Set(deaths.map(({ characterId }) => characterId))];
  const ids = deaths.map(({ grantId }) => grantId).sort();
  const losses = {
    lookedAt,
    losers,
    changes: ids.join(' '),
    details: () =>
      losers.map((id) => ({
        target: userTarget(id),
        changes: [{ field: 'refresh_token', before: 'valid', after: 'invalid' }],
      })),
    healthy: limit.failures === 0,
  };
  const invalid = await inTransaction(db, async (tx) => {
    if (!(await guardMassChange(tx, services, run, losses))) return [];
    const marked = await markAllInvalid(tx, deaths, clock.now());
    const told = deaths.filter(({ grantId }) => marked.includes(grantId));
    await recordDeaths(tx, told, clock.now());
    return marked;
  });
  const buried = new Set(invalid);
  for (const { grantId, characterId, cause } of deaths) {
    if (!buried.has(grantId)) continue;
    log.info({ character_id: characterId, grant_id: grantId, cause }, 'a refresh token is dead');
  }
}

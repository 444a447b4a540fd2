import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { Database } from '../database/tables.ts';
import type { Clock } from '../shared/clock.ts';
import { type ReservationRequest, reserve, type Verdict } from './budget.queries.ts';
import { type BudgetAccount, ERRORS_OF_A_CALLER, keptFrom } from './error-budget.ts';
import { ProviderError } from './http.ts';
import { DEAREST_ANSWER } from './rate-bucket.ts';

/** Milliseconds between two attempts while others hold the budget: first and maximum. */
const FIRST_LOOK = 15;
const SLOWEST_LOOK = 250;

export interface Reservation {
  readonly wanted: ReservationRequest;
  readonly verdict: Verdict;
}

/**
 * Reserves the maximum cost of one request in all budgets: one error of the provider's limit, one of its caller's, and
 * the tokens of its bucket. Waits while others have reserved what is left.
 *
 * @param deadline in terms of `performance.now()`
 * @throws ProviderError `exhausted` or `caller-exhausted` with the seconds to wait; `timeout` at the deadline
 */
export async function takeBudget(
  { db, clock }: { readonly db: Kysely<Database>; readonly clock: Clock },
  request: {
    readonly on: BudgetAccount;
    readonly onHeldUp: (() => void) | undefined;
    readonly counted: boolean;
    readonly bucket: ReservationRequest['bucket'];
  },
  deadline: number,
): Promise<Reservation> {
  const caller = typeof request.on === 'string' ? undefined : request.on.caller;
  for (let look = FIRST_LOOK; ; look = Math.min(look * 2, SLOWEST_LOOK)) {
    const left = deadline - performance.now();
    if (left <= 0) throw new ProviderError('timeout', 'there was no time left to ask within the limits');
    const wanted: ReservationRequest = {
      now: clock.real ? undefined : clock.now(),
      kept: keptFrom(request.on),
      counted: request.counted,
      leaseSeconds: left / 1000,
      bucket: request.bucket,
      bucketCost: DEAREST_ANSWER,
      caller,
      callerLimit: ERRORS_OF_A_CALLER,
    };
    const verdict = await reserve(db, wanted);
    if (verdict.outcome === 'go') return { wanted, verdict };
    if (verdict.outcome !== 'wait') throw refusal(verdict, wanted);
    if (verdict.seconds !== null) request.onHeldUp?.();
    await sleep(Math.min(look * (0.5 + Math.random()), Math.max(left, 1)));
  }
}

const WHY = {
  banned: 'the provider refuses us for the rest of its minute',
  'used-up': "what may be used of the provider's error limit is used up",
  bucket: "the provider's rate limit for this group of operations is used up",
  caller: 'this caller has caused too many errors',
} as const;

function refusal({ outcome, seconds }: Verdict, { bucket }: ReservationRequest): ProviderError {
  const kind = outcome as keyof typeof WHY;
  return new ProviderError(kind === 'caller' ? 'caller-exhausted' : 'exhausted', WHY[kind], {
    retryAfter: Math.max(Math.ceil(seconds ?? 1), 1),
    ofCharacter: kind === 'bucket' && (bucket?.characterId ?? 0) > 0,
  });
}

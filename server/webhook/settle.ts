import { RETRIES } from '../../contract/webhook.ts';
import { inTransaction } from '../database/transaction.ts';
import type { Services } from '../services/services.ts';
import { putBack, type Settled, settleDeliveries } from './delivery.queries.ts';
import { disable } from './disable.ts';
import type { Parcel } from './take.ts';
import { lockWebhook, setWebhook } from './webhook.queries.ts';

/** What came of one try. */
export interface Outcome {
  readonly parcel: Pick<Parcel, 'delivery_id' | 'position' | 'tries'>;
  readonly on: Date;
  readonly status: number | null;
  readonly fault: string | null;
  /** Milliseconds for which the receiver asked to be left alone. */
  readonly retryAfter: number | undefined;
}

/** From so many failures in a row on, a receiver counts as failing: it is tried by one delivery at a time, and not always. */
export const FAILING = 5;
/** Milliseconds between the tries of a failing one: doubled by each, up to these. */
const LONGEST_PAUSE = 60_000;
/** Share of a pause by which it is longer at the most, so that what failed together does not come together. */
const JITTER = 0.1;
const TOO_MANY_REQUESTS = 429;
const UNAVAILABLE = 503;
const GONE = 410;

/** Only 2xx says that a delivery has arrived (D93). */
export function arrived({ status }: Pick<Outcome, 'status'>): boolean {
  return status !== null && status >= 200 && status < 300;
}

/** Whether its receiver wants nothing else either for a while. */
export function asksForPause({ status, retryAfter }: Pick<Outcome, 'status' | 'retryAfter'>): boolean {
  return retryAfter !== undefined && (status === TOO_MANY_REQUESTS || status === UNAVAILABLE);
}

/**
 * Writes down what came of tries, in one transaction however many, and lets go of what was not begun. A delivery that
 * failed waits for its next try (D93); one that failed for the last time, or a 410, disables the webhook. Answers whether
 * the webhook delivers anything any more.
 */
export async function settle(
  { db, clock, log }: Pick<Services, 'db' | 'clock' | 'log'>,
  webhookId: string,
  outcomes: readonly Outcome[],
  notBegun: readonly string[],
): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const webhook = await lockWebhook(tx, webhookId);
    if (webhook === undefined) return false;
    const now = clock.now();
    const rows = outcomes.map(toRow);
    await settleDeliveries(tx, webhookId, rows);
    await putBack(tx, webhookId, notBegun, now);
    const standing = standingAfter(webhook, outcomes, now);
    if (
      standing.failures !== webhook.failures ||
      standing.paused_until?.getTime() !== webhook.paused_until?.getTime()
    ) {
      await setWebhook(tx, webhookId, standing);
    }
    if (webhook.disabled_on !== null) return false;
    if (outcomes.some(({ status }) => status === GONE)) {
      await disable(tx, { log }, webhook, 'gone', now);
      return false;
    }
    if (outcomes.some(({ parcel }, n) => parcel.position !== null && rows[n]?.state === 'failed')) {
      await disable(tx, { log }, webhook, 'undeliverable', now);
      return false;
    }
    return true;
  });
}

function toRow(outcome: Outcome): Settled {
  const { parcel, on, status, fault, retryAfter = 0 } = outcome;
  const { delivery_id, position, tries } = parcel;
  const told = { delivery_id, tried_on: on, status, fault };
  if (arrived(outcome)) return { ...told, state: 'delivered', next_try_on: null };
  const pause = RETRIES[tries];
  // Tests are tried once.
  if (pause === undefined || position === null || status === GONE) {
    return { ...told, state: 'failed', next_try_on: null };
  }
  const usual = pause * 1000 * (1 + Math.random() * JITTER);
  return {
    ...told,
    state: 'waiting',
    next_try_on: new Date(on.getTime() + Math.max(usual, retryAfter)),
  };
}

interface Standing {
  readonly failures: number;
  readonly paused_until: Date | null;
}

/** One success, a test's too, says that the receiver is well. */
export function standingAfter(before: Standing, outcomes: readonly Outcome[], now: Date): Standing {
  const failed = outcomes.filter((outcome) => outcome.parcel.position !== null && !arrived(outcome));
  const asked = Math.max(0, ...outcomes.filter(asksForPause).map(({ retryAfter = 0 }) => retryAfter));
  // A pause that was asked for is nobody's to shorten: not what was under way when it was.
  const until = (pause: number) => {
    const end = Math.max(now.getTime() + pause, before.paused_until?.getTime() ?? 0);
    return end > now.getTime() ? new Date(end) : null;
  };
  if (outcomes.some(arrived)) return { failures: 0, paused_until: until(asked) };
  if (failed.length === 0) return before;
  const failures = before.failures + failed.length;
  const own = failures < FAILING ? 0 : Math.min(1000 * 2 ** (failures - FAILING), LONGEST_PAUSE);
  return { failures, paused_until: until(Math.max(own, asked)) };
}

import { RETRIES } from '../../contract/webhook.ts';
import { sharedTime } from '../database/clock.queries.ts';
import { inTransaction } from '../database/transaction.ts';
import type { Services } from '../services/services.ts';
import { FAILING, putBack, type Released, type Settled, settleDeliveries } from './delivery.queries.ts';
import { disable } from './disable.ts';
import { rightsOf, versionOf } from './rights.ts';
import type { Parcel } from './take.ts';
import { lockFreeWebhook, setWebhook } from './webhook.queries.ts';

/** The outcome of one try. */
export interface Outcome {
  readonly parcel: Omit<Parcel, 'body'>;
  /** Where it was sent. */
  readonly url: string;
  /** When it began. */
  readonly on: Date;
  readonly status: number | null;
  readonly fault: string | null;
  /** Milliseconds of pause that the receiver asked for by `Retry-After`. */
  readonly retryAfter: number | undefined;
}

/**
 * Maximum pause in milliseconds between tries at a failing receiver; the pause doubles with each failure. It is no longer
 * than the time after which a delivery is retried at first.
 */
const LONGEST_PAUSE = RETRIES[0] * 1000;
/** Maximum random share by which a pause is lengthened, so that deliveries that failed together are spread. */
const JITTER = 0.1;
const TOO_MANY_REQUESTS = 429;
const UNAVAILABLE = 503;
const GONE = 410;

/** Whether the delivery has arrived: only a 2xx means that (D93). */
export function arrived({ status }: Pick<Outcome, 'status'>): boolean {
  return status !== null && status >= 200 && status < 300;
}

/** Whether the receiver asks for a pause of all deliveries. */
export function asksForPause({ status, retryAfter }: Pick<Outcome, 'status' | 'retryAfter'>): boolean {
  return retryAfter !== undefined && (status === TOO_MANY_REQUESTS || status === UNAVAILABLE);
}

/**
 * Stores the outcomes of any number of tries and releases the deliveries that were not sent, in one transaction. A
 * failed delivery waits for its next try (D93); the failure of the last try, or a 410, disables the webhook. What came
 * from a former URL says nothing of the present one: what it did not accept is sent there. Neither does the failure of a
 * delivery that was asked for anew meanwhile, by a retry or a replay.
 *
 * @returns what a claim would rest on now, as the `version` of one that was made; undefined if nothing would be claimed
 * @throws WebhookLocked when somebody else has locked the webhook
 */
export async function settle(
  { db, clock, log }: Pick<Services, 'db' | 'clock' | 'log'>,
  webhookId: string,
  outcomes: readonly Outcome[],
  notBegun: readonly Released[],
): Promise<string | undefined> {
  return inTransaction(db, async (tx) => {
    const webhook = await lockFreeWebhook(tx, webhookId);
    if (webhook === undefined) return undefined;
    const now = await sharedTime(tx, clock);
    const ahead = clock.now().getTime() - now.getTime();
    const present = outcomes.filter(({ url }) => url === webhook.url);
    const former = outcomes.filter(({ url }) => url !== webhook.url);
    const elsewhere = former.filter((outcome) => outcome.parcel.position !== null && !arrived(outcome));
    const settled = await settleDeliveries(
      tx,
      webhookId,
      outcomes.filter((outcome) => !elsewhere.includes(outcome)).map((outcome) => toRow(outcome, now, ahead)),
    );
    const anew = elsewhere.map(({ parcel }) => parcel);
    await putBack(tx, webhookId, { unsent: notBegun, anew }, now);
    const backoff = backoffAfter(webhook, present, now);
    if (
      backoff.failures !== webhook.failures ||
      backoff.paused_until?.getTime() !== webhook.paused_until?.getTime()
    ) {
      await setWebhook(tx, webhookId, backoff);
    }
    if (webhook.disabled_on !== null) return undefined;
    if (present.some(({ status }) => status === GONE)) {
      await disable(tx, { log }, webhook, 'gone', now);
      return undefined;
    }
    const failed = new Set(
      settled.flatMap(({ delivery_id, state }) => (state === 'failed' ? [delivery_id] : [])),
    );
    if (present.some(({ parcel }) => parcel.position !== null && failed.has(parcel.delivery_id))) {
      await disable(tx, { log }, webhook, 'undeliverable', now);
      return undefined;
    }
    const rights = await rightsOf(tx, webhook);
    return rights && versionOf(webhook, rights);
  });
}

/**
 * @param now from which the pause until the next try counts: the try may have taken longer than that
 * @param ahead milliseconds by which the clock of the outcome is ahead of the one that all processes share
 */
function toRow(outcome: Outcome, now: Date, ahead: number): Settled {
  const { parcel, status, fault, retryAfter = 0 } = outcome;
  const { delivery_id, position, tries } = parcel;
  const tried_on = new Date(outcome.on.getTime() - ahead);
  const told = { delivery_id, tries, tried_on, status, fault };
  if (arrived(outcome)) return { ...told, state: 'delivered', next_try_on: null };
  const pause = RETRIES[tries];
  // Test deliveries are tried once.
  if (pause === undefined || position === null || status === GONE) {
    return { ...told, state: 'failed', next_try_on: null };
  }
  const usual = pause * 1000 * (1 + Math.random() * JITTER);
  return {
    ...told,
    state: 'waiting',
    next_try_on: new Date(now.getTime() + Math.max(usual, retryAfter)),
  };
}

interface Backoff {
  readonly failures: number;
  readonly paused_until: Date | null;
}

/** Counts the failures in a row and computes the pause. One success, of a test too, ends the count. */
export function backoffAfter(before: Backoff, outcomes: readonly Outcome[], now: Date): Backoff {
  const failed = outcomes.filter((outcome) => outcome.parcel.position !== null && !arrived(outcome));
  const asked = Math.max(0, ...outcomes.filter(asksForPause).map(({ retryAfter = 0 }) => retryAfter));
  // Never shortens a pause: the results of requests that were sent before it arrive after it began.
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

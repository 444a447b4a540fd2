import { setTimeout as sleep } from 'node:timers/promises';
import type { Services } from '../services/services.ts';
import type { Semaphore } from '../shared/semaphore.ts';
import { waitAtMost } from '../shared/wait-at-most.ts';
import { CLAIMED_FOR, FAILING, type Released } from './delivery.queries.ts';
import { post, TIME_LIMIT } from './post.ts';
import { arrived, asksForPause, type Outcome, settle } from './settle.ts';
import { type Destination, type Parcel, take } from './take.ts';
import { WebhookLocked } from './webhook.queries.ts';

type LaneServices = Pick<Services, 'db' | 'clock' | 'vault' | 'log' | 'outages' | 'settings'>;

/** Sends the deliveries of one webhook that this process has claimed. */
export interface Lane {
  /** Makes the lane look for deliveries. */
  wake(): void;
  /** Sends nothing more, waits briefly for pending requests, and releases the other deliveries. */
  stop(): Promise<void>;
}

/** Concurrent requests to one receiver; an ordered webhook has one. */
const PARALLEL = 32;
/** Concurrent requests of a process: each lane has an equal share, and at least one, so that none waits for another. */
const PARALLEL_IN_ALL = 512;
/** Maximum number of claimed deliveries that wait to be sent; below {@link FEW} more are claimed. */
const IN_HAND = 256;
const FEW = 96;
/** Milliseconds before the database is used again after a failure. */
const AGAIN_AFTER = 2_000;
/** Milliseconds before a webhook is tried again that somebody else has locked. */
const LOCKED_FOR = 100;
/** Milliseconds that a stop waits for pending requests. */
const STOP_WITHIN = 3_000;

/** A claimed delivery that waits to be sent. */
interface InHand {
  readonly parcel: Parcel;
  readonly to: Destination;
  /** Until when it may be sent, by `performance.now`: well before the claim expires. */
  readonly until: number;
}

/** The lanes of a process, and their requests that are under way. */
export interface Traffic {
  readonly lanes: () => number;
  requests: number;
}

/**
 * Starts the lane of a webhook. It makes one database call at a time, each for many deliveries: first to store results,
 * then to claim more. Requests to the receiver continue meanwhile.
 *
 * @param atDatabase limits the lanes that use the database concurrently
 * @param traffic shared by all lanes
 * @param onRest called whenever nothing is left to do
 */
export function openLane(
  services: LaneServices,
  webhookId: string,
  atDatabase: Semaphore,
  traffic: Traffic,
  onRest: () => void,
): Lane {
  const waiting: InHand[] = [];
  const underWay = new Map<Promise<void>, AbortController>();
  let outcomes: Outcome[] = [];
  let released: Released[] = [];
  let version: string | undefined;
  let ordered = false;
  let failures = 0;
  let wanted = false;
  let stopped = false;
  let work: Promise<void> | undefined;

  /** Starts whatever can be done now: requests to the receiver, and one database call. */
  function advance(): void {
    begin();
    if (work !== undefined) return;
    if (outcomes.length > 0 || released.length > 0) work = ask(storeOutcomes);
    else if (wanted && !stopped && hasRoom()) work = ask(fetchMore);
    else if (underWay.size === 0 && waiting.length === 0) onRest();
  }

  async function ask(doing: () => Promise<void>): Promise<void> {
    try {
      await doing();
      services.outages.worked('webhooks');
    } catch (error) {
      // Claimed deliveries whose results were lost are claimed again when the claim has expired.
      wanted = false;
      const details = { err: error, webhook_id: webhookId };
      services.outages.failed('webhooks', details, 'deliveries of a webhook wait for the database');
      if (!stopped) await sleep(AGAIN_AFTER);
    }
    work = undefined;
    advance();
  }

  function hasRoom(): boolean {
    return ordered || failures >= FAILING ? waiting.length + underWay.size === 0 : waiting.length < FEW;
  }

  async function fetchMore(): Promise<void> {
    wanted = false;
    let until = 0;
    const taken = await whenFree(async () => {
      if (stopped) return undefined;
      until = performance.now() + CLAIMED_FOR - 2 * TIME_LIMIT;
      return take(services, webhookId, IN_HAND - waiting.length);
    });
    if (taken?.version !== version) takeAnew();
    if (taken === undefined) return;
    version = taken.version;
    ordered = taken.to.ordered;
    failures = taken.failures;
    wanted ||= taken.more;
    waiting.push(...taken.parcels.map((parcel) => ({ parcel, to: taken.to, until })));
    if (stopped) putBack();
  }

  async function storeOutcomes(): Promise<void> {
    const [made, left] = [outcomes, released];
    outcomes = [];
    released = [];
    const present = await whenFree(() => settle(services, webhookId, made, left));
    if (present !== version) takeAnew();
  }

  /** Calls the database once nobody else has locked the webhook; other lanes use it while this one waits for that. */
  async function whenFree<T>(call: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await atDatabase(call);
      } catch (error) {
        if (!(error instanceof WebhookLocked)) throw error;
        await sleep(LOCKED_FOR);
      }
    }
  }

  function begin(): void {
    while (!stopped && underWay.size < most() && mayBegin()) {
      const next = waiting.shift();
      if (next === undefined) return;
      if (performance.now() < next.until) send(next);
      else {
        // Claimed again, instead of when the claim expires: it waited too long to be sent.
        released.push(next.parcel);
        wanted = true;
      }
    }
  }

  function most(): number {
    if (ordered || failures >= FAILING) return 1;
    return Math.max(1, Math.min(PARALLEL, Math.floor(PARALLEL_IN_ALL / traffic.lanes())));
  }

  /** Lanes that had more before another one was opened keep it until their requests end. */
  function mayBegin(): boolean {
    return underWay.size === 0 || traffic.requests < PARALLEL_IN_ALL;
  }

  function send({ parcel, to }: InHand): void {
    traffic.requests += 1;
    const ending = new AbortController();
    const timeout = new DOMException('no answer in time', 'TimeoutError');
    const timer = setTimeout(() => ending.abort(timeout), TIME_LIMIT);
    const sent = post(services, to, parcel, ending.signal).then((outcome) => {
      clearTimeout(timer);
      traffic.requests -= 1;
      underWay.delete(sent);
      if (stopped && ending.signal.aborted) released.push(parcel);
      else addOutcome(outcome);
      advance();
    });
    underWay.set(sent, ending);
  }

  function addOutcome(outcome: Outcome): void {
    outcomes.push(outcome);
    failures = arrived(outcome) ? 0 : failures + 1;
    if (failures >= FAILING || asksForPause(outcome) || (ordered && failures > 0)) putBack();
  }

  /** Releases the deliveries that wait to be sent. */
  function putBack(): void {
    released.push(...waiting.splice(0).map(({ parcel }) => parcel));
  }

  /** Claims the waiting deliveries again: the webhook was changed, or its owner may see something else. */
  function takeAnew(): void {
    wanted ||= waiting.length > 0;
    putBack();
  }

  return {
    wake() {
      wanted = true;
      advance();
    },
    async stop() {
      stopped = true;
      putBack();
      advance();
      await waitAtMost(STOP_WITHIN, Promise.all(underWay.keys()));
      for (const ending of underWay.values()) ending.abort();
      await Promise.all(underWay.keys());
      while (work !== undefined) await work;
    },
  };
}

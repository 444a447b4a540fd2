import { setTimeout as sleep } from 'node:timers/promises';
import type { Services } from '../services/services.ts';
import type { Semaphore } from '../shared/semaphore.ts';
import { post, TIME_LIMIT } from './post.ts';
import { arrived, asksForPause, FAILING, type Outcome, settle } from './settle.ts';
import { CLAIMED_FOR, type Destination, type Parcel, take } from './take.ts';

type LaneServices = Pick<Services, 'db' | 'clock' | 'vault' | 'log' | 'outages' | 'settings'>;

/** The deliveries of one webhook, as far as this process makes them. */
export interface Lane {
  /** There may be something to deliver. */
  ring(): void;
  /** Begins nothing more, waits a little for what is under way, and lets go of the rest. */
  stop(): Promise<void>;
}

/** Deliveries under way to one receiver, unless it wants them one after another. */
const PARALLEL = 32;
/** Deliveries in hand that are not begun, at the most, and from how few on more are fetched. */
const IN_HAND = 256;
const FEW = 96;
/** Milliseconds before the database is asked again when it failed. */
const AGAIN_AFTER = 2_000;
/** Milliseconds that a stop waits for deliveries under way. */
const STOP_WITHIN = 3_000;

interface InHand {
  readonly parcel: Parcel;
  readonly to: Destination;
  /** From when on it is somebody else's, by `performance.now`. */
  readonly until: number;
}

/**
 * Sends what one webhook delivers. The database is asked for one thing at a time: to write down what came of deliveries,
 * then for more of them; both in sets, while others are under way.
 *
 * @param atDatabase lets in those of all lanes that ask the database at the same time
 * @param onRest called whenever there is nothing left to do
 */
export function openLane(
  services: LaneServices,
  webhookId: string,
  atDatabase: Semaphore,
  onRest: () => void,
): Lane {
  const waiting: InHand[] = [];
  const underWay = new Map<Promise<void>, AbortController>();
  let outcomes: Outcome[] = [];
  let notBegun: string[] = [];
  let url = '';
  let ordered = false;
  let failures = 0;
  let rung = false;
  let stopped = false;
  let work: Promise<void> | undefined;

  function turn(): void {
    begin();
    if (work !== undefined) return;
    if (outcomes.length > 0 || notBegun.length > 0) work = ask(writeDown);
    else if (rung && !stopped && hasRoom()) work = ask(fetchMore);
    else if (underWay.size === 0 && waiting.length === 0) onRest();
  }

  async function ask(doing: () => Promise<void>): Promise<void> {
    try {
      await doing();
      services.outages.worked('webhooks');
    } catch (error) {
      // Whatever was in hand is found again when its time is over.
      rung = false;
      const told = { err: error, webhook_id: webhookId };
      services.outages.failed('webhooks', told, 'deliveries of a webhook wait for the database');
      if (!stopped) await sleep(AGAIN_AFTER);
    }
    work = undefined;
    turn();
  }

  function hasRoom(): boolean {
    return ordered || failures >= FAILING ? waiting.length + underWay.size === 0 : waiting.length < FEW;
  }

  async function fetchMore(): Promise<void> {
    rung = false;
    const until = performance.now() + CLAIMED_FOR - 2 * TIME_LIMIT;
    const room = failures >= FAILING ? 1 : IN_HAND - waiting.length;
    const taken = await atDatabase(() => take(services, webhookId, room));
    // What was taken for another address, or for none any more, is taken anew.
    if (taken?.to.url !== url) takeAnew();
    if (taken === undefined) return;
    url = taken.to.url;
    ordered = taken.to.ordered;
    failures = taken.failures;
    rung ||= taken.more;
    waiting.push(...taken.parcels.map((parcel) => ({ parcel, to: taken.to, until })));
  }

  async function writeDown(): Promise<void> {
    const [made, left] = [outcomes, notBegun];
    outcomes = [];
    notBegun = [];
    const flows = await atDatabase(() => settle(services, webhookId, made, left));
    if (!flows) takeAnew();
  }

  function begin(): void {
    const most = ordered || failures >= FAILING ? 1 : PARALLEL;
    while (!stopped && underWay.size < most) {
      const next = waiting.shift();
      if (next === undefined) return;
      if (performance.now() < next.until) send(next);
    }
  }

  function send({ parcel, to }: InHand): void {
    const ending = new AbortController();
    const timeout = new DOMException('no answer in time', 'TimeoutError');
    const timer = setTimeout(() => ending.abort(timeout), TIME_LIMIT);
    const sent = post(services, to, parcel, ending.signal).then((outcome) => {
      clearTimeout(timer);
      underWay.delete(sent);
      if (stopped && ending.signal.aborted) notBegun.push(parcel.delivery_id);
      else hear(outcome);
      turn();
    });
    underWay.set(sent, ending);
  }

  function hear(outcome: Outcome): void {
    outcomes.push(outcome);
    failures = arrived(outcome) ? 0 : failures + 1;
    if (failures >= FAILING || asksForPause(outcome) || (ordered && failures > 0)) putBack();
  }

  function putBack(): void {
    notBegun.push(...waiting.splice(0).map(({ parcel }) => parcel.delivery_id));
  }

  /** What was judged, addressed and signed is that no more. */
  function takeAnew(): void {
    rung ||= waiting.length > 0;
    putBack();
  }

  return {
    ring() {
      rung = true;
      turn();
    },
    async stop() {
      stopped = true;
      putBack();
      turn();
      await Promise.race([Promise.all(underWay.keys()), sleep(STOP_WITHIN, undefined, { ref: false })]);
      for (const ending of underWay.values()) ending.abort();
      await Promise.all(underWay.keys());
      while (work !== undefined) await work;
    },
  };
}

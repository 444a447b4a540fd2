import { setTimeout as sleep } from 'node:timers/promises';
import { sharedTime } from '../database/clock.queries.ts';
import type { Services } from '../services/services.ts';
import { createSemaphore } from '../shared/semaphore.ts';
import { throttled } from '../shared/throttle.ts';
import { waitAtMost } from '../shared/wait-at-most.ts';
import { findWork } from './delivery.queries.ts';
import { type Lane, openLane, type Traffic } from './lane.ts';
import { secretBinding } from './secret.ts';

type DispatchServices = Pick<Services, 'db' | 'clock' | 'vault' | 'log' | 'outages' | 'settings' | 'events'>;

export interface Dispatch {
  close(): Promise<void>;
}

/** Polling interval in milliseconds while no notification arrives. */
const PATIENCE = 60_000;
/** Minimum milliseconds between two searches for work. */
const RHYTHM = 20;
/** Lanes that use the database concurrently: the jobs share its connections. */
const LANES_AT_ONCE = 3;
/** Milliseconds before another search after a failed one. */
const AGAIN_AFTER = 2_000;
/** Milliseconds between two log lines about secrets that this process cannot decrypt. */
const TELL_EVERY = 60_000;
/** Milliseconds for which a stop waits in all; deliveries whose outcome was not stored are claimed again by others. */
const STOP_WITHIN = 6_000;

/**
 * Delivers the events of all webhooks, each in a lane of its own, so that a slow receiver delays no other. Every worker
 * process does so: deliveries that one has claimed are left alone by the others for a minute. It searches for work
 * whenever events get positions, and when a delivery is due. A process that was left out of the rotation of an encryption
 * key leaves the webhooks whose secrets it cannot decrypt to the others.
 */
export function startDispatch(services: DispatchServices): Dispatch {
  const { db, clock, vault, log, events, outages } = services;
  const lanes = new Map<string, Lane>();
  const atDatabase = createSemaphore(LANES_AT_ONCE);
  const traffic: Traffic = { lanes: () => lanes.size, requests: 0 };
  const tellLeft = throttled<string>(TELL_EVERY, (webhook_id, untold) =>
    log.warn(
      { webhook_id, untold },
      'the secret of a webhook was encrypted with a key that is not in ENCRYPTION_KEYS, so its deliveries are left to other processes: has every process the same keys?',
    ),
  );
  let closed = false;
  let wake = new AbortController();
  const running = run();

  async function run(): Promise<void> {
    while (!closed && !events.ending) {
      wake = new AbortController();
      // Subscribed before the search: otherwise an event that arrives during it would be missed.
      const news = events.changed(wake.signal);
      const timer = setTimeout(() => wake.abort(), await look());
      await news;
      clearTimeout(timer);
      await sleep(RHYTHM);
    }
  }

  /** Wakes the lanes that have work now; returns the milliseconds until the next search. */
  async function look(): Promise<number> {
    try {
      const now = await sharedTime(db, clock);
      let pause = PATIENCE;
      for (const { webhook_id, secret, next } of await findWork(db, now)) {
        if (!vault.canDecrypt(secret, secretBinding(webhook_id))) tellLeft(webhook_id);
        else if (next <= now) laneOf(webhook_id).wake();
        else pause = Math.min(pause, next.getTime() - now.getTime());
      }
      outages.worked('webhooks');
      return pause;
    } catch (error) {
      outages.failed('webhooks', { err: error }, 'could not search for deliveries that are due');
      return AGAIN_AFTER;
    }
  }

  function laneOf(webhookId: string): Lane {
    const known = lanes.get(webhookId);
    if (known !== undefined) return known;
    const lane = openLane(services, webhookId, atDatabase, traffic, () => {
      // Searches again, because deliveries that failed are due at a later time now.
      if (lanes.delete(webhookId)) wake.abort();
    });
    lanes.set(webhookId, lane);
    return lane;
  }

  async function end(): Promise<void> {
    closed = true;
    wake.abort();
    await running;
    await Promise.all([...lanes.values()].map((lane) => lane.stop()));
  }

  // Limited, as the database may not answer.
  return { close: () => waitAtMost(STOP_WITHIN, end()) };
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { Services } from '../services/services.ts';
import { createSemaphore } from '../shared/semaphore.ts';
import { findWork } from './delivery.queries.ts';
import { type Lane, openLane } from './lane.ts';

type DeliveringServices = Pick<
  Services,
  'db' | 'clock' | 'vault' | 'log' | 'outages' | 'settings' | 'events'
>;

export interface Delivering {
  close(): Promise<void>;
}

/** Milliseconds after which it is looked for work though nobody told of any. */
const PATIENCE = 60_000;
/** Milliseconds between two looks, however much happens. */
const RHYTHM = 20;
/** Lanes that ask the database at the same time: its connections are the jobs', too. */
const LANES_AT_ONCE = 3;
/** Milliseconds before another look where one failed. */
const AGAIN_AFTER = 2_000;

/**
 * Delivers by all webhooks, each on a lane of its own, so that none waits for another. Every worker does; what one has in
 * hand the others leave alone for a minute. Looks whenever events get their positions, and when a delivery is due.
 */
export function startDelivering(services: DeliveringServices): Delivering {
  const { db, clock, events, outages } = services;
  const lanes = new Map<string, Lane>();
  const atDatabase = createSemaphore(LANES_AT_ONCE);
  let closed = false;
  let wake = new AbortController();
  const running = run();

  async function run(): Promise<void> {
    while (!closed && !events.ending) {
      wake = new AbortController();
      // From before the look on, or what comes during it would be waited for.
      const news = events.changed(wake.signal);
      const timer = setTimeout(() => wake.abort(), await look());
      await news;
      clearTimeout(timer);
      await sleep(RHYTHM);
    }
  }

  /** Returns the milliseconds until the next look. */
  async function look(): Promise<number> {
    try {
      const now = clock.now();
      let pause = PATIENCE;
      for (const { webhook_id, next } of await findWork(db, now)) {
        if (next <= now) laneOf(webhook_id).ring();
        else pause = Math.min(pause, next.getTime() - now.getTime());
      }
      outages.worked('webhooks');
      return pause;
    } catch (error) {
      outages.failed('webhooks', { err: error }, 'it could not be looked for what webhooks have to deliver');
      return AGAIN_AFTER;
    }
  }

  function laneOf(webhookId: string): Lane {
    const known = lanes.get(webhookId);
    if (known !== undefined) return known;
    const lane = openLane(services, webhookId, atDatabase, () => {
      // What failed meanwhile has a time now.
      if (lanes.delete(webhookId)) wake.abort();
    });
    lanes.set(webhookId, lane);
    return lane;
  }

  return {
    async close() {
      closed = true;
      wake.abort();
      await running;
      await Promise.all([...lanes.values()].map((lane) => lane.stop()));
    },
  };
}

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { RoutedClient } from './client.ts';

interface Options {
  readonly databaseUrl: string;
  readonly log: Logger;
  /** Channel of LISTEN and NOTIFY. */
  readonly channel: string;
  /** `application_name` of the connection. */
  readonly applicationName: string;
  /** Log message for when notifications do not arrive. */
  readonly warning: string;
  /** Sends a notification with this payload, on another connection than the one that listens. */
  notify(payload: string): Promise<unknown>;
  /**
   * Called for each notification with its payload. Called without one when notifications may have been missed, and when
   * {@link Subscription.pollEvery} changes.
   */
  onNotification(payload?: string): void;
  /** Overrides the default times. */
  readonly times?: typeof TIMES;
}

/** A subscription to notifications of the database (LISTEN/NOTIFY). */
export interface Subscription {
  /**
   * Milliseconds after which subscribers poll although no notification came: long while notifications arrive, short
   * while they do not.
   */
  pollEvery(): number;
  close(): void;
}

/** All in milliseconds. */
const TIMES = {
  /** Polling interval while notifications arrive; also the interval at which that is tested. */
  pollWhileHeard: 60_000,
  /** Polling interval while notifications do not arrive. */
  pollWhileDeaf: 2_000,
  /** Time within which the test notification must arrive. */
  heardWithin: 10_000,
  /** Pause before a lost connection is reopened. */
  reopenAfter: 1_000,
};

/**
 * Listens on a dedicated connection, which is reopened after a loss. It regularly sends a notification to itself to
 * test whether notifications arrive: they do not behind a pooler in transaction mode, or when the network drops packets
 * silently.
 */
export function subscribe(options: Options): Subscription {
  const {
    databaseUrl,
    log,
    channel,
    applicationName,
    warning,
    notify,
    onNotification,
    times = TIMES,
  } = options;
  const closed = new AbortController();
  let heard = false;
  let warned = false;
  void listenUntilClosed();
  return {
    pollEvery: () => (heard ? times.pollWhileHeard : times.pollWhileDeaf),
    close: () => closed.abort(),
  };

  async function listenUntilClosed(): Promise<void> {
    while (!closed.signal.aborted) {
      const error = await listen().catch((error: unknown) => error);
      if (closed.signal.aborted) return;
      become(false, error);
      await pause(times.reopenAfter, closed.signal);
    }
  }

  function become(now: boolean, error?: unknown): void {
    if (!now && !warned) log.warn({ err: error }, warning);
    warned = !now;
    if (heard === now) return;
    heard = now;
    onNotification();
  }

  /** Listens until a test notification fails to arrive; throws when the connection is lost. */
  async function listen(): Promise<void> {
    const client = new RoutedClient({
      connectionString: databaseUrl,
      application_name: applicationName,
      connectionTimeoutMillis: times.heardWithin,
      query_timeout: times.heardWithin,
    });
    const test = `test ${randomUUID()}`;
    let arrived = false;
    let lost: Error | undefined;
    let wake = (): void => undefined;
    const lose = (error = new Error('the connection ended')) => {
      lost ??= error;
      wake();
    };
    const close = () => lose();
    client.on('error', lose).on('end', close);
    client.on('notification', ({ payload }) => {
      if (payload !== test) return onNotification(payload);
      arrived = true;
      wake();
    });
    closed.signal.addEventListener('abort', close);
    const wait = async (milliseconds: number) => {
      const awake = new AbortController();
      wake = () => awake.abort();
      if (!lost) await pause(milliseconds, awake.signal);
      if (lost) throw lost;
    };
    try {
      await client.connect();
      await client.query(`listen ${channel}`);
      do {
        arrived = false;
        notify(test).catch(lose);
        await wait(times.heardWithin);
        become(arrived);
        await wait(times.pollWhileHeard);
      } while (arrived);
    } finally {
      closed.signal.removeEventListener('abort', close);
      client.end().catch(() => undefined);
    }
  }
}

const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  sleep(milliseconds, undefined, { signal }).catch(() => undefined);

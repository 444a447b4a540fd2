import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { RoutedClient } from './client.ts';

interface Options {
  readonly databaseUrl: string;
  readonly log: Logger;
  /** The channel on which the database rings. */
  readonly channel: string;
  /** What the connection is called. */
  readonly applicationName: string;
  /** What the log says when it cannot be heard. */
  readonly deaf: string;
  /** Rings with these words, on another connection than the one that listens. */
  strike(words: string): Promise<unknown>;
  /** Called with what the bell says; without words when it may have said anything, or patience has changed. */
  onRing(words?: string): void;
  /** Other times than the usual ones. */
  readonly times?: typeof TIMES;
}

/** Tells of what happens in the database. */
export interface Bell {
  /** Milliseconds after which who was told nothing looks for himself. */
  patience(): number;
  close(): void;
}

/** In milliseconds. */
const TIMES = {
  /** For so long nobody looks who is sure to be told; as often it is made sure. */
  sure: 60_000,
  /** Between two looks of those who are not told. */
  deaf: 2_000,
  /** Within so long one hears oneself. */
  hearing: 10_000,
  /** Before a lost connection is opened anew. */
  again: 1_000,
};

/**
 * Listens on a connection of its own, for as long as it takes: anew when that was lost. It rings for itself to find
 * out whether it hears: behind a pooler in transaction mode, or over a network that swallows everything, it does not.
 */
export function openBell(options: Options): Bell {
  const { databaseUrl, log, channel, applicationName, deaf, strike, onRing, times = TIMES } = options;
  const closed = new AbortController();
  let sure = false;
  let complained = false;
  void keepListening();
  return { patience: () => (sure ? times.sure : times.deaf), close: () => closed.abort() };

  async function keepListening(): Promise<void> {
    while (!closed.signal.aborted) {
      const error = await listen().catch((error: unknown) => error);
      if (closed.signal.aborted) return;
      become(false, error);
      await pause(times.again, closed.signal);
    }
  }

  function become(now: boolean, error?: unknown): void {
    if (!now && !complained) log.warn({ err: error }, deaf);
    complained = !now;
    if (sure === now) return;
    sure = now;
    onRing();
  }

  /** Listens for as long as it hears itself; throws when the connection is lost. */
  async function listen(): Promise<void> {
    const client = new RoutedClient({
      connectionString: databaseUrl,
      application_name: applicationName,
      connectionTimeoutMillis: times.hearing,
      query_timeout: times.hearing,
    });
    const words = `does ${randomUUID()} hear this?`;
    let heard = false;
    let lost: Error | undefined;
    let wake = (): void => undefined;
    const lose = (error = new Error('the connection ended')) => {
      lost ??= error;
      wake();
    };
    const close = () => lose();
    client.on('error', lose).on('end', close);
    client.on('notification', ({ payload }) => {
      if (payload !== words) return onRing(payload);
      heard = true;
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
        heard = false;
        strike(words).catch(lose);
        await wait(times.hearing);
        become(heard);
        await wait(times.sure);
      } while (heard);
    } finally {
      closed.signal.removeEventListener('abort', close);
      client.end().catch(() => undefined);
    }
  }
}

const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  sleep(milliseconds, undefined, { signal }).catch(() => undefined);

import type { Logger } from 'pino';
import { connect } from '../database/connection.ts';
import { subscribe } from '../database/notifications.ts';
import type { Outages } from '../observability/outages.ts';
import { waitAtMost } from '../shared/wait-at-most.ts';
import { readPosition } from './read.queries.ts';
import { announceEvents, EVENTS_CHANNEL, sealEvents } from './seal.queries.ts';

interface Options {
  readonly databaseUrl: string;
  readonly log: Logger;
  readonly outages: Outages;
}

export interface Sealing {
  /** The last position assigned, as far as this process knows. Falls only where a failover has lost events. */
  readonly position: number;
  /** Resolves when more events may have positions, when `signal` is aborted, or when the process stops. */
  changed(signal: AbortSignal): Promise<void>;
  /** Whether the process stops: then {@link changed} resolves at once. */
  readonly ending: boolean;
  /** Resolves all pending calls of {@link changed}. */
  end(): void;
  close(): Promise<void>;
}

/** Events that are sealed in one transaction; other processes that want to seal wait for it a few milliseconds. */
const BATCH = 1000;
/** Milliseconds before another try after a failure, for which no notification comes. */
const AGAIN_AFTER = 1000;
/** Milliseconds for which closing waits for a statement: whatever it leaves, others seal. */
const CLOSED_WITHIN = 500;
/** The name of this work in the log of outages. */
const SUBJECT = 'the sealing of events';

/**
 * Seals events as soon as the transaction that wrote them has committed, in whichever process. Every process listens
 * for them; a lock in the database lets one seal at a time. It uses connections of its own, so that it never waits for
 * one that a request holds.
 */
export function startSealing({ databaseUrl, log, outages }: Options): Sealing {
  const { db, close } = connect({ url: databaseUrl, log, poolSize: 1, applicationName: 'castellan events' });
  const waiting = new Set<() => void>();
  let position = 0;
  let ending = false;
  let closed = false;
  let wanted = false;
  let failed = false;
  let atWork: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  const subscription = subscribe({
    databaseUrl,
    log,
    channel: EVENTS_CHANNEL,
    applicationName: 'castellan events',
    warning: 'no notifications of new events arrive; polling for them',
    notify: (payload) => announceEvents(db, payload),
    onNotification(payload) {
      const [, sealed] = /^sealed (\d+)$/.exec(payload ?? '') ?? [];
      if (sealed === undefined) return payload === 'written' ? seal() : look();
      position = Math.max(position, Number(sealed));
      wake();
    },
  });
  look();

  function seal(): void {
    if (closed) return;
    wanted = true;
    atWork ??= sealAll().finally(() => {
      atWork = undefined;
      if (wanted) seal();
      else lookAgain(failed ? AGAIN_AFTER : subscription.pollEvery());
    });
  }

  async function sealAll(): Promise<void> {
    try {
      while (wanted && !closed) {
        wanted = false;
        while ((await sealEvents(db, BATCH)) === BATCH && !closed);
      }
      failed = false;
      outages.worked(SUBJECT);
    } catch (error) {
      wanted = false;
      failed = true;
      outages.failed(SUBJECT, { err: error }, 'events could not be sealed and wait');
    }
  }

  /** Polls, so that events are sealed even if their notification was lost. */
  function lookAgain(pause: number): void {
    clearTimeout(timer);
    if (!closed) timer = setTimeout(look, pause).unref();
  }

  function look(): void {
    if (closed) return;
    seal();
    const known = position;
    readPosition(db).then(
      (read) => {
        // A replica that was promoted may lack the last events: the positions they had are given again.
        const lost = read < known;
        position = lost ? read : Math.max(position, read);
        wake();
        // Positions may have been assigned since it was read.
        if (lost) look();
      },
      () => undefined,
    );
  }

  function wake(): void {
    for (const end of [...waiting]) end();
  }

  function end(): void {
    ending = true;
    wake();
  }

  return {
    get position() {
      return position;
    },
    changed(signal) {
      if (ending || signal.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const done = () => {
          waiting.delete(done);
          signal.removeEventListener('abort', done);
          resolve();
        };
        waiting.add(done);
        signal.addEventListener('abort', done);
      });
    },
    get ending() {
      return ending;
    },
    end,
    async close() {
      end();
      closed = true;
      clearTimeout(timer);
      subscription.close();
      await waitAtMost(CLOSED_WITHIN, Promise.resolve(atWork).then(close));
    },
  };
}

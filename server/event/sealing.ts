import type { Logger } from 'pino';
import { openBell } from '../database/bell.ts';
import { connect } from '../database/connection.ts';
import type { Outages } from '../observability/outages.ts';
import { readPosition } from './read.queries.ts';
import { announceEvents, EVENTS_CHANNEL, sealEvents } from './seal.queries.ts';

interface Options {
  readonly databaseUrl: string;
  readonly log: Logger;
  readonly outages: Outages;
}

export interface Sealing {
  /** Of the last event that has one, as far as this process has heard. */
  readonly position: number;
  /** Resolves when more events may have got their positions, when `signal` is aborted, or at the end. */
  changed(signal: AbortSignal): Promise<void>;
  /** Whether the process stops: nobody waits any more. */
  readonly ending: boolean;
  /** Ends everybody's waiting. */
  end(): void;
  close(): Promise<void>;
}

/** Events that get their positions in one transaction: whoever else wants to seal waits for some milliseconds. */
const BATCH = 1000;
/** Milliseconds before another try where one failed, as when the database ended the connection: nobody rings for it. */
const AGAIN_AFTER = 1000;
/** As the log names it. */
const SUBJECT = 'the sealing of events';

/**
 * Seals events as soon as the transaction is over that wrote them, whoever did: every process listens, and the database
 * lets one at a time. On connections of its own, so that requests that wait for theirs hold up no event.
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

  const bell = openBell({
    databaseUrl,
    log,
    channel: EVENTS_CHANNEL,
    applicationName: 'castellan events',
    deaf: 'nobody tells of events that are written; it is looked for them',
    strike: (words) => announceEvents(db, words),
    onRing(words) {
      const [, sealed] = /^sealed (\d+)$/.exec(words ?? '') ?? [];
      if (sealed === undefined) return words === 'written' ? seal() : look();
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
      else lookAgain(failed ? AGAIN_AFTER : bell.patience());
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

  /** What was missed is found, even if nobody ever rings again. */
  function lookAgain(pause: number): void {
    clearTimeout(timer);
    if (!closed) timer = setTimeout(look, pause).unref();
  }

  function look(): void {
    if (closed) return;
    seal();
    readPosition(db).then(
      (read) => {
        position = Math.max(position, read);
        wake();
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
      bell.close();
      await atWork;
      await close();
    },
  };
}

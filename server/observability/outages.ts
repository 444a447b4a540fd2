import type { Logger } from 'pino';
import type { Clock } from '../shared/clock.ts';
import { messageOf } from '../shared/message-of.ts';
import { redactText } from './redact.ts';

/** The error, and the other fields of the log line. */
interface FailureFields {
  readonly err: unknown;
  readonly [name: string]: unknown;
}

/** A kind of failure. */
interface Kind {
  /** When a line about it was last logged. */
  loggedAt: number;
  /** Failures since then, not logged yet. */
  unlogged: number;
}

/** State of one dependency. */
interface Subject {
  readonly kinds: Map<string, Kind>;
  /** Failures since it last worked, and the time of the first. */
  failures: number;
  since: number;
  /** Whether the last logged state is "failing". */
  isLoggedAsFailing: boolean;
}

/**
 * Logs repeated failures of a dependency without flooding the log: the first failure of each kind in full, then a count
 * once a minute, then one line when it works again. Alternating success and failure is not logged more often.
 */
export interface Outages {
  /** Subjects and messages are constants in the source, so their number is bounded. */
  failed(subject: string, fields: FailureFields, message: string, level?: 'warn' | 'error'): void;
  worked(subject: string): void;
}

/** Milliseconds between two lines about the same kind of failure. */
const TELL_EVERY = 60_000;
/** Maximum number of kinds of failure per dependency. */
const MOST_KINDS = 20;

export function createOutages(log: Logger, clock: Clock): Outages {
  const subjects = new Map<string, Subject>();

  function subjectOf(name: string): Subject {
    const known = subjects.get(name);
    if (known !== undefined) return known;
    const subject = { kinds: new Map(), failures: 0, since: 0, isLoggedAsFailing: false };
    subjects.set(name, subject);
    return subject;
  }

  return {
    failed(name, fields, message, level = 'warn') {
      const now = clock.now().getTime();
      const subject = subjectOf(name);
      const { kinds } = subject;
      if (subject.failures === 0) subject.since = now;
      subject.failures += 1;
      const exact = `${message} ${kindOf(fields.err)}`;
      const key = kinds.has(exact) || kinds.size < MOST_KINDS ? exact : 'others';
      const kind = kinds.get(key);
      // A clock that is set back must not silence the lines until it has caught up.
      const isDue = kind === undefined || Math.abs(now - kind.loggedAt) >= TELL_EVERY;
      if (!isDue) {
        kind.unlogged += 1;
        return;
      }
      const isNew = kind === undefined || (!subject.isLoggedAsFailing && kind.unlogged === 0);
      const { err, ...rest } = fields;
      if (isNew) log[level](fields, message);
      else log[level]({ ...rest, reason: reasonOf(err), times: kind.unlogged + 1 }, `${message} (again)`);
      kinds.set(key, { loggedAt: now, unlogged: 0 });
      subject.isLoggedAsFailing = true;
    },

    worked(name) {
      const subject = subjects.get(name);
      if (subject === undefined || !subject.isLoggedAsFailing) return;
      const seconds = Math.round((clock.now().getTime() - subject.since) / 1000);
      log.info({ failures: subject.failures, seconds }, `${name}: works again`);
      for (const kind of subject.kinds.values()) kind.unlogged = 0;
      subject.failures = 0;
      subject.isLoggedAsFailing = false;
    },
  };
}

/** The key of a kind of failure: the message without numbers, which may be ids and counts. */
function kindOf(error: unknown): string {
  return reasonOf(error).replace(/\d+/g, 'N').slice(0, 200);
}

function reasonOf(error: unknown): string {
  return redactText(error instanceof Error ? `${error.name}: ${messageOf(error)}` : String(error));
}

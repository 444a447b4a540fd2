import { setTimeout as sleep } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { type ConnectionConfig, connect } from './connection.ts';
import { isOverdue, isUndone, isUnreachable } from './errors.ts';
import type { Database } from './tables.ts';

/** A copy of the database for reads that may lag behind a little. */
export interface Replica {
  readonly db: Kysely<Database>;
  /** Whether it is there and hardly behind, as far as was found out a second ago. */
  isFit(): Promise<boolean>;
  /** Whether an error is its own, so that the primary is to be asked the same; it is left alone for a while then. */
  failed(error: unknown): boolean;
  close(): Promise<void>;
}

interface Options extends Pick<ConnectionConfig, 'url' | 'log' | 'around' | 'poolSize'> {
  readonly primary: Kysely<Database>;
}

/** In milliseconds. */
const TIMES = {
  /** For so long a look at it holds. */
  look: 1_000,
  /** A look that takes longer is an answer, too. */
  patience: 2_000,
  /** So far behind it may be. */
  behind: 5_000,
} as const;

/** Where the primary's log ended, and when that was asked. */
interface Mark {
  readonly at: number;
  readonly end: bigint;
}

/**
 * Opens a replica. Nobody looks at it but who is about to read from it, once a second at the most: how far it has come is
 * compared with where the primary was, so that one that hears nothing of the primary any more is known to be behind.
 */
export function openReplica({ primary, ...config }: Options): Replica {
  const { db, close } = connect({ ...config, watched: true, applicationName: 'castellan reads' });
  const { log } = config;
  let marks: readonly Mark[] = [];
  let fit: boolean | undefined;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let looking: Promise<void> | undefined;

  function become(now: boolean, why?: unknown): void {
    if (fit === now) return;
    fit = now;
    if (now) log.info('the replica is read from');
    else log.warn({ err: why }, 'the replica is away or behind: all is read from the primary');
  }

  async function look(): Promise<void> {
    try {
      const late = sleep(TIMES.patience, undefined, { ref: false }).then(() => {
        throw new Error('it does not answer in time');
      });
      const behind = await Promise.race([lag(), late]);
      if (behind > TIMES.behind) throw new Error(`it is ${Math.round(behind / 1000)} s behind`);
      become(true);
    } catch (error) {
      become(false, error);
    }
    lookedAt = performance.now();
    looking = undefined;
  }

  /** Milliseconds. */
  async function lag(): Promise<number> {
    const now = performance.now();
    marks = [
      ...marks.filter(({ at }) => now - at <= 2 * TIMES.behind),
      { at: now, end: await endOf(primary) },
    ];
    const reached = await reachedBy(db);
    const mark = marks.findLast(({ end }) => end <= reached);
    if (mark === undefined) throw new Error('nobody knows how far behind it is');
    return now - mark.at;
  }

  return {
    db,
    async isFit() {
      if (performance.now() - lookedAt > TIMES.look) {
        looking ??= look();
        // Who would be sent to the primary anyway does not wait.
        if (fit) await looking;
      }
      return fit === true;
    },
    failed(error) {
      // A replica also ends statements that stand in the way of what it has to repeat.
      if (!isUnreachable(error) && !isOverdue(error) && !isUndone(error)) return false;
      become(false, error);
      lookedAt = performance.now();
      return true;
    },
    close,
  };
}

async function endOf(primary: Kysely<Database>): Promise<bigint> {
  const { rows } = await sql<{ end: string }>`
    select (pg_current_wal_flush_lsn() - '0/0')::text as end`.execute(primary);
  return BigInt(rows[0]?.end ?? 0);
}

/** @throws where it is no replica */
async function reachedBy(db: Kysely<Database>): Promise<bigint> {
  const { rows } = await sql<{ reached: string | null }>`
    select (pg_last_wal_replay_lsn() - '0/0')::text as reached`.execute(db);
  const reached = rows[0]?.reached ?? null;
  if (reached === null) throw new Error('it is no replica');
  return BigInt(reached);
}

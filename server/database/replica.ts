import { setTimeout as sleep } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { type ConnectionConfig, connect } from './connection.ts';
import { isOverdue, isUndone, isUnreachable } from './errors.ts';
import type { Database } from './tables.ts';

/** A replica of the database, for reads that may lag. */
export interface Replica {
  readonly db: Kysely<Database>;
  /** Whether it is reachable and its lag is small; checked at most once a second. */
  isFit(): Promise<boolean>;
  /**
   * Whether an error is caused by the replica, so that the primary should be asked instead. If so, the replica is not
   * used until the next check.
   */
  failed(error: unknown): boolean;
  close(): Promise<void>;
}

interface Options extends Pick<ConnectionConfig, 'url' | 'log' | 'around' | 'poolSize'> {
  readonly primary: Kysely<Database>;
}

/** All in milliseconds. */
const TIMES = {
  /** How long the result of a check is valid. */
  look: 1_000,
  /** Timeout of a check. */
  patience: 2_000,
  /** Maximum lag. */
  behind: 5_000,
} as const;

/** A position in the primary's write-ahead log, and when the primary had reached it. */
interface Mark {
  readonly at: number;
  readonly end: bigint;
}

/**
 * Opens a replica. It is checked only before reads, at most once a second. The lag is computed by comparing its replay
 * position with former positions of the primary, because a replica that is disconnected from the primary cannot know
 * its own lag.
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
    if (now) log.info('reads use the replica');
    else log.warn({ err: why }, 'the replica is away or behind: all reads use the primary');
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

  /** The lag in milliseconds. */
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
        // While the replica is not in use, the caller goes to the primary without waiting for the check.
        if (fit) await looking;
      }
      return fit === true;
    },
    failed(error) {
      // A replica also cancels statements that conflict with the replay of the primary's log.
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

/**
 * @throws when the server is not a replica
 */
async function reachedBy(db: Kysely<Database>): Promise<bigint> {
  const { rows } = await sql<{ reached: string | null }>`
    select (pg_last_wal_replay_lsn() - '0/0')::text as reached`.execute(db);
  const reached = rows[0]?.reached ?? null;
  if (reached === null) throw new Error('it is no replica');
  return BigInt(reached);
}

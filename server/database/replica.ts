import { setTimeout as sleep } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { singleFlight } from '../shared/single-flight.ts';
import { addressOf } from './address.ts';
import { type ConnectionConfig, connect } from './connection.ts';
import { isMissing, isOverdue, isUndone, isUnreachable } from './errors.ts';
import type { Database } from './tables.ts';

/** A copy of the database for reads that may lag behind a little. */
export interface Replica {
  /**
   * Runs a read on one connection, and so on one server, after checking its lag on that connection. Throws an error that
   * {@link Replica.failed} accepts if the replica is not to be used.
   */
  read<T>(work: (db: Kysely<Database>) => Promise<T>): Promise<T>;
  /**
   * Whether an error is caused by the replica, so that the primary should be asked instead. If so, the replica is not
   * used until the next check.
   */
  failed(error: unknown): boolean;
  /** Checks it now; the result counts for the reads that follow. */
  examine(): Promise<ReplicaState>;
  close(): Promise<void>;
}

export interface ReplicaState {
  /** Upper bound of the lag in milliseconds; undefined if unknown. */
  readonly behind?: number | undefined;
  /** Why it is not used; undefined if it is. */
  readonly fault?: string;
}

interface Options extends Pick<ConnectionConfig, 'url' | 'log' | 'around' | 'poolSize'> {
  readonly primary: Kysely<Database>;
  /** Told when it fails and when it works again. */
  readonly outages: {
    failed(subject: string, told: { readonly err: unknown }, message: string): void;
    worked(subject: string): void;
  };
}

/** All in milliseconds. */
const TIMES = {
  /** How long a position of the primary, and the verdict that the replica is not to be used, are valid. */
  look: 1_000,
  /** Timeout of a check. */
  patience: 2_000,
  /** Maximum lag. */
  behind: 5_000,
  /** How long a check waits for the replay of the latest writes, and how often it looks. */
  repeat: 250,
  pause: 25,
} as const;

/** Its name in the log. */
const SUBJECT = 'the replica';

/** The replica was not asked: its last check failed, or the primary's position is unknown. */
class NotAsked extends Error {
  override name = 'NotAsked';
}

/** The check of the replica failed. */
class Unfit extends Error {
  override name = 'Unfit';
  readonly behind: number | undefined;
  constructor(message: string, behind?: number) {
    super(message);
    this.behind = behind;
  }
}

/** A position in the primary's write-ahead log, and when it was read, by this process' clock and by the primary's. */
interface Mark {
  readonly at: number;
  readonly end: bigint;
  readonly now: number;
}

/**
 * Opens a replica. The lag is computed by comparing its replay position with a recent position of the primary, because a
 * replica that is disconnected from the primary cannot know its own lag. Every read checks it on its own connection:
 * the address may lead to several servers.
 */
export function openReplica({ primary, outages, ...config }: Options): Replica {
  const { db, close } = connect({
    ...config,
    watched: true,
    server: 'replica',
    applicationName: 'castellan reads',
  });
  let fit = false;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let mark: Mark | undefined;
  const readMark = singleFlight(() => markOf(primary));

  function leaveAlone(why: unknown): void {
    fit = false;
    lookedAt = performance.now();
    outages.failed(SUBJECT, { err: why }, 'the replica is away or behind: all is read from the primary');
  }

  /** A position of the primary that is at most a second old. */
  async function recentMark(): Promise<Mark> {
    if (mark !== undefined && performance.now() - mark.at <= TIMES.look) return mark;
    mark = await readMark().catch((error: Error) => {
      // Not the replica's fault; the read that falls back to the primary reports it.
      throw new NotAsked(`nobody knows where the primary is: ${error.message}`);
    });
    return mark;
  }

  /** Upper bound of the lag of a connection's server in milliseconds; undefined if unknown. */
  async function behindOf(connection: Kysely<Database>): Promise<number | undefined> {
    const { at, end, now } = await recentMark();
    for (const began = performance.now(); ; await sleep(TIMES.pause)) {
      const { reached, changed } = await replayedOf(connection);
      const since = performance.now() - at;
      if (reached >= end) return since;
      const age = changed === undefined ? undefined : Math.max(0, now + since - changed);
      if (age !== undefined && age <= TIMES.behind) return age;
      // After a period without writes the last replayed change is old, while the latest one is replayed in a moment.
      if (performance.now() - began > TIMES.repeat) return age;
    }
  }

  async function requireNear(connection: Kysely<Database>): Promise<number> {
    const late = sleep(TIMES.patience, undefined, { ref: false }).then(() => {
      throw new Unfit('it does not answer in time');
    });
    const behind = await Promise.race([behindOf(connection), late]);
    if (behind === undefined) throw new Unfit('nobody knows how far behind it is');
    if (behind > TIMES.behind) throw new Unfit(`it is ${Math.round(behind / 1000)} s behind`, behind);
    return behind;
  }

  /** The first connection may be refused by a pooler for its settings, from which the second learns to send none. */
  async function requireNearAtLast(): Promise<number> {
    const address = addressOf(config.url);
    const { bare } = address;
    try {
      return await requireNear(db);
    } catch (error) {
      if (address.bare === bare) throw error;
      return requireNear(db);
    }
  }

  async function examine(): Promise<ReplicaState> {
    lookedAt = performance.now();
    try {
      const behind = await requireNearAtLast();
      if (!fit) config.log.info('the replica is read from');
      fit = true;
      outages.worked(SUBJECT);
      return { behind };
    } catch (error) {
      if (!(error instanceof NotAsked)) leaveAlone(error);
      const { message } = error as Error;
      return { behind: error instanceof Unfit ? error.behind : undefined, fault: message };
    }
  }

  return {
    async read(work) {
      if (!fit) {
        // In the background: this read goes to the primary anyway.
        if (performance.now() - lookedAt > TIMES.look) void examine();
        throw new NotAsked('it is left alone');
      }
      return db.connection().execute(async (connection) => {
        await requireNear(connection);
        return work(connection);
      });
    },
    failed(error) {
      if (error instanceof NotAsked) return true;
      // A replica also ends statements that stand in the way of what it has to repeat, and what it lacks may be on its
      // way. A statement that is wrong fails at the primary, too, which then reports it.
      const own =
        error instanceof Unfit || [isUnreachable, isOverdue, isUndone, isMissing].some((is) => is(error));
      if (own) leaveAlone(error);
      return own;
    },
    examine,
    close,
  };
}

async function markOf(primary: Kysely<Database>): Promise<Mark> {
  const at = performance.now();
  const { rows } = await sql<{ end: string; now: number }>`
    select (pg_current_wal_flush_lsn() - '0/0')::text as end,
      extract(epoch from clock_timestamp())::float * 1000 as now`.execute(primary);
  const [row] = rows;
  if (row === undefined) throw new Error('the primary says nothing of its log');
  return { at, end: BigInt(row.end), now: row.now };
}

/** A replica's replay position, and the time of the last replayed change by the primary's clock. */
async function replayedOf(db: Kysely<Database>): Promise<{ reached: bigint; changed: number | undefined }> {
  const { rows } = await sql<{ reached: string | null; changed: number | null }>`
    select (pg_last_wal_replay_lsn() - '0/0')::text as reached,
      extract(epoch from pg_last_xact_replay_timestamp())::float * 1000 as changed`.execute(db);
  const { reached = null, changed = null } = rows[0] ?? {};
  if (reached === null) throw new Unfit('it is no replica');
  return { reached: BigInt(reached), changed: changed ?? undefined };
}

import { type Kysely, sql } from 'kysely';
import type { Database } from '../database/tables.ts';
import { type CachedAnswer, type StoredBody, saveAnswer } from './cache.queries.ts';

/**
 * The token bucket that a request is charged to: of a rate group, and of the character whose token it uses (0 for
 * none).
 */
export interface Bucket {
  readonly name: string;
  readonly characterId: number;
}

export interface ReservationRequest {
  /** By the clock of a test; undefined for the database's, as the clocks of processes may differ. */
  readonly now: Date | undefined;
  /** The part of the error limit that is reserved for others (D33). */
  readonly kept: number;
  /** Whether an error counts against the error limit as well, not only against a bucket. */
  readonly counted: boolean;
  /** Seconds for which others wait for this request's answer to learn the state of the error limit. */
  readonly leaseSeconds: number;
  readonly bucket: Bucket | undefined;
  /** Maximum number of tokens that an answer costs. */
  readonly bucketCost: number;
  readonly caller: string | undefined;
  /** Errors per minute that a caller may cause. */
  readonly callerLimit: number;
}

export interface Verdict {
  /** `wait`: what is left is reserved and may be released. */
  readonly outcome: 'go' | 'wait' | 'banned' | 'used-up' | 'bucket' | 'caller';
  /** For how long it holds at the most; null for `go`, and for a `wait` for others than the caller itself. */
  readonly seconds: number | null;
  /** When it was reserved, by the clock of {@link ReservationRequest.now}. */
  readonly moment: Date;
  /** The minute of the error limit that the reservation belongs to. */
  readonly error_minute: number | null;
  /** The minute of buckets and callers that the reservation belongs to. */
  readonly minute: number;
  readonly probe: boolean;
}

/** Reserves the maximum cost of a request in all budgets, or in none. */
export async function reserve(db: Kysely<Database>, wanted: ReservationRequest): Promise<Verdict> {
  const { now, kept, counted, leaseSeconds, bucket, bucketCost, caller, callerLimit } = wanted;
  const { rows } = await sql<Verdict>`
    select outcome, extract(epoch from until - moment)::float8 as seconds, moment, turn as error_minute, minute, probe
    from ${clockAt(now)}, provider_reserve(
      moment, ${kept}, ${counted}, ${leaseSeconds}, ${bucket?.name ?? null}, ${bucket?.characterId ?? 0},
      ${bucketCost}, ${caller ?? null}, ${callerLimit})`.execute(db);
  return rows[0] as Verdict;
}

/** A table of one row, so that a statement has one time. */
function clockAt(now: Date | undefined) {
  return sql`(select coalesce(${now ?? null}::timestamptz, clock_timestamp()) as moment) as clock`;
}

export interface Settlement {
  /** When the answer came, by the clock of the reservation: it may be settled seconds later. */
  readonly now: Date;
  readonly wanted: ReservationRequest;
  readonly verdict: Verdict;
  /** Whether the provider may have counted it as an error. */
  readonly failed: boolean;
  /** Errors left and seconds to the end of the provider's minute, from the answer's headers. */
  readonly errorsLeft: number | undefined;
  readonly errorReset: number | undefined;
  /** Seconds for which the provider refuses all requests. */
  readonly bannedFor: number | undefined;
  readonly bucket: Bucket | undefined;
  readonly tokensLeft: number | undefined;
  /** Seconds for which the bucket is empty. */
  readonly blockedFor: number | undefined;
  /** Whether it counts as an error of the caller. */
  readonly callerFailed: boolean;
}

/** Releases the reservation, stores the limits from the answer's headers, and caches the answer, in one statement. */
export async function settle(
  db: Kysely<Database>,
  told: Settlement,
  answer: (CachedAnswer & { readonly stored: StoredBody }) | undefined,
): Promise<void> {
  const { wanted, verdict, bucket } = told;
  // The answer is written first, so that the budgets' rows are locked only briefly.
  const kept = answer === undefined ? sql`0` : sql`(select count(*) from kept)`;
  const inSeconds = (seconds = null as number | null) =>
    sql`moment + ${seconds}::float8 * interval '1 second'`;
  await sql`
    ${answer === undefined ? sql`` : sql`with kept as (${saveAnswer(answer, answer.stored)} returning 1)`}
    select provider_settle(
      moment, ${verdict.error_minute}, ${verdict.minute}, ${verdict.probe}, ${told.failed},
      ${told.errorsLeft ?? null}, ${told.errorReset ?? null}, ${inSeconds(told.bannedFor)},
      ${bucket?.name ?? null}, ${bucket?.characterId ?? 0},
      ${!wanted.counted && wanted.bucket?.name === bucket?.name},
      ${told.tokensLeft ?? null}, ${inSeconds(told.blockedFor)},
      ${wanted.caller ?? null}, ${told.callerFailed})
    from (select ${told.now}::timestamptz as moment) as clock where ${kept} >= 0`.execute(db);
}

/** Deletes a few expired rows of the cache and of the budgets. */
export async function sweep(db: Kysely<Database>, now: Date, most: number): Promise<void> {
  await sql`select provider_sweep(${now}, ${most})`.execute(db);
}

/** Whether there are expired rows left for {@link sweep}. */
export async function hasMoreToSweep(db: Kysely<Database>, now: Date): Promise<boolean> {
  const { rows } = await sql<{ more: boolean }>`
    select exists (select from provider_cache where kept_until < ${now})
      or exists (select from provider_buckets where used_on < ${now}::timestamptz - interval '24 hours')
      or exists (select from provider_callers where turn < extract(epoch from ${now}::timestamptz) / 60 - 10)
      as more`.execute(db);
  return rows[0]?.more ?? false;
}

import { type Kysely, sql } from 'kysely';
import type { Database } from '../database/tables.ts';
import { type CachedAnswer, saveAnswer } from './cache.queries.ts';

/** Which token bucket a request draws on: a rate group's, and the character's whose token it carries (0: none). */
export interface Bucket {
  readonly name: string;
  readonly characterId: number;
}

export interface ReservationRequest {
  readonly now: Date;
  /** Of the error limit, what this request may not touch (D33). */
  readonly kept: number;
  /** Whether the answer counts towards the error limit, not towards a bucket alone. */
  readonly counted: boolean;
  /** How long others wait, in seconds, for what this request may learn about the error limit. */
  readonly leaseSeconds: number;
  readonly bucket: Bucket | undefined;
  /** Tokens that an answer costs at the most. */
  readonly bucketCost: number;
  readonly caller: string | undefined;
  /** Errors that a caller may cause in a minute. */
  readonly callerLimit: number;
}

export interface Verdict {
  /** `wait`: others have taken what is left and may give it back. */
  readonly outcome: 'go' | 'wait' | 'banned' | 'used-up' | 'bucket' | 'caller';
  /** Until when it is so; null for `go` and `wait`. */
  readonly until: Date | null;
  /** The minute of the error limit in which something was reserved. */
  readonly turn: number | null;
  /** The minute of buckets and callers. */
  readonly minute: number;
  readonly probe: boolean;
}

/** Takes what the request may cost from all budgets, or nothing at all. */
export async function reserve(db: Kysely<Database>, wanted: ReservationRequest): Promise<Verdict> {
  const { now, kept, counted, leaseSeconds, bucket, bucketCost, caller, callerLimit } = wanted;
  const { rows } = await sql<Verdict>`
    select outcome, until, turn, minute, probe from provider_reserve(
      ${now}, ${kept}, ${counted}, ${leaseSeconds}, ${bucket?.name ?? null}, ${bucket?.characterId ?? 0},
      ${bucketCost}, ${caller ?? null}, ${callerLimit})`.execute(db);
  return rows[0] as Verdict;
}

export interface Settlement {
  readonly now: Date;
  readonly wanted: ReservationRequest;
  readonly verdict: Verdict;
  /** Whether the provider may have counted an error. */
  readonly failed: boolean;
  /** Errors left, and seconds to the end of the provider's minute, as the answer says. */
  readonly errorsLeft: number | undefined;
  readonly errorReset: number | undefined;
  /** Until when the provider refuses everything. */
  readonly bannedUntil: Date | undefined;
  readonly bucket: Bucket | undefined;
  readonly tokensLeft: number | undefined;
  readonly blockedUntil: Date | undefined;
  /** Whether the caller is to blame. */
  readonly callerFailed: boolean;
}

/** Gives back what was reserved, notes what the answer told, and keeps the answer, in one statement. */
export async function settle(
  db: Kysely<Database>,
  told: Settlement,
  answer: CachedAnswer | undefined,
): Promise<void> {
  const { wanted, verdict, bucket } = told;
  // The answer is written first: the budgets' rows stay locked for a moment only.
  const kept = answer === undefined ? sql`0` : sql`(select count(*) from kept)`;
  await sql`
    ${answer === undefined ? sql`` : sql`with kept as (${saveAnswer(answer)} returning 1)`}
    select provider_settle(
      ${told.now}, ${verdict.turn}, ${verdict.minute}, ${verdict.probe}, ${told.failed},
      ${told.errorsLeft ?? null}, ${told.errorReset ?? null}, ${told.bannedUntil ?? null},
      ${bucket?.name ?? null}, ${bucket?.characterId ?? 0},
      ${!wanted.counted && wanted.bucket?.name === bucket?.name},
      ${told.tokensLeft ?? null}, ${told.blockedUntil ?? null},
      ${wanted.caller ?? null}, ${told.callerFailed}) where ${kept} >= 0`.execute(db);
}

/** Removes a few expired rows of the cache and of the budgets. */
export async function sweep(db: Kysely<Database>, now: Date, most: number): Promise<void> {
  await sql`select provider_sweep(${now}, ${most})`.execute(db);
}

/** Whether {@link sweep} has left something over. */
export async function hasMoreToSweep(db: Kysely<Database>, now: Date): Promise<boolean> {
  const { rows } = await sql<{ more: boolean }>`
    select exists (select from provider_cache where kept_until < ${now})
      or exists (select from provider_buckets where used_on < ${now}::timestamptz - interval '1 day')
      or exists (select from provider_callers where turn < extract(epoch from ${now}::timestamptz) / 60 - 10)
      as more`.execute(db);
  return rows[0]?.more ?? false;
}

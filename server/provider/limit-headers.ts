import type { RateGroup } from './operations.ts';
import { type BucketSize, DEAREST_ANSWER, refillSeconds } from './rate-bucket.ts';

/** The provider's limits in an answer's headers (provider.md §2). */
export interface ReportedLimits {
  /** Errors left in this minute, and seconds to the minute's end. */
  readonly errorsLeft: number | undefined;
  readonly errorReset: number | undefined;
  /** The rate group that the answer was charged to. */
  readonly group: string | undefined;
  readonly tokensLeft: number | undefined;
  /** Seconds for which its bucket is empty. */
  readonly emptyFor: number | undefined;
  /** Seconds to wait, from `Retry-After`. */
  readonly retryAfter: number | undefined;
}

/** Seconds: whatever an answer says, it does not keep requests back for longer. */
const LONGEST_WAIT = 3600;

/** Reads the headers of the limits; invalid values count as absent. */
export function readLimits(
  headers: Readonly<Record<string, string>>,
  now: Date,
  declared: RateGroup | null,
): ReportedLimits {
  const tokensLeft = whole(headers['x-ratelimit-remaining']);
  const errorReset = whole(headers['x-esi-error-limit-reset']) ?? (has(headers, 'remain') ? 60 : undefined);
  return {
    errorsLeft: whole(headers['x-esi-error-limit-remain']),
    errorReset: errorReset && Math.min(errorReset, LONGEST_WAIT),
    group: /^[\w.-]{1,100}$/.exec(headers['x-ratelimit-group'] ?? '')?.[0],
    tokensLeft,
    emptyFor:
      tokensLeft !== undefined && tokensLeft < DEAREST_ANSWER
        ? secondsToRefill(headers['x-ratelimit-limit'], declared)
        : undefined,
    retryAfter: waitOf(headers, now),
  };
}

function has(headers: Readonly<Record<string, string>>, name: string): boolean {
  return whole(headers[`x-esi-error-limit-${name}`]) !== undefined;
}

function whole(value: string | undefined): number | undefined {
  return value !== undefined && /^\d{1,6}$/.test(value) ? Number(value) : undefined;
}

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 };

function secondsToRefill(limit: string | undefined, declared: RateGroup | null): number {
  const size = sizeIn(limit) ?? declared;
  return size === null || size.maxTokens === 0 ? 60 : Math.min(refillSeconds(size), LONGEST_WAIT);
}

/** Reads the size of a bucket, such as `150/15m`. */
function sizeIn(limit = ''): BucketSize | undefined {
  const [, tokens, time, unit = 's'] = /^(\d{1,7})\/(\d{1,5})([smh])$/.exec(limit) ?? [];
  if (tokens === undefined) return undefined;
  return { maxTokens: Number(tokens), windowSeconds: Number(time) * (UNITS[unit] ?? 1) };
}

/** `Retry-After` in seconds, whether given as seconds or as a date, which is by the provider's clock. */
function waitOf(headers: Readonly<Record<string, string>>, now: Date): number | undefined {
  const value = headers['retry-after'] ?? '';
  const seconds = /^\d+(\.\d+)?$/.test(value)
    ? Number(value)
    : (dateIn(value) - (dateIn(headers['date']) || now.getTime())) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(Math.ceil(seconds), 0), LONGEST_WAIT);
}

/** Dates in headers begin with a day of the week; `Date.parse` also takes `1.5` for one. */
function dateIn(value = ''): number {
  return /^[a-z]{3,9},? /i.test(value) ? Date.parse(value) : Number.NaN;
}

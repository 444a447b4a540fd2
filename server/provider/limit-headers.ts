import type { RateGroup } from './operations.ts';

/** The provider's limits in an answer's headers (facts §2). */
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

/** The maximum cost of an answer in tokens: that of a 4xx. */
export const DEAREST_ANSWER = 5;
const LONGEST_WAIT = 3600;

/** Reads the headers of the limits; invalid values count as absent. */
export function readLimits(
  headers: Readonly<Record<string, string>>,
  now: Date,
  declared: RateGroup | null,
): ReportedLimits {
  const tokensLeft = whole(headers['x-ratelimit-remaining']);
  return {
    errorsLeft: whole(headers['x-esi-error-limit-remain']),
    errorReset: whole(headers['x-esi-error-limit-reset']) ?? (has(headers, 'remain') ? 60 : undefined),
    group: /^[\w.-]{1,100}$/.exec(headers['x-ratelimit-group'] ?? '')?.[0],
    tokensLeft,
    emptyFor:
      tokensLeft !== undefined && tokensLeft < DEAREST_ANSWER
        ? refillSeconds(headers['x-ratelimit-limit'], declared)
        : undefined,
    retryAfter: waitOf(headers['retry-after'], now),
  };
}

function has(headers: Readonly<Record<string, string>>, name: string): boolean {
  return whole(headers[`x-esi-error-limit-${name}`]) !== undefined;
}

function whole(value: string | undefined): number | undefined {
  return value !== undefined && /^\d{1,6}$/.test(value) ? Number(value) : undefined;
}

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 };

/** Seconds in which a bucket is refilled by the maximum cost of one answer. */
function refillSeconds(limit: string | undefined, declared: RateGroup | null): number {
  const [, tokens, size, unit = 's'] = /^(\d{1,7})\/(\d{1,5})([smh])$/.exec(limit ?? '') ?? [];
  const max = Number(tokens ?? declared?.maxTokens ?? 0);
  const seconds = size === undefined ? (declared?.windowSeconds ?? 60) : Number(size) * (UNITS[unit] ?? 1);
  if (max === 0) return 60;
  return Math.min(Math.ceil((seconds * DEAREST_ANSWER) / max), LONGEST_WAIT);
}

/** `Retry-After` in seconds, whether given as seconds or as a date. */
function waitOf(value: string | undefined, now: Date): number | undefined {
  if (value === undefined) return undefined;
  const seconds = whole(value) ?? Math.ceil((Date.parse(value) - now.getTime()) / 1000);
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(seconds, 0), LONGEST_WAIT);
}

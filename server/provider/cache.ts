import { createHash } from 'node:crypto';
import { CLOCKS_APART } from '../shared/clock.ts';
import type { CachedAnswer, StoredAnswer } from './cache.queries.ts';
import type { RawAnswer } from './http.ts';
import type { Query } from './query.ts';

/** Maximum size of a cached answer in bytes. */
const MOST_BYTES = 1024 * 1024;
/** Milliseconds for which an answer is kept after its freshness ends, to be revalidated by its ETag. */
const KEPT_FOR_ETAG = 3_600_000;
/** Maximum freshness in milliseconds, whatever the headers say. */
const MOST_FRESH = 86_400_000;

/** Headers about the moment of the answer, which are meaningless in a cached one. */
const OF_THE_MOMENT = /^(x-esi-error-limit-|x-ratelimit-|retry-after$)/;

/** The key of identical requests; the order of query parameters does not matter, that of the values of one does. */
export type RequestKey = (path: string, query?: Query) => string;

/** Changed with the form of stored answers: processes of the release before, which do not know it, look elsewhere. */
const FORM = 'packed';

/**
 * The keys of requests to one base URL with one compatibility date: others get other answers, and an ETag of theirs must
 * not confirm these.
 */
export function requestKeysOf(base: string, compatibilityDate: string): RequestKey {
  const prefix = JSON.stringify([base, compatibilityDate, FORM]);
  return (path, query = []) => {
    const sorted = [...query].sort(([a], [b]) => Number(a > b) - Number(a < b));
    return createHash('sha256')
      .update(prefix + JSON.stringify([path, sorted]))
      .digest('base64url');
  };
}

/**
 * Freshness of an answer in milliseconds (provider.md §2): from `max-age`, else from `Expires` and the provider's own
 * `Date`, less the age that it came with (RFC 9111, 4.2). Undefined when it must not be cached.
 */
export function freshness(headers: Readonly<Record<string, string>>, now: Date): number | undefined {
  const control = (headers['cache-control'] ?? '').toLowerCase();
  if (/\bno-store\b/.test(control)) return undefined;
  if (/\bno-cache\b/.test(control)) return 0;
  const maxAge = /\bmax-age\s*=\s*"?(\d{1,10})/.exec(control)?.[1];
  const age = (Number.parseInt(headers['age'] ?? '0', 10) || 0) * 1000;
  if (maxAge !== undefined) return clamp(Number(maxAge) * 1000 - age);
  const expires = Date.parse(headers['expires'] ?? '');
  if (Number.isNaN(expires)) return 0;
  const date = Date.parse(headers['date'] ?? '');
  return clamp(expires - (Number.isNaN(date) ? now.getTime() : date) - age);
}

function clamp(milliseconds: number): number {
  return Math.min(Math.max(milliseconds, 0), MOST_FRESH);
}

/** Statuses that are cached: success, and 404 for an id that does not exist. */
const CACHEABLE = new Set([200, 404]);

/** Milliseconds for which a refusal is kept that its request wants to know of (D32). */
const REFUSAL_FRESH = 86_400_000;

function lifetime({ status, headers }: Pick<RawAnswer, 'status' | 'headers'>, now: Date): number | undefined {
  return status === 403 ? REFUSAL_FRESH : freshness(headers, now);
}

/** Whether a cached answer is fresh: until a time that is not farther off than its lifetime, else the clock was wrong. */
export function isFresh(kept: StoredAnswer | undefined, now: Date): kept is StoredAnswer {
  if (kept === undefined) return false;
  const left = kept.fresh_until.getTime() - now.getTime();
  return left > 0 && left <= (lifetime(kept, now) ?? 0) + CLOCKS_APART;
}

/** The cache entry for an answer; undefined when it must not be cached. */
export function toCache(
  answer: RawAnswer,
  cacheKey: { readonly key: string; readonly grantId: string | null },
  now: Date,
  cacheRefusal = false,
): CachedAnswer | undefined {
  const { status, headers, body } = answer;
  const isRefusal = status === 403 && cacheRefusal;
  const fresh = lifetime(answer, now);
  const etag = status === 200 ? (headers['etag'] ?? null) : null;
  if (!(CACHEABLE.has(status) || isRefusal) || body.length > MOST_BYTES || fresh === undefined)
    return undefined;
  if (fresh === 0 && etag === null) return undefined;
  const freshUntil = new Date(now.getTime() + fresh);
  return {
    ...cacheKey,
    status,
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_THE_MOMENT.test(name))),
    body,
    etag,
    freshUntil,
    keptUntil: etag === null ? freshUntil : new Date(freshUntil.getTime() + KEPT_FOR_ETAG),
  };
}

/**
 * A cached answer after a 304, with the headers of the 304, whose age and date alone count: they say when the answer was
 * validated. Undefined where these leave out how many pages the list has: a page stays as it is when others come or go,
 * so the number that was kept may be wrong by now (D32).
 */
export function revalidated(
  kept: StoredAnswer,
  headers: Readonly<Record<string, string>>,
): RawAnswer | undefined {
  if ('x-pages' in kept.headers && !('x-pages' in headers)) return undefined;
  const { 'content-type': _type, ...anew } = headers;
  const { age: _age, date: _date, ...former } = kept.headers;
  return { status: kept.status, headers: { ...former, ...anew }, body: kept.body };
}

import { describe, expect, it } from 'vitest';
import { freshness, isFresh, requestKeysOf, revalidated, toCache } from '../../../server/provider/cache.ts';
import { pairsOf, type Query } from '../../../server/provider/query.ts';

const NOW = new Date('2026-03-02T12:00:00Z');
const CACHE_KEY = { key: 'k', grantId: null };

describe('D33: how long an answer stays fresh (milliseconds)', () => {
  it.each([
    [{ 'cache-control': 'public, max-age=30' }, 30_000],
    [{ 'cache-control': 'max-age=30', expires: 'Mon, 02 Mar 2026 13:00:00 GMT' }, 30_000],
    [{ 'cache-control': 'private, max-age=30', age: '20' }, 10_000],
    [{ 'cache-control': 'max-age=30', age: '50' }, 0],
    [{ 'cache-control': 'max-age=999999999' }, 86_400_000],
    [{ 'cache-control': 'public', expires: 'Mon, 02 Mar 2026 12:01:00 GMT' }, 60_000],
    // By the provider's clock, which may differ from the service's.
    [{ expires: 'Mon, 02 Mar 2026 15:01:00 GMT', date: 'Mon, 02 Mar 2026 15:00:00 GMT' }, 60_000],
    // What a cache on the way has kept for 50 minutes.
    [
      { expires: 'Mon, 02 Mar 2026 13:00:00 GMT', date: 'Mon, 02 Mar 2026 12:00:00 GMT', age: '3000' },
      600_000,
    ],
    [{ expires: 'Mon, 02 Mar 2026 13:00:00 GMT', age: '3000' }, 600_000],
    [{ expires: 'Mon, 02 Mar 2026 11:00:00 GMT' }, 0],
    [{ expires: '0' }, 0],
    [{ 'cache-control': 'no-cache, max-age=30' }, 0],
    [{ 'cache-control': 'no-store, max-age=30' }, undefined],
    [{}, 0],
  ])('%j: %s', (headers, expected) => {
    expect(freshness(headers, NOW)).toBe(expected);
  });
});

describe('D33: what is cached of an answer', () => {
  const fresh = { 'cache-control': 'max-age=60' };

  it('a success, without headers that apply only at that moment', () => {
    const headers = {
      ...fresh,
      etag: '"a"',
      'x-pages': '3',
      'x-esi-error-limit-remain': '4',
      'x-ratelimit-remaining': '5',
    };
    expect(toCache({ status: 200, headers, body: '[1]' }, CACHE_KEY, NOW)).toEqual({
      ...CACHE_KEY,
      status: 200,
      headers: { ...fresh, etag: '"a"', 'x-pages': '3' },
      body: '[1]',
      etag: '"a"',
      freshUntil: new Date('2026-03-02T12:01:00Z'),
      keptUntil: new Date('2026-03-02T13:01:00Z'),
    });
  });

  it('one that is stale at once, only for its ETag', () => {
    expect(toCache({ status: 200, headers: { etag: '"a"' }, body: '1' }, CACHE_KEY, NOW)?.freshUntil).toEqual(
      NOW,
    );
    expect(toCache({ status: 200, headers: {}, body: '1' }, CACHE_KEY, NOW)).toBeUndefined();
  });

  it('an error only if its headers have a lifetime and its status is lasting', () => {
    const error = (status: number, headers = {}) =>
      toCache({ status, headers, body: '{"error":"no"}' }, CACHE_KEY, NOW);
    expect(error(404)).toBeUndefined();
    expect(error(404, { etag: '"a"' })).toBeUndefined();
    expect(error(404, fresh)).toMatchObject({ status: 404, etag: null });
    for (const status of [400, 401, 403, 420, 429]) expect(error(status, fresh)).toBeUndefined();
  });

  it('D33: a 403 for a day, whatever its headers say, if its request wants that', () => {
    const kept = toCache({ status: 403, headers: {}, body: '{"error":"no"}' }, CACHE_KEY, NOW, true);
    expect(kept?.freshUntil).toEqual(new Date(NOW.getTime() + 86_400_000));
    expect(toCache({ status: 400, headers: {}, body: '{}' }, CACHE_KEY, NOW, true)).toBeUndefined();
  });

  it('no answer above one MiB', () => {
    const sized = (length: number) =>
      toCache({ status: 200, headers: fresh, body: 'x'.repeat(length) }, CACHE_KEY, NOW);
    expect(sized(1024 * 1024)).toBeDefined();
    expect(sized(1024 * 1024 + 1)).toBeUndefined();
  });

  const kept = {
    status: 200,
    headers: { expires: 'then', 'content-type': 'application/json', 'content-language': 'en' },
    body: '[1]',
    etag: '"a"',
    fresh_until: NOW,
    recent: true,
  };

  it('a 304 replaces the headers, not the content', () => {
    expect(revalidated(kept, { expires: 'later', 'content-type': 'text/html' })).toEqual({
      status: 200,
      headers: { expires: 'later', 'content-type': 'application/json', 'content-language': 'en' },
      body: '[1]',
    });
  });

  it('age and date are those of the 304 alone, which may have none', () => {
    const headers = { date: 'Mon, 02 Mar 2026 11:00:00 GMT', age: '59' };
    const whole = (anew: Readonly<Record<string, string>>) => {
      const answer = revalidated({ ...kept, headers }, anew);
      return answer && [answer.headers, toCache(answer, CACHE_KEY, NOW)?.freshUntil];
    };
    const minute = { 'cache-control': 'max-age=60' };
    expect(whole(minute)).toEqual([minute, new Date('2026-03-02T12:01:00Z')]);
    const old = { ...minute, age: '20' };
    expect(whole(old)).toEqual([old, new Date('2026-03-02T12:00:40Z')]);
    const expires = { expires: 'Mon, 02 Mar 2026 12:01:00 GMT' };
    expect(whole(expires)).toEqual([expires, new Date('2026-03-02T12:01:00Z')]);
  });

  it('D32: a 304 without the number of pages leaves open how many there are', () => {
    const page = { ...kept, headers: { ...kept.headers, 'x-pages': '2' } };
    expect(revalidated(page, { expires: 'later' })).toBeUndefined();
    expect(revalidated(page, { 'x-pages': '3' })?.headers).toMatchObject({ 'x-pages': '3', expires: 'then' });
  });
});

describe('D33: a cached answer is fresh for as long as its headers allow', () => {
  const HOUR = 3_600_000;
  const from = (ahead: number, status: number, headers: Readonly<Record<string, string>>) => {
    const raw = { status, headers, body: '[1]' };
    const stored = toCache(raw, CACHE_KEY, new Date(NOW.getTime() + ahead), true);
    if (stored === undefined) throw new Error('it is not cached');
    const kept = { ...raw, etag: stored.etag, fresh_until: stored.freshUntil, recent: true };
    return (later: number) => isFresh(kept, new Date(NOW.getTime() + later));
  };
  const hour = { 'cache-control': 'max-age=3600' };

  it('and no longer', () => {
    expect(isFresh(undefined, NOW)).toBe(false);
    expect([0, HOUR - 1, HOUR].map(from(0, 200, hour))).toEqual([true, true, false]);
    expect([0, 24 * HOUR - 1, 24 * HOUR].map(from(0, 403, {}))).toEqual([true, true, false]);
  });

  it('by a clock that is a minute behind that of the process that stored it, too', () => {
    expect([60_000, 60_001].map((ahead) => from(ahead, 200, hour)(0))).toEqual([true, false]);
  });

  it.each([
    ['max-age', 200, hour],
    ['Expires', 200, { expires: 'Mon, 02 Mar 2026 13:00:00 GMT', date: 'Mon, 02 Mar 2026 12:00:00 GMT' }],
    ['a refusal', 403, {}],
  ])('%s: not at all where it was stored by a clock that was ahead', (_, status, headers) => {
    for (const ahead of [8 * HOUR, 365 * 24 * HOUR])
      expect([0, HOUR, 7 * HOUR - 1].map(from(ahead, status, headers))).toEqual([false, false, false]);
  });
});

describe('the key of a request', () => {
  const [base, date] = ['https://game.example', '2026-08-04'];
  const requestKey = requestKeysOf(base, date);

  it('does not depend on the order of the query', () => {
    const [x, y]: [Query, Query] = [[['x', '1']], [['y', '2']]];
    expect(requestKey('/a', [...x, ...y])).toBe(requestKey('/a', [...y, ...x]));
  });

  it('differs for different requests', () => {
    const keys = [
      requestKey('/a'),
      requestKey('/b'),
      requestKey('/a', [['x', '1']]),
      requestKey('/a', [['x', '2']]),
      requestKey('/a', [
        ['x', '1'],
        ['y', ''],
      ]),
      requestKey('/a', [['x=1&y', '']]),
      requestKey('/a?x=1'),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('D30: differs for a list of two values and for one value with a comma, and in any order of values', () => {
    const list = (...values: string[]) => requestKey('/a', pairsOf('x', values, '&'));
    const keys = [list('a,b'), list('a', 'b'), list('b', 'a'), list('a'), list('a', 'a'), list()];
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('D33: differs for another base URL and another compatibility date, whose answers are others', () => {
    const keys = [
      requestKey('/a'),
      requestKeysOf(`${base}/next`, date)('/a'),
      requestKeysOf(base, '2026-12-01')('/a'),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });
});

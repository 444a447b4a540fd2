import { describe, expect, it } from 'vitest';
import type { ProviderOperation } from '../../../server/provider/operations.ts';
import { createRateBuckets } from '../../../server/provider/rate-bucket.ts';

const operation = (name: string | undefined): ProviderOperation => ({
  ...{ method: 'GET', template: '/', integers: [], query: [], lists: [] },
  ...{ scope: null, paged: false, cacheSeconds: null },
  rateGroup: name === undefined ? null : { name, maxTokens: 150, windowSeconds: 900 },
});

describe('D33: the rate bucket that a request is charged to', () => {
  const buckets = createRateBuckets();
  const of = (label: string, group?: string, characterId = 1) =>
    buckets.of({ operation: operation(group), label, characterId });

  it('is that of the document, until answers name another group', () => {
    expect(of('/a', 'g')).toEqual({ bucket: { name: 'g', characterId: 1 }, counted: false });
    buckets.learn('/a', 'h');
    expect(of('/a', 'g', 2)).toEqual({ bucket: { name: 'h', characterId: 2 }, counted: false });
    expect(of('/b', 'g').bucket.name).toBe('g');
    buckets.learn('/a', 'g');
    expect(of('/a', 'g').bucket.name).toBe('g');
  });

  it('is none again, and its errors are counted, when answers name none any more', () => {
    expect(of('/c')).toEqual({ bucket: { name: '/c', characterId: 1 }, counted: true });
    buckets.learn('/c', 'h');
    expect(of('/c')).toEqual({ bucket: { name: 'h', characterId: 1 }, counted: false });
    buckets.learn('/c', undefined);
    expect(of('/c').counted).toBe(true);
  });

  it('is learned for 1000 kinds of requests, whose groups may change', () => {
    for (let n = 0; n < 1100; n += 1) buckets.learn(`/${n}`, 'many');
    expect(of('/900').bucket.name).toBe('many');
    expect(of('/1099')).toEqual({ bucket: { name: '/1099', characterId: 1 }, counted: true });
    buckets.learn('/900', 'few');
    expect(of('/900').bucket.name).toBe('few');
  });
});

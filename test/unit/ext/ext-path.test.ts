import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toProviderPath } from '../../../server/ext/ext-path.ts';

describe('D31: the path of a forwarded request', () => {
  it.each([
    ['characters/2112000001/skills', '/characters/2112000001/skills'],
    ['latest/characters/1', '/characters/1'],
    ['legacy/characters/1/', '/characters/1'],
    ['v3/universe/types', '/universe/types'],
    ['status/', '/status'],
  ])('takes %s for %s', (text, path) => {
    expect(toProviderPath(text)).toBe(path);
  });

  it.each([
    '',
    '/',
    '/characters/1',
    'characters//1',
    'characters/../status',
    './status',
    'characters/1%2fskills',
    'characters/1?token=x',
    'characters/1#x',
    'characters\\1',
    'characters/1\n',
    'characters/ 1',
    'characters/\u0000',
    'http://evil.example/x',
    'file:etc',
    '//evil.example/x',
    'user@evil.example',
    'latest//status',
    'status//',
  ])('refuses %j', (text) => {
    expect(toProviderPath(text)).toBeUndefined();
  });

  it('never leaves the API, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ab1/.%?#:@\\ \n') }), (text) => {
        const path = toProviderPath(text);
        if (path === undefined) return;
        const url = new URL(`https://api.example/base${path}`);
        expect(url.origin).toBe('https://api.example');
        expect(url.pathname).toBe(`/base${path}`);
        expect(url.search + url.hash).toBe('');
      }),
      { numRuns: 2_000 },
    );
  });
});

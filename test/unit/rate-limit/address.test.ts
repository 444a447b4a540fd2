import { describe, expect, it } from 'vitest';
import { countedAs, usualForm } from '../../../server/rate-limit/address.ts';

describe('D60: the form of an address', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['203.0.113.7:49152', '203.0.113.7'],
    ['2001:db8::1', '2001:db8::1'],
    ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['[::FFFF:203.0.113.7]:443', '203.0.113.7'],
  ])('%s is %s', (text, form) => expect(usualForm(text)).toBe(form));

  it.each([
    undefined,
    ...['', 'unknown', '_hidden', 'castellan.test:443', '203.0.113.7:', '203.0.113.7:x', 'x203.0.113.7:1'],
    ...[
      '203.0.113.7:1x',
      '203.0.113.7.9:1',
      '[2001:db8::1]:',
      '[2001:db8::1]:x',
      'x[2001:db8::1]',
      '[2001:db8::1',
      '[]:1',
    ],
  ])('%j is none', (text) => expect(usualForm(text)).toBeUndefined());
});

describe('D60: what an address is counted as', () => {
  it('IPv4: itself', () => {
    expect(countedAs('203.0.113.7')).toBe('203.0.113.7');
  });

  it('IPv6: the /64 that a customer gets', () => {
    expect(countedAs('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2::/64');
    expect(countedAs('2001:db8:1:2::')).toBe('2001:db8:1:2::/64');
    expect(countedAs('2001:db8:1:3::')).toBe('2001:db8:1:3::/64');
    expect(countedAs('2001:db8::1')).toBe('2001:db8:0:0::/64');
  });

  it('whoever hides it: all together', () => {
    expect(countedAs('unknown')).toBe('unknown');
  });
});

import { expect, it } from 'vitest';
import { ownershipInWords } from '../../../console/src/shared/ownership-in-words.ts';

it('D101: of a character that never signed in it is not said that it was seen long ago', () => {
  const proven_on = '2026-03-01T18:20:00.000Z';
  expect(ownershipInWords({ ownership: 'stale', proven_on: null })).toBe('Never signed in');
  expect(ownershipInWords({ ownership: 'stale', proven_on })).toBe('Not seen for long');
  expect(ownershipInWords({ ownership: 'proven', proven_on })).toBe('Proven');
  expect(ownershipInWords({ ownership: 'changed', proven_on: null })).toBe('Handed over');
});

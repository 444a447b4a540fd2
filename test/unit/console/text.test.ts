import { describe, expect, it } from 'vitest';
import { isBlank, listed, t } from '../../../console/src/text/text.ts';
import { withTimes } from '../../../console/src/text/time.ts';

describe('texts of people', () => {
  it('one of which nothing is seen is blank, so that a link of that name is named otherwise', () => {
    for (const text of ['', ' \t', '\u200B', '\u2060\u00AD\uFEFF', '\u3164', '\u202E']) {
      expect(isBlank(text), JSON.stringify(text)).toBe(true);
    }
    for (const text of ['a', ' . ', '\u200Ba', '🚀']) expect(isBlank(text), text).toBe(false);
  });

  it('a name of another direction is isolated in a sentence, and none can end its isolation', () => {
    const sentence = (name: string) => t('{name} is no member any more.', { name });
    expect(sentence("Ada Vale 'O'")).toBe("Ada Vale 'O' is no member any more.");
    expect(sentence('مرحبا 948')).toBe('\u2068مرحبا 948\u2069 is no member any more.');
    expect(sentence('\u202Ewon\u2069\u202E')).toBe('\u2068won\u2069 is no member any more.');
  });

  it('D111: a time in a text of the service is told as all others are', () => {
    expect(withTimes('You may apply again from 2026-11-29T05:23:04.070Z on.')).toBe(
      'You may apply again from 2026-11-29 05:23 EVE on.',
    );
    expect(withTimes('Ada Vale leads 98000001.')).toBe('Ada Vale leads 98000001.');
  });

  it('a list is what stands between blanks and commas', () => {
    expect(listed(' group.*, user.moved,\nperson.* ,')).toEqual(['group.*', 'user.moved', 'person.*']);
    expect(listed(' , ')).toEqual([]);
  });
});

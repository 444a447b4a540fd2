import { describe, expect, it } from 'vitest';
import { isBlank, listed } from '../../../console/src/text/text.ts';

describe('texts of people', () => {
  it('one of which nothing is seen is blank, so that a link of that name is named otherwise', () => {
    for (const text of ['', ' \t', '\u200B', '\u2060\u00AD\uFEFF', '\u3164', '\u202E']) {
      expect(isBlank(text), JSON.stringify(text)).toBe(true);
    }
    for (const text of ['a', ' . ', '\u200Ba', '🚀']) expect(isBlank(text), text).toBe(false);
  });

  it('a list is what stands between blanks and commas', () => {
    expect(listed(' group.*, user.moved,\nperson.* ,')).toEqual(['group.*', 'user.moved', 'person.*']);
    expect(listed(' , ')).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import { level } from '../../../contract/access.ts';
import { judge } from '../../../server/access/clearance.ts';

const WRONG_KIND = { status: 401, detail: 'Cannot use a dynamic app token for this path.' };
const TOO_LOW = { status: 403 };

describe('D4, D5: judging kind and level', () => {
  const { access } = level(5);

  it('lets in who has the level and a token of the right kind', () => {
    for (const kind of ['per', 'use'] as const) {
      for (const high of [5, 6, 10]) expect(judge(access, kind, high)).toBeUndefined();
      for (const low of [-1, 0, 4]) expect(judge(access, kind, low)).toEqual(TOO_LOW);
    }
  });

  it('the kind comes before the level', () => {
    for (const any of [-1, 4, 5, 10]) expect(judge(access, 'dyn', any)).toEqual(WRONG_KIND);
  });

  it('unless the level comes first ("Token operations" rule 2)', () => {
    const levelFirst = { tokens: ['per'], level: 10, levelFirst: true } as const;
    expect(judge(levelFirst, 'dyn', 9)).toEqual(TOO_LOW);
    expect(judge(levelFirst, 'use', 10)).toEqual({ status: 401, detail: 'Unauthorized' });
    expect(judge(levelFirst, 'per', 10)).toBeUndefined();
  });

  it('>=0 fails for a guest, -1 does not', () => {
    expect(judge(level(0).access, 'use', -1)).toEqual(TOO_LOW);
    expect(judge(level(-1).access, 'use', -1)).toBeUndefined();
  });
});

import { describe, expect, it } from 'vitest';
import { level, type TokenKind } from '../../../contract/access.ts';
import { judge, judgeFields } from '../../../server/access/check-access-rule.ts';

const WRONG_KIND = { reason: 'token-type', detail: 'Cannot use a dynamic app token for this path.' };
const tooLow = (needs: number, has: number) => ({ reason: 'level', lack: { level: needs, has } });
const asking = (token_type: TokenKind, level: number) => ({ token_type, level });

describe('D4, D5: checking kind and level', () => {
  const { access } = level(5);

  it('allows callers with the level and a token of the right kind', () => {
    for (const kind of ['per', 'use'] as const) {
      for (const high of [5, 6, 10]) expect(judge(access, asking(kind, high))).toBeUndefined();
      for (const low of [-1, 0, 4]) expect(judge(access, asking(kind, low))).toEqual(tooLow(5, low));
    }
  });

  it('the kind is checked before the level', () => {
    for (const any of [-1, 4, 5, 10]) expect(judge(access, asking('dyn', any))).toEqual(WRONG_KIND);
  });

  it('unless the rule checks the level first (Token rule 2)', () => {
    const levelFirst = { tokens: ['per'], level: 10, levelFirst: true } as const;
    expect(judge(levelFirst, asking('dyn', 9))).toEqual(tooLow(10, 9));
    expect(judge(levelFirst, asking('use', 10))).toEqual({ reason: 'token-type', detail: 'Unauthorized' });
    expect(judge(levelFirst, asking('per', 10))).toBeUndefined();
  });

  it('D93: a kind of token may need more than the others', () => {
    const rule = { tokens: ['per', 'use'], level: 0, levelOf: { per: 9 } } as const;
    expect(judge(rule, asking('per', 8))).toEqual(tooLow(9, 8));
    expect(judge(rule, asking('per', 9))).toBeUndefined();
    expect(judge(rule, asking('use', 0))).toBeUndefined();
    expect(judge(rule, asking('use', -1))).toEqual(tooLow(0, -1));
  });

  it('>=0 fails for a guest, -1 does not', () => {
    expect(judge(level(0).access, asking('use', -1))).toEqual(tooLow(0, -1));
    expect(judge(level(-1).access, asking('use', -1))).toBeUndefined();
  });
});

describe('D15: fields that need more than the operation', () => {
  const rule = level(0, { fields: { lock: 9 } }).access;

  it('are checked when they are set: null and absent mean not set', () => {
    for (const lock of [true, false, 0, '']) {
      expect(judgeFields(rule, { lock }, 8)).toEqual({ level: 9, has: 8, to: 'setting lock' });
      expect(judgeFields(rule, { lock }, 9)).toBeUndefined();
    }
    for (const body of [{ lock: null }, {}, { other: true }, undefined, null]) {
      expect(judgeFields(rule, body, 0)).toBeUndefined();
    }
    expect(judgeFields(level(0).access, { lock: true }, 0)).toBeUndefined();
  });
});

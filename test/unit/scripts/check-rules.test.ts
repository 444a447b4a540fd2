import { describe, expect, it } from 'vitest';
import { problemsOf } from '../../../scripts/check-rules/rules.ts';

const RULES =
  '# The rules\n\n### D16\n\n**Setting a level** (D12).\n\n### D12\n\nAuthority.\n\n### Group rule 3\n\nOrder.\n';
const PROVIDER = '# The provider\n\n## 1. Single sign-on\n\n## 2. The API\n';
const TESTED = { path: 'test/a.test.ts', text: "it('D16, D12: …')\nit('Group rule 3: …')" };

function problems(changed: { rules?: string; citing?: { path: string; text: string }[] }) {
  const rules = { path: 'docs/rules.md', text: changed.rules ?? RULES };
  const provider = { path: 'docs/provider.md', text: PROVIDER };
  return problemsOf({ rules, provider, citing: [rules, provider, ...(changed.citing ?? [TESTED])] });
}

const citing = (text: string, path = 'server/a.ts') => problems({ citing: [TESTED, { path, text }] });

describe('rules and their citations', () => {
  it('no fault when every cited rule exists and every rule is tested', () => {
    expect(problems({})).toEqual([]);
  });

  it.each([
    ['a decision', '// why\n/** (D13, D12) */', 'server/a.ts:2: D13 is not in docs/rules.md'],
    ['a decision between two', '(D16b)', 'server/a.ts:1: D16b is not in docs/rules.md'],
    ['an early one', 'D1', 'server/a.ts:1: D1 is not in docs/rules.md'],
    ['the end of a range', 'D12–D14', 'server/a.ts:1: D14 is not in docs/rules.md'],
    ['a numbered rule', 'Group rule 5', 'server/a.ts:1: Group rule 5 is not in docs/rules.md'],
    ['under its heading', '"Group operations" rule 5', 'server/a.ts:1: Group rule 5 is not in docs/rules.md'],
    ['the last of several', 'Group rules 3 and 4', 'server/a.ts:1: Group rule 4 is not in docs/rules.md'],
    ['of two words', 'External data rule 3', 'server/a.ts:1: External data rule 3 is not in docs/rules.md'],
    ['a section', 'provider.md §3', 'server/a.ts:1: provider.md §3 is not in docs/provider.md'],
  ])('cited and not there: %s', (_, text, problem) => {
    expect(citing(text)).toEqual([problem]);
  });

  it.each([
    '%D0%96',
    'AD16x',
    'XD17',
    'D17th',
    'D0',
    'D1234',
    'rule 9',
    'Some rule 9',
    'provider.md §2',
    'd99',
  ])('no citation that is missing: %s', (text) => {
    expect(citing(text)).toEqual([]);
  });

  it('a rule that no test cites; a comment elsewhere does not count', () => {
    const elsewhere = { path: 'test/harness/a.ts', text: 'Group rule 3' };
    const test = { path: 'test/a.test.ts', text: 'D16 D12' };
    expect(problems({ citing: [test, elsewhere] })).toEqual(['docs/rules.md: no test cites Group rule 3']);
  });

  it('a duplicate rule, or one without text', () => {
    const rules = `${RULES}\n### D12\n\n### Group rule 3\n`;
    expect(problems({ rules })).toEqual([
      'docs/rules.md:15: D12 is there twice',
      'docs/rules.md:15: D12 says nothing',
      'docs/rules.md:17: Group rule 3 is there twice',
      'docs/rules.md:17: Group rule 3 says nothing',
    ]);
  });

  it('all faults together', () => {
    const citing = [{ path: 'jobs/a.ts', text: 'D9, D8' }];
    expect(problems({ citing })).toHaveLength(5);
  });
});

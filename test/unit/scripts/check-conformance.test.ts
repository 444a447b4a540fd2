import { describe, expect, it } from 'vitest';
import { conformanceProblems } from '../../../scripts/check-rules/conformance.ts';

const TESTS = {
  path: 'test/api/oidc-x.test.ts',
  text: `it('3: it is so', () => {});\nit.each([['a']])('%s is "so"', () => {});\nother('nothing', 'it is so');`,
};
const problems = (...cells: string[]) => {
  const rows = cells.map((cell) => `| 3.1 | What has to be. | ${cell} |`).join('\n');
  const text = `# List\n\n| § | Requirement | Test |\n|---|---|---|\n${rows}\n`;
  return conformanceProblems({ path: 'docs/list.md', text }, [TESTS]);
};

describe('requirements and the tests that they name', () => {
  it('a test that is there, several, or a reason why there is none', () => {
    expect(
      problems(
        '`oidc-x: 3: it is so`',
        '`oidc-x: 3: it is so`, `oidc-x: %s is "so"`',
        'Does not apply: it is off.',
        'Differs: sub is the character.',
      ),
    ).toEqual([]);
  });

  it.each([
    ['', 'neither a test nor a reason'],
    ['by the library', 'neither a test nor a reason'],
    ['Does not apply:', 'neither a test nor a reason'],
    ['`oidc-x: 3: it is not so`', 'there is no test "3: it is not so" in oidc-x.test.ts'],
    ['`oidc-y: 3: it is so`', 'there is no test "3: it is so" in oidc-y.test.ts'],
    ['`oidc-x: nothing`', 'there is no test "nothing" in oidc-x.test.ts'],
    ['`oidc-x: 3: it is so`, `oidc-x: gone`', 'there is no test "gone" in oidc-x.test.ts'],
  ])('%j is a problem', (cell, problem) => {
    expect(problems(cell)).toEqual([`docs/list.md:5: ${problem}`]);
  });
});

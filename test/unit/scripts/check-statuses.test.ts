import { describe, expect, it } from 'vitest';
import { statusProblems } from '../../../scripts/check-rules/statuses.ts';

const problemsIn = (text: string, path = 'server/group/group.ts') => statusProblems([{ path, text }]).length;

describe('D73: features use codes, not statuses', () => {
  it.each([
    "throw new DomainError(404, 'x');",
    'const refused = { status: 403, lack };',
    'type Refusal = { readonly status: 401 };',
    'const statusOfRefusal = 403;',
    'const said = theirs === 401 ? 502 : theirs;',
    'function status() { return 409; }',
    'const known = [400, 404];',
  ])('finds the one in %s', (text) => {
    expect(problemsIn(text)).toBeGreaterThan(0);
  });

  it.each([
    'if (answer.status === 404) return undefined;',
    'const again = status >= 500 || status === 429;',
    'const MOST_WORDS = 500;',
    'const MOST = { alliances: 500 };',
    '// answered with 404\nconst x = 1;',
    'const MOST = bytes(512);',
  ])('lets %s be', (text) => {
    expect(problemsIn(text)).toBe(0);
  });

  it('allows statuses in files that handle HTTP', () => {
    for (const path of [
      'server/http/error-answers.ts',
      'server/sign-in/sign-in.routes.ts',
      'server/provider/a.ts',
    ]) {
      expect(problemsIn("new HttpError(404, 'x')", path)).toBe(0);
    }
    expect(problemsIn("new HttpError(404, 'x')", 'jobs/worker.ts')).toBe(1);
  });
});

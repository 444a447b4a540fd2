/**
 * Checks that every rule that a file of the project cites is in docs/rules.md (`provider.md §2` in docs/provider.md),
 * that a test cites every rule there, that the tests named in docs/openid-conformance.md exist, and that no feature
 * makes up a status of HTTP. All problems are listed; the exit
 * code is then 1.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { conformanceProblems } from './check-rules/conformance.ts';
import { problemsOf, type TextFile } from './check-rules/rules.ts';
import { statusProblems } from './check-rules/statuses.ts';

const ROOT = new URL('../', import.meta.url);
const TEXTS = /\.(ts|mjs|cjs|sql|md|yaml)$/;
/** The test of this check, which cites rules that do not exist on purpose. */
const NOT_READ = ['test/unit/scripts/check-rules.test.ts'];

/** Files of the project: committed, or new and not ignored. */
const paths = execFileSync(
  'git',
  ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate'],
  {
    cwd: ROOT,
    encoding: 'utf8',
  },
)
  .split('\n')
  .filter((path) => TEXTS.test(path) && !NOT_READ.includes(path) && existsSync(new URL(path, ROOT)));

function read(path: string): TextFile {
  return { path, text: readFileSync(new URL(path, ROOT), 'utf8') };
}

const files = paths.map(read);
const problems = [
  ...problemsOf({ rules: read('docs/rules.md'), provider: read('docs/provider.md'), citing: files }),
  ...conformanceProblems(read('docs/openid-conformance.md'), files),
  ...statusProblems(files),
];
process.stdout.write(
  problems.length === 0 ? 'Every rule is written down and tested\n' : `${problems.join('\n')}\n`,
);
if (problems.length > 0) process.exitCode = 1;

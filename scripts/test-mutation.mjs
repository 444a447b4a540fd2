/**
 * Changes the code of access, keys, rate limits and tokens in hundreds of ways, one at a time, and fails when the unit
 * tests notice too few of these mutants, or when one survives where none may.
 *   npm run test:mutation                                    all files: a quarter of an hour on two cores
 *   npm run test:mutation -- --mutate server/keys/vault.ts    some files
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';

/** What verifies, decrypts and authorises. */
const NONE_MAY_SURVIVE_IN = [
  'server/access/check-access-rule.ts',
  'server/access/admission.ts',
  'server/access/authenticate.ts',
  'server/access/clearance-levels.ts',
  'server/access/distance.ts',
  'server/access/level-change.ts',
  'server/access/require-authority.ts',
  'server/keys/signing-keys.ts',
  'server/keys/vault.ts',
];

/** Only a run of chosen files may lack one; else it was renamed, and this list is wrong. */
function missing(file) {
  if (process.argv.includes('--mutate')) return [];
  throw new Error(`${file} was not mutated`);
}

const stryker = 'test/mutation/node_modules/@stryker-mutator/core/bin/stryker.js';
const args = ['run', 'test/mutation/stryker.config.json', ...process.argv.slice(2)];
// Not the report of an earlier run, when this one ends without any.
rmSync('test/mutation/report.json', { force: true });
const { status } = spawnSync(process.execPath, [stryker, ...args], { stdio: 'inherit' });
const { files } = JSON.parse(readFileSync('test/mutation/report.json', 'utf8'));
const survivors = NONE_MAY_SURVIVE_IN.flatMap((file) =>
  (files[file]?.mutants ?? missing(file))
    .filter((mutant) => ['Survived', 'NoCoverage'].includes(mutant.status))
    .map(({ location, replacement }) => `${file}:${location.start.line} ${JSON.stringify(replacement)}`),
);
for (const survivor of survivors) process.stderr.write(`May not survive: ${survivor}\n`);
process.exit(status === 0 && survivors.length === 0 ? 0 : 1);

/**
 * Runs the tests that look at time under other clocks than today's, and says how each went.
 *   npm run test:clocks                      all of them: an hour
 *   npm run test:clocks -- leap test/jobs    the clocks whose name has this word, the tests below these paths
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Each day of the week a minute before it ends in UTC; ends of months and years, leap days, hours that come twice. */
const CLOCKS = [
  ['Monday, far east; the leap day is next', '2028-02-28T23:59:00Z', 'Pacific/Kiritimati'],
  ['Tuesday, far west; the leap day ends', '2028-02-29T23:59:00Z', 'Etc/GMT+12'],
  ['Wednesday; a month ends', '2027-03-31T23:59:00Z', 'UTC'],
  ['Thursday, far east; a year ends', '2026-12-31T23:59:00Z', 'Pacific/Kiritimati'],
  ['Friday, far west; a month ends', '2027-04-30T23:59:00Z', 'Pacific/Pago_Pago'],
  ['Saturday; a month ends', '2027-07-31T23:59:00Z', 'UTC'],
  ['Sunday, far west; a month ends', '2027-01-31T23:59:00Z', 'Pacific/Pago_Pago'],
  ['far east, where a year ends', '2027-12-31T09:59:00Z', 'Pacific/Kiritimati'],
  ["the provider's downtime ends", '2027-05-12T11:04:00Z', 'UTC'],
  ['summer time begins', '2027-03-28T00:59:00Z', 'Europe/Berlin'],
  ['summer time ends', '2027-10-31T00:59:00Z', 'Europe/Berlin'],
];

/** Matches tests that depend on time. */
const LOOKS_AT_TIME = /\bclock\b|\bDate\b|\bnow\(|Timers|_on\b|interval '/;
const RUN_BY_DEFAULT = /^test\/(unit|api|jobs|contract|sdk|faults)\/.*\.test\.ts$/;

const [word = '', ...paths] = process.argv.slice(2);
const files = readdirSync('test', { recursive: true })
  .map((name) => join('test', name))
  .filter(
    (name) =>
      RUN_BY_DEFAULT.test(name) && (paths.length === 0 || paths.some((path) => name.startsWith(path))),
  )
  .filter((name) => LOOKS_AT_TIME.test(readFileSync(name, 'utf8')))
  .sort();
const clocks = CLOCKS.filter(([name]) => name.includes(word));

// Compiled before, under the real clock: output with a time in the future would always look newer than its source.
must('bash', ['scripts/install-faketime.sh']);
must('node', ['scripts/build-when-stale.mjs']);

process.stdout.write(`${files.length} files under ${clocks.length} clocks\n`);
const folder = mkdtempSync(join(tmpdir(), 'castellan-clocks-'));
const broken = clocks.filter(([name, begin, zone]) => !run(name, new Date(begin), zone));
rmSync(folder, { recursive: true });
process.exit(broken.length === 0 ? 0 : 1);

/** Runs the tests under a clock; prints its line of the table and the failures, and returns whether all passed. */
function run(name, begin, zone) {
  const report = join(folder, 'report.json');
  // The offset applies to all processes alike: the tests' PostgreSQL uses the same clock.
  const ahead = Math.round((begin.getTime() - Date.now()) / 1000);
  const started = performance.now();
  const vitest = ['npx', 'vitest', 'run', '--reporter=json', `--outputFile=${report}`, ...files];
  const { status } = spawnSync('faketime', ['-f', `${ahead < 0 ? '' : '+'}${ahead}s`, ...vitest], {
    env: { ...process.env, TZ: zone, FAKETIME_DONT_FAKE_MONOTONIC: '1', NO_FAKE_STAT: '1' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const { testResults, numPassedTests } = JSON.parse(readFileSync(report, 'utf8'));
  rmSync(report);
  const failures = testResults.flatMap(failuresOf);
  const seconds = Math.round((performance.now() - started) / 1000);
  const passed = `${numPassedTests} passed`.padStart(12);
  const failed = `${failures.length} failed`.padStart(11);
  const clock = `${begin.toISOString().slice(0, 16)} ${zone.padEnd(19)}`;
  process.stdout.write(`${clock}${passed}${failed}${`${seconds} s`.padStart(8)}  ${name}\n`);
  for (const failure of failures) process.stdout.write(`  ${failure}\n`);
  return status === 0 && failures.length === 0;
}

function failuresOf({ name, message, status, assertionResults }) {
  const file = name.slice(process.cwd().length + 1);
  const failed = assertionResults.filter((test) => test.status === 'failed');
  if (status === 'failed' && failed.length === 0) return [`${file}: ${message}`];
  return failed.map((test) => `${file}: ${test.fullName}\n    ${test.failureMessages[0]?.split('\n')[0]}`);
}

function must(program, args) {
  const { status } = spawnSync(program, args, { stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}

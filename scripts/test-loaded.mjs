/**
 * Runs all tests again and again beside an endless loop on each core, until a run fails.
 *   npm run test:loaded            five times
 *   npm run test:loaded -- 2       twice
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { text } from 'node:stream/consumers';
import { stripVTControlCharacters } from 'node:util';

const [runs = '5'] = process.argv.slice(2);
// Each in a session of its own: the kernel may divide a core between sessions, not processes.
const children = Array.from({ length: availableParallelism() }, () =>
  spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore', detached: true }),
);
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1));

for (let run = 1; run <= Number(runs); run += 1) {
  const began = performance.now();
  const tests = spawn('npx', ['vitest', 'run'], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(tests);
  const [output, [status]] = await Promise.all([text(tests.stdout), once(tests, 'close')]);
  const seconds = Math.round((performance.now() - began) / 1000);
  const [, result = 'no result'] = /Tests {2}(.*)/.exec(stripVTControlCharacters(output)) ?? [];
  process.stdout.write(`run ${run} of ${runs}: ${result}, ${seconds} s\n`);
  if (status !== 0) {
    process.stdout.write(output);
    process.exit(1);
  }
}
process.exit();

/** Compiles to dist/ when a source is newer than the last build. Types are checked by `npm run check`. */
import { spawnSync } from 'node:child_process';
import { readdirSync, statSync, utimesSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const BUILT = 'dist/.tsbuildinfo';
const SOURCES = [
  'contract',
  'server',
  'dev',
  'jobs',
  'migrations',
  'tsconfig.json',
  'tsconfig.build.json',
  'package-lock.json',
];

function changedAt(path) {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => changedAt(join(path, name))));
}

function builtAt() {
  return statSync(BUILT, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function isStale() {
  const built = builtAt();
  // An installation that holds compiled code alone has nothing to build from.
  return SOURCES.some((path) => statSync(path, { throwIfNoEntry: false }) && changedAt(path) > built);
}

if (isStale()) {
  process.stderr.write('Building castellan …\n');
  const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');
  const { status } = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json', '--noCheck'], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  process.exitCode = status ?? 1;
  // The compiler leaves its record alone when nothing of it changed.
  if (status === 0) utimesSync(BUILT, new Date(), new Date());
}

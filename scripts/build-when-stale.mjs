/**
 * Compiles what is older than its sources: `dist/` for production, `dist-dev/` for everything else, which holds the
 * stand-ins, too. Types are checked by `npm run check`.
 *   node scripts/build-when-stale.mjs                both
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, statSync, utimesSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const SHARED = ['contract', 'server', 'jobs', 'migrations', 'package-lock.json', 'tsconfig.json'];
const BUILDS = {
  production: { config: 'tsconfig.build.json', record: 'dist/.tsbuildinfo', sources: SHARED },
  development: { config: 'tsconfig.dev.json', record: 'dist-dev/.tsbuildinfo', sources: [...SHARED, 'dev'] },
};

function changedAt(path) {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => changedAt(join(path, name))));
}

function isStale({ config, record, sources }) {
  const built = statSync(record, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  // An installation that holds compiled code alone has nothing to build from.
  return [...sources, config].some(
    (path) => statSync(path, { throwIfNoEntry: false }) && changedAt(path) > built,
  );
}

/** @returns whether that build is there and fresh now */
export function buildWhenStale(name) {
  const { config, record } = BUILDS[name];
  if (!isStale(BUILDS[name])) return true;
  process.stderr.write('Building castellan …\n');
  const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');
  const { status } = spawnSync(process.execPath, [compiler, '-p', config, '--noCheck'], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status !== 0) return false;
  // The compiler leaves its record alone when nothing of it changed.
  utimesSync(record, new Date(), new Date());
  return true;
}

if (import.meta.filename === process.argv[1] && !Object.keys(BUILDS).every(buildWhenStale))
  process.exitCode = 1;

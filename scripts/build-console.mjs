/**
 * Builds the web console where its build is older than what it is made of; beside a build of the service, which takes
 * as long.
 *   node scripts/build-console.mjs
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const MADE_OF = ['console/src', 'console/public', 'sdk/src', 'console/index.html', 'console/vite.config.ts'];
const MADE_BY = ['console/package.json', 'package-lock.json'];
const MADE = 'console/dist/index.html';

const changedAt = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/**
 * Time of the latest change below a path. The time of a folder counts too, as it shows when a file was last added or
 * removed.
 */
function newest(path) {
  const below = changedAt(path) && statSync(path).isDirectory() ? readdirSync(path, { recursive: true }) : [];
  return Math.max(changedAt(path), ...below.map((name) => changedAt(join(path, name))));
}

/** Builds the console if it is stale; does nothing where its sources or Vite are not installed. */
export async function buildConsoleWhenStale() {
  if (!MADE_OF.every(existsSync)) return;
  if (changedAt(MADE) > Math.max(...MADE_OF.map(newest), ...MADE_BY.map(changedAt))) return;
  let vite;
  try {
    vite = join(createRequire(import.meta.url).resolve('vite/package.json'), '../bin/vite.js');
  } catch {
    process.stderr.write('The console cannot be built: its tools are not installed (npm ci).\n');
    return;
  }
  process.stderr.write('Building the console …\n');
  const child = spawn(process.execPath, [vite, 'build', 'console', '--logLevel', 'error'], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, NODE_ENV: 'production' },
  });
  const [code] = await once(child, 'exit');
  // Not fatal: the service starts with the former build of the console, or without one.
  if (code !== 0) process.stderr.write('The console could not be built.\n');
}

if (import.meta.filename === process.argv[1]) await buildConsoleWhenStale();

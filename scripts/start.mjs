/**
 * Builds what is stale and runs a program of it in this very process, so that signals reach it: production's own
 * where NODE_ENV is production, else the one that brings stand-ins for what the settings leave out.
 *   node scripts/start.mjs main|worker|token|doctor|openapi [arguments]
 */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildConsoleWhenStale } from './build-console.mjs';
import { buildWhenStale } from './build-when-stale.mjs';

const PROGRAMS = {
  main: ['dist/server/main.js', 'dist-dev/dev/main.js'],
  worker: ['dist/server/worker.js', 'dist-dev/dev/worker.js'],
  token: ['dist/server/cli/token.js', 'dist-dev/dev/token.js'],
  doctor: ['dist/server/cli/doctor.js', 'dist-dev/dev/doctor.js'],
  openapi: ['dist/server/cli/openapi.js', 'dist-dev/server/cli/openapi.js'],
};

const [node, , name, ...rest] = process.argv;
try {
  process.loadEnvFile();
} catch {
  // There is no `.env`; if it cannot be read, the program reports it.
}
const production = process.env.NODE_ENV === 'production';
const building = name === 'main' ? buildConsoleWhenStale() : undefined;
await buildWhenStale(production ? 'production' : 'development');
await building;
const program = resolve(PROGRAMS[name][production ? 0 : 1]);
process.argv = [node, program, ...rest];
await import(pathToFileURL(program).href);

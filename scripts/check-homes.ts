/**
 * Checks of what runs in production that SQL stands in *.queries.ts, and that levels, guests and the built-in user
 * are known by their names alone. All problems are listed; the exit code is then 1.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { strayIn } from './check-homes/homes.ts';

const ROOT = new URL('../', import.meta.url);

const problems = ['server', 'jobs'].flatMap((folder) =>
  readdirSync(new URL(folder, ROOT), { encoding: 'utf8', recursive: true })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `${folder}/${name}`)
    .sort()
    .flatMap((path) => strayIn({ path, text: readFileSync(new URL(path, ROOT), 'utf8') })),
);
process.stdout.write(problems.length === 0 ? 'SQL and levels stay at home\n' : `${problems.join('\n')}\n`);
if (problems.length > 0) process.exitCode = 1;

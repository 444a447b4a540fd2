/**
 * `npm run compat`: holds openapi.yaml against the last released document in docs/releases. What breaks a client of
 * that one needs a new major version, before 1.0 a new minor one.
 */
import { readdir, readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import type { OpenApiDocument } from '../contract/openapi.ts';
import { breakingChanges } from './check-compatibility/breaking.ts';

const ROOT = new URL('../', import.meta.url);
const RELEASES = new URL('docs/releases/', ROOT);

const read = async (file: URL) => parse(await readFile(file, 'utf8')) as OpenApiDocument;

const releases = (await readdir(RELEASES)).filter((name) => /^openapi-[\d.]+\.yaml$/.test(name));
const last = releases.sort((a, b) => a.localeCompare(b, 'en', { numeric: true })).at(-1);
if (last === undefined) throw new Error('docs/releases holds no released OpenAPI document');
const released = await read(new URL(last, RELEASES));
const present = await read(new URL('openapi.yaml', ROOT));

/** What breaks no client that worked, by the release that is compared with; each with its reason. */
const HARMLESS: Readonly<Record<string, readonly string[]>> = {
  // Their previews were the only content published, so generated clients failed on the usual answer, which is empty.
  '0.1.0': [
    'DELETE /coalition/{coalition_id} 200 is gone',
    'DELETE /corporation/{corporation_id}/guest/{character_id} 200 is gone',
    'DELETE /group/{group_id} 200 is gone',
    'DELETE /user/{character} 200 is gone',
  ],
};

const harmless = HARMLESS[released.info.version] ?? [];
const broken = breakingChanges(released, present).filter((change) => !harmless.includes(change));
const allowed = series(present.info.version) !== series(released.info.version);
for (const change of broken) process.stdout.write(`${change}\n`);
process.stdout.write(
  `${present.info.version} after ${released.info.version}: ${broken.length} breaking change(s)\n`,
);
if (broken.length > 0 && !allowed) {
  process.stdout.write('Keep what clients use, or raise the major version (the minor one before 1.0).\n');
  process.exitCode = 1;
}

/** The part of a version that a breaking change has to raise. */
function series(version: string): string {
  const [major = '', minor = ''] = version.split('.');
  return major === '0' ? `0.${minor}` : major;
}

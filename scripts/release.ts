/**
 * `npm run release -- 0.2.0`: gives package, SDK, contract and changelogs a new version, keeps the OpenAPI document as
 * the one to stay compatible with, checks everything, commits and tags. Nothing is pushed or published.
 */
import { execFileSync } from 'node:child_process';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { cutRelease } from './release/changelog.ts';

const [version = ''] = process.argv.slice(2);
const date = new Date().toISOString().slice(0, 10);

function run(program: string, ...args: string[]): void {
  execFileSync(program, args, { stdio: 'inherit' });
}

async function edit(file: string, change: (text: string) => string): Promise<void> {
  const before = await readFile(file, 'utf8');
  const after = change(before);
  if (after === before) throw new Error(`${file} holds no version to replace`);
  await writeFile(file, after);
}

if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error('usage: npm run release -- 0.2.0');
const changed = execFileSync('git', ['status', '--porcelain'], { encoding: 'utf8' });
if (changed !== '') throw new Error(`commit or stash first:\n${changed}`);

for (const file of ['CHANGELOG.md', 'sdk/CHANGELOG.md']) {
  await edit(file, (text) => cutRelease(text, version, date));
}
run('npm', 'version', version, '--no-git-tag-version', '--workspace', 'sdk', '--include-workspace-root');
await edit('contract/version.ts', (text) => text.replace(/'\d+\.\d+\.\d+'/, `'${version}'`));
run('npm', 'run', 'generate');
// Checked against the former release, before the new document replaces it as the baseline.
run('npm', 'run', 'check');
run('npm', 'test');
await copyFile('openapi.yaml', `docs/releases/openapi-${version}.yaml`);
run('git', 'add', '--all');
run('git', 'commit', '--message', `Release ${version}`);
run('git', 'tag', '--annotate', `v${version}`, '--message', `Release ${version}`);
process.stdout.write(`Tagged v${version}: push it, then publish the package: npm publish --workspace sdk\n`);

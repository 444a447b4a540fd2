import { mkdir, rename, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { build } from 'esbuild';
import { ROOT } from './instance.ts';

/**
 * Makes one file of a program that tests start several times: compiling all its modules at every start costs more than
 * what it does.
 *
 * @param program its path within the repository
 * @returns the file for Node.js, in the folder of what is compiled
 */
export async function bundle(program: string): Promise<string> {
  const file = join(ROOT, 'dist-dev/test', basename(program).replace(/\.ts$/, '.mjs'));
  const { outputFiles } = await build({
    ...{ entryPoints: [join(ROOT, program)], write: false, logLevel: 'silent' },
    ...{ bundle: true, platform: 'node', format: 'esm', packages: 'external' },
  });
  await mkdir(dirname(file), { recursive: true });
  // Written atomically, because another run may be starting it.
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, outputFiles[0]?.contents ?? '');
  await rename(draft, file);
  return file;
}

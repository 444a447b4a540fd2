import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

export const ROOT = resolve(import.meta.dirname, '../..');
export const CONSUMERS = join(import.meta.dirname, 'consumers');
/** Tools that these tests alone need; `npm run test:package` and `test:generators` install them. */
export const TOOLS = join(import.meta.dirname, 'node_modules');

/** A folder outside the checkout, where nothing is installed but what a test puts there. */
export interface Consumer {
  readonly folder: string;
  write(files: Readonly<Record<string, string>>): Promise<void>;
  /** Puts a package there that is installed here already. */
  borrow(from: string, ...names: readonly string[]): Promise<void>;
  /** Gives what a program prints; throws with it when the program fails. */
  run(command: string, ...args: readonly string[]): Promise<string>;
  remove(): Promise<void>;
}

export async function createConsumer(manifest: object = {}): Promise<Consumer> {
  const folder = await mkdtemp(join(tmpdir(), 'castellan-consumer-'));
  const consumer: Consumer = {
    folder,
    async write(files) {
      for (const [name, text] of Object.entries(files)) {
        await mkdir(dirname(join(folder, name)), { recursive: true });
        await writeFile(join(folder, name), text);
      }
    },
    async borrow(from, ...names) {
      for (const name of names) {
        const place = join(folder, 'node_modules', name);
        await mkdir(dirname(place), { recursive: true });
        if (!existsSync(place)) await symlink(join(from, name), place);
      }
    },
    run: (command, ...args) => run(folder, command, ...args),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
  await consumer.write({ 'package.json': JSON.stringify({ private: true, type: 'module', ...manifest }) });
  return consumer;
}

async function run(cwd: string, command: string, ...args: readonly string[]): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(command, args, { cwd, maxBuffer: 64 * 1024 * 1024 });
    return stdout;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${command} ${args.join(' ')} failed:\n${stdout}\n${stderr}`);
  }
}

/** The package as it would be published, built from the sources as they are. */
export async function pack(into: string): Promise<string> {
  const sdk = join(ROOT, 'sdk');
  await run(sdk, 'npm', 'run', 'build');
  const [packed] = JSON.parse(
    await run(sdk, 'npm', 'pack', '--json', '--ignore-scripts', '--pack-destination', into),
  );
  return join(into, packed.filename);
}

/** Source of a file of consumers/, or of test/sdk/, as somebody who installed the package would write it. */
export async function source(path: string): Promise<string> {
  const text = await readFile(path, 'utf8');
  return text.replaceAll('../../sdk/src/index.ts', '@castellan/sdk');
}

/** Every flag that TypeScript has for being strict; libraries are checked, too. */
const STRICT = {
  ...{ strict: true, noEmit: true, skipLibCheck: false, target: 'ES2022', lib: ['ES2022', 'DOM'] },
  ...{ exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, types: [] as string[] },
  ...{ noPropertyAccessFromIndexSignature: true, noImplicitOverride: true, noImplicitReturns: true },
  ...{ noFallthroughCasesInSwitch: true, noUnusedLocals: true, noUnusedParameters: true },
  ...{ allowUnreachableCode: false, allowUnusedLabels: false, forceConsistentCasingInFileNames: true },
  ...{ verbatimModuleSyntax: true, isolatedModules: true },
};

export async function typeCheck(
  { folder, write }: Consumer,
  compiler: string,
  options: object,
  files: readonly string[],
): Promise<void> {
  await write({ 'tsconfig.json': JSON.stringify({ compilerOptions: { ...STRICT, ...options }, files }) });
  await run(folder, 'node', join(TOOLS, compiler, 'lib/tsc.js'), '-p', folder);
}

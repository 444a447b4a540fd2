import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { transform } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCastellan } from '../../sdk/src/index.ts';
import { build, createInstance, type Instance } from '../harness/instance.ts';
import { signInAt } from '../harness/sign-in-at.ts';
import { type Consumer, createConsumer, pack, ROOT } from './consumer.ts';

const CALLBACK = 'http://127.0.0.1:9/signed-in';
/** Whose token external-data.md is about. */
const CHARACTER = 2_112_000_028;

const DOCUMENTS = [
  ...['README.md', 'sdk/README.md'],
  ...(await readdir(join(ROOT, 'docs'))).filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`),
];

/** The blocks of a document that are marked as run: ```sh run. */
async function blocksOf(document: string, language: string): Promise<string[]> {
  const text = await readFile(join(ROOT, document), 'utf8');
  const fence = new RegExp(`^( *)\`\`\`${language} run\\n(.+?)^\\1\`\`\`$`, 'gms');
  return [...text.matchAll(fence)].map(([, indent = '', block = '']) =>
    block.replace(new RegExp(`^${indent}`, 'gm'), ''),
  );
}

/** Of the documents those with such blocks. */
async function documentsWith(language: string): Promise<(readonly [string, readonly string[]])[]> {
  const all = await Promise.all(
    DOCUMENTS.map(async (document) => [document, await blocksOf(document, language)] as const),
  );
  return all.filter(([, blocks]) => blocks.length > 0);
}

const SHELL = await documentsWith('sh');
const TYPESCRIPT = await documentsWith('ts');

let instance: Instance;
let token: string;
let env: Record<string, string>;
let consumer: Consumer;
beforeAll(async () => {
  await build();
  instance = await createInstance();
  ({ token } = await instance.serve());
  const castellan = createCastellan({ baseUrl: instance.url, token });
  const { tkn } = await castellan.token.createDynamic({ body: { callback: CALLBACK } });
  const end = await signInAt(instance.url, token, CALLBACK, {
    characterId: CHARACTER,
    scopes: ['publicData', 'ext-location.read_location.v1'],
  });
  env = {
    ...{ CASTELLAN: instance.url, PERMANENT_TOKEN: token, TOKEN: token, APP_TOKEN: tkn },
    ...{ USER_TOKEN: end.searchParams.get('user_token') ?? '', DATA_DIR: instance.dataDir },
  };
  consumer = await createConsumer();
  const tarball = await pack(consumer.folder);
  await consumer.run('npm', 'install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', tarball);
  await consumer.borrow(join(ROOT, 'node_modules'), 'jose');
});
afterAll(async () => {
  await instance?.remove();
  await consumer?.remove();
});

/** A refusal of the service ends the script, too. */
const STRICT = `set -euo pipefail
curl() { command curl --fail-with-body --silent --show-error "$@" && echo; }
`;

describe('the blocks that are marked as run', () => {
  it.each(SHELL)('of %s do what they say, in bash', async (_, blocks) => {
    const script = STRICT + blocks.join('\n').replace('PORT=8080', `PORT=${instance.port}`);
    const { code, stdout, stderr } = await instance.run(['bash', '-c', script], env);
    expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/\S/);
  });

  it.each(TYPESCRIPT)('of %s run in Node', async (_, blocks) => {
    for (const block of blocks) {
      const own = block
        .replaceAll('https://castellan.example', instance.url)
        .replaceAll('a permanent app token', token);
      await consumer.write({ 'block.mjs': (await transform(own, { loader: 'ts' })).code });
      await consumer.run(process.execPath, 'block.mjs');
    }
  });

  it('are in every document that one works by', () => {
    const documents = [...SHELL, ...TYPESCRIPT].map(([name]) => name);
    expect(documents).toEqual(
      expect.arrayContaining(['README.md', 'sdk/README.md', 'docs/signing-in.md', 'docs/external-data.md']),
    );
  });
});

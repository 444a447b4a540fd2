import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { type DatabaseProxy, startProxy } from '../harness/proxy.ts';
import { send } from '../harness/send.ts';

let app: TestApp;
let proxy: DatabaseProxy;
beforeAll(async () => {
  app = await startTestApp({
    env: { RATE_LIMIT: '600' },
    databaseBy: async (url) => {
      proxy = await startProxy(url);
      return proxy.url;
    },
  });
});
afterAll(async () => {
  await proxy.mend();
  await app.stop();
});

it.each([
  ['without a token', false],
  ['with a token', true],
])('D60: paths that need no token answer while the database is lost, %s', async (_, withToken) => {
  const paths = ['/version', '/openapi.json', '/.well-known/jwks.json', '/docs', '/nothing'];
  const statuses = async () => {
    const answers = paths.map((path) => send(app, 'GET', path, withToken ? { token: app.root } : {}));
    return (await Promise.all(answers)).map(({ status }) => status);
  };
  const before = await statuses();
  await proxy.cut();
  expect(await statuses()).toEqual(before);
  expect(before).toEqual([200, 200, 200, 200, 404]);
  await proxy.mend();
});

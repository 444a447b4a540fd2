import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDemoApplication } from '../../dev/demo-application.ts';
import { BASE_URL, startTestApp, type TestApp } from '../harness/app.ts';
import { send } from '../harness/send.ts';

const OWN = [
  ...['localhost', 'localhost:8080', 'LOCALHOST:1', 'localhost.', 'castellan.localhost:8080'],
  ...['127.0.0.1', '127.0.0.1:8080', '127.4.5.6', '[::1]', '[::1]:8080'],
];
const FOREIGN = [
  ...[
    'evil.example',
    'evil.example:8080',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'notlocalhost',
  ],
  ...[
    '192.0.2.1:8080',
    '0.0.0.0:8080',
    '[2001:db8::1]',
    'evil.example@localhost',
    'localhost:80@evil.example',
    '',
  ],
];

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

const statusFor = async (url: string, host: string) =>
  (await send({ url }, 'GET', '/healthz', { headers: { host } })).status;

describe('outside production only own host names are accepted, against DNS rebinding', () => {
  it.each([...OWN, new URL(BASE_URL).host, `${new URL(BASE_URL).host}:443`])(
    '%j is answered',
    async (host) => {
      expect(await statusFor(app.url, host)).toBe(200);
    },
  );

  it.each(FOREIGN)('%j is not', async (host) => {
    for (const path of ['/healthz', '/user', '/docs', '/nothing'])
      expect(await send(app, 'GET', path, { headers: { host }, token: app.root })).toMatchObject({
        status: 421,
        headers: { 'x-request-id': expect.any(String) },
        json: { detail: expect.stringContaining('BASE_URL'), code: 'host_unknown' },
      });
  });

  it('nor do the simulated provider and the demo application accept it', async () => {
    const demo = await startDemoApplication(app.app.services);
    const paths = { [demo.url]: '/', [app.provider.url]: '/', [app.provider.apiUrl]: '/status' };
    for (const [url, path] of Object.entries(paths)) {
      const status = async (host: string) => (await send({ url }, 'GET', path, { headers: { host } })).status;
      for (const host of OWN) expect(await status(host)).toBe(200);
      for (const host of FOREIGN) expect(await status(host)).toBe(421);
    }
    await demo.stop();
  });

  it('in production any Host is accepted, as a proxy may set it', async () => {
    const production = await startTestApp({ env: { NODE_ENV: 'production' } });
    expect(await statusFor(production.url, 'service.internal:8080')).toBe(200);
    await production.stop();
  });
});

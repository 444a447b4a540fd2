import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { build, createInstance, type Instance, PROGRAMS } from '../harness/instance.ts';

// Whole processes: generous, for a machine that has other work, too.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let instance: Instance;
beforeAll(async () => {
  await build();
  instance = await createInstance();
});
afterAll(() => instance.remove());

it.each(['server', 'jobs', 'token'] as const)(
  '%s: reports every mistake in the settings at once, without a secret',
  async (program) => {
    const { code, stdout, stderr } = await instance.run(PROGRAMS[program], {
      PORT: 'eighty',
      HOST: '0.0.0.0',
      BASE_URL: 'ftp://castellan.example',
      DATABASE_URL: 'mysql://castellan:swordfish@db.example/castellan',
      TOKEN_SIGNING_KEYS: '{"keys":[{"kty":"oct","k":"c3dvcmRmaXNo-swordfish"}]}',
      ENCRYPTION_KEYS: 'first:swordfish',
      SSO_CLIENT_ID: 'somebody',
      LOG_LEVEL: 'loud',
    });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    const named = [...stderr.matchAll(/^ {2}- (\w+):/gm)].map(([, name]) => name);
    expect(new Set(named)).toEqual(
      new Set([
        ...['PORT', 'HOST', 'BASE_URL', 'DATABASE_URL', 'TOKEN_SIGNING_KEYS', 'ENCRYPTION_KEYS'],
        ...['SSO_CLIENT_SECRET', 'LOG_LEVEL'],
      ]),
    );
    expect(stderr).not.toMatch(/swordfish|c3dvcmRmaXNo|^\s+at /m);
    expect(await readdir(instance.dataDir)).toEqual([]);
  },
);

it('refuses to invent anything in production: names all that is missing, makes and starts nothing', async () => {
  const { code, stdout, stderr } = await instance.run(PROGRAMS.server, { NODE_ENV: 'production' });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr.match(/^ {2}- .*$/gm)).toEqual(
    [
      'DATABASE_URL',
      'BASE_URL',
      'TOKEN_SIGNING_KEYS',
      'ENCRYPTION_KEYS',
      'SSO_CLIENT_ID',
      'SSO_CLIENT_SECRET',
    ].map((name) => `  - ${name}: must be given when NODE_ENV is production`),
  );
  expect(await readdir(instance.dataDir)).toEqual([]);
});

it('says so when the database of DATABASE_URL does not answer, without its password', async () => {
  // Nobody listens on the instance's port.
  const DATABASE_URL = `postgres://castellan:swordfish@127.0.0.1:${instance.port}/castellan`;
  const { code, stderr } = await instance.run(PROGRAMS.server, { DATABASE_URL });
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `The database cannot be reached: connect ECONNREFUSED 127.0.0.1:${instance.port}\n`,
  });
});

it('jobs: says that the simulated provider to use is that of a service, when none ever started', async () => {
  const { code, stderr } = await instance.run(PROGRAMS.jobs);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr:
      'Without SSO_CLIENT_ID a worker uses the simulated provider of the service: start that first (npm start).\n',
  });
  expect(await instance.database()).toEqual([]);
});

it('says so when its port is taken, and leaves nothing running', async () => {
  const other = createServer().listen(instance.port, '127.0.0.1');
  await once(other, 'listening');
  try {
    const { code, stderr } = await instance.run(PROGRAMS.server);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `Port ${instance.port} of 127.0.0.1 is in use: is castellan running already? If not, set PORT.\n`,
    });
    expect(await instance.database()).toEqual([]);
  } finally {
    other.close();
  }
});

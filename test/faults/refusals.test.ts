import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { access, mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newSigningKey } from '../harness/app.ts';
import { createTestDatabase } from '../harness/database.ts';
import {
  build,
  createInstance,
  type Finished,
  type Instance,
  PRODUCTION,
  PROGRAMS,
} from '../harness/instance.ts';

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

/** Production's settings, with addresses on which nothing listens. */
async function production(): Promise<Record<string, string>> {
  return {
    NODE_ENV: 'production',
    DATABASE_URL: `postgres://castellan:swordfish@127.0.0.1:${instance.port + 1}/castellan`,
    BASE_URL: 'https://castellan.example',
    TOKEN_SIGNING_KEYS: JSON.stringify({ keys: [await newSigningKey()] }),
    ENCRYPTION_KEYS: `first:${randomBytes(32).toString('base64')}`,
    SSO_CLIENT_ID: 'castellan',
    SSO_CLIENT_SECRET: 'swordfish',
  };
}

describe.each(['server', 'jobs', 'token', 'openapi'] as const)('%s', (program) => {
  it('prints its usage with --help, and starts nothing', async () => {
    const { code, stdout, stderr } = await instance.run([...PROGRAMS[program], '--help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^npm (start|run (jobs|token|--silent openapi)) /);
    expect(await readdir(instance.dataDir)).toEqual([]);
  });

  it('refuses unknown arguments, and starts nothing', async () => {
    const { code, stdout, stderr } = await instance.run([...PROGRAMS[program], '--frobnicate']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^Unknown option '--frobnicate'/);
    expect(stderr).toMatch(/^npm /m);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(await readdir(instance.dataDir)).toEqual([]);
  });
});

describe('one sentence, and exit code 1', () => {
  const expectSentence = async (run: Promise<Finished>, sentence: RegExp) => {
    const { code, stdout, stderr } = await run;
    expect({ code, stdout: stdout.replaceAll(/^\{.*\}\n/gm, '') }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(sentence);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  };

  it.each(['server', 'jobs', 'token'] as const)('%s: a DATA_DIR that cannot be written', async (program) => {
    const file = join(instance.dataDir, 'file');
    await writeFile(file, '');
    const DATA_DIR = join(file, 'data');
    await expectSentence(
      instance.run(PROGRAMS[program], { DATA_DIR }),
      /^DATA_DIR cannot be used: ENOTDIR: .*\/file\/data'\. Set it to a folder that can be written/,
    );
    await rm(file);
  });

  it.each(['server', 'jobs', 'token'] as const)('%s: a PostgreSQL older than 15', async (program) => {
    const database = await createTestDatabase();
    try {
      // A function of this test hides the server's.
      await sql`create schema past`.execute(database.db);
      await sql`
        create function past.current_setting(name text) returns text language sql as $$
          select case name when 'server_version_num' then '140011' else '14.11 (Debian)' end
        $$`.execute(database.db);
      const DATABASE_URL = new URL(database.serverUrl);
      DATABASE_URL.searchParams.set('options', '-c search_path=past,public,pg_catalog');
      await expectSentence(
        instance.run(PRODUCTION[program], { ...(await production()), DATABASE_URL: DATABASE_URL.href }),
        /^The database is PostgreSQL 14\.11 \(Debian\); castellan needs 15 or newer\.$/m,
      );
    } finally {
      await database.drop();
    }
  });

  it('a role that may not change the database', async () => {
    const database = await createTestDatabase();
    const role = `castellan_stranger_${process.pid}`;
    try {
      await sql.raw(`create role ${role} login`).execute(database.db);
      const DATABASE_URL = new URL(database.serverUrl);
      DATABASE_URL.username = role;
      await expectSentence(
        instance.run(PROGRAMS.server, { DATABASE_URL: DATABASE_URL.href }),
        /^The role of DATABASE_URL may not do what castellan needs: .*permission denied/,
      );
    } finally {
      await sql.raw(`drop role if exists ${role}`).execute(database.db);
      await database.drop();
    }
  });

  it('damaged keys in DATA_DIR', async () => {
    const keys = join(instance.dataDir, 'encryption-keys');
    await writeFile(keys, 'first:c2hvcnQ=\n');
    const database = await createTestDatabase();
    try {
      await expectSentence(
        instance.run(PROGRAMS.server, { DATABASE_URL: database.url }),
        /^The keys in .*\/encryption-keys cannot be used: key first has 5 bytes instead of 32\.$/m,
      );
    } finally {
      await database.drop();
      for (const name of await readdir(instance.dataDir)) await rm(join(instance.dataDir, name));
    }
  });

  it.each([
    ['a folder', (path: string) => mkdir(path)],
    ['a link to itself', (path: string) => symlink('.env', path)],
  ])('a file .env that cannot be read, such as %s', async (_, make) => {
    const path = join(instance.dataDir, '.env');
    await make(path);
    const command = `cd ${instance.dataDir} && exec ${PROGRAMS.server.join(' ')}`;
    await expectSentence(instance.run(['sh', '-c', command]), /^The file \.env cannot be read: /);
    await rm(path, { recursive: true });
  });

  it('a HOST that this machine does not have', async () => {
    const env = { ...(await production()), HOST: '192.0.2.1' };
    await expectSentence(
      instance.run(PRODUCTION.server, env),
      /^Port \d+ of 192\.0\.2\.1 cannot be used, as this machine does not have that address: set HOST\.$/m,
    );
  });
});

it('uses no stand-ins in production: names all missing settings, and creates and starts nothing', async () => {
  const { code, stdout, stderr } = await instance.run(PRODUCTION.server, { NODE_ENV: 'production' });
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

it('reports that the database of DATABASE_URL does not answer, without its password', async () => {
  // Nothing listens on the instance's second port.
  const { code, stderr } = await instance.run(PRODUCTION.server, await production());
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `The database cannot be reached: connect ECONNREFUSED 127.0.0.1:${instance.port + 1}\n`,
  });
});

it('jobs: says that it needs the simulated provider of a service, if none was ever started', async () => {
  const { code, stderr } = await instance.run(PROGRAMS.jobs);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr:
      'Without SSO_CLIENT_ID a worker uses the simulated provider of the service: start that first (npm start).\n',
  });
  expect(await instance.database()).toEqual([]);
});

/** The uuid of no token. */
const ABSENT = '0a0a0a0a-0a0a-4a0a-8a0a-0a0a0a0a0a0a';

it.each([
  ['doctor', []],
  ['token', ['--list']],
  ['token', ['--revoke', ABSENT]],
  ['token', ['--reissue', ABSENT]],
] as const)('D24: %s %j: makes no database to look into', async (program, args) => {
  const DATA_DIR = join(instance.dataDir, 'absent');
  const { code, stdout, stderr } = await instance.run([...PROGRAMS[program], ...args], { DATA_DIR });
  expect({ code, stdout, stderr }).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'DATABASE_URL is set neither in the environment nor in .env, ' +
      `and there is no database in ${DATA_DIR}: give this command the settings of the service.\n`,
  });
  await expect(access(DATA_DIR)).rejects.toThrow('ENOENT');
});

it('reports that its port is in use, and leaves nothing running', async () => {
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

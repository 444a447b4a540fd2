import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newSigningKey } from '../harness/app.ts';
import { build, createInstance, type Instance, PROGRAMS } from '../harness/instance.ts';
import { startPooler } from '../harness/pooler.ts';
import { onDatabase } from '../harness/production.ts';

const DOCTOR = PROGRAMS.doctor;

let instance: Instance;
beforeAll(async () => {
  await build();
  instance = await createInstance();
});
afterAll(() => instance?.remove());

describe('npm run doctor', () => {
  it('reports that nothing is wrong with a running service, in one line for each check', async () => {
    const service = await instance.serve();
    const { code, stdout } = await instance.run(DOCTOR, { TMPDIR: '/tmp' });
    const lines = stdout.trim().split('\n');
    const about = lines.flatMap((line) => /^(?:ok {2}|mind) ([^:]+):/.exec(line)?.[1] ?? []);
    expect(about).toEqual([
      ...['settings', 'PostgreSQL', 'writes', 'latency of the database', 'connections', 'migrations'],
      ...['clocks', 'signing keys', 'ID tokens', 'encryption keys', 'jobs', 'failed jobs', 'sync'],
      ...[
        "the game's error limit",
        'crash reports',
        'webhooks',
        'events',
        'checkpoint',
        "the game's sign-on",
        'SSO_CLIENT_ID',
        "the game's API",
      ],
      ...["the document of the game's API", 'BASE_URL', 'voice server', 'disk'],
    ]);
    expect(lines.at(-1)).toBe('Nothing is wrong.');
    expect(code).toBe(0);

    const keys = JSON.stringify({ keys: [await newSigningKey()] });
    const DATABASE_REPLICA_URL = 'postgres://castellan:swordfish@127.0.0.1:9/castellan';
    const lost = await instance.run(DOCTOR, { TOKEN_SIGNING_KEYS: keys, DATABASE_REPLICA_URL });
    expect(lost.stdout).toMatch(/^mind replica: not read from: .*\n {5}→ look at the replica/m);
    expect(lost.code).toBe(1);
    expect(lost.stdout).toMatch(
      /^BAD {2}signing keys: \d+ token\(s\) of keys that are not there\n {5}→ put the old/m,
    );
    service.signal('SIGTERM');
    await service.ended;
  });

  it('names what cannot be reached, with advice and without secrets', async () => {
    // A port that is merely free may be used by another service a moment later.
    const closing = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
    await once(closing, 'listening');
    const nobody = `127.0.0.1:${(closing.address() as AddressInfo).port}`;
    const url = `http://${nobody}`;
    const { code, stdout, stderr } = await instance.run(DOCTOR, {
      ...{ SSO_CLIENT_ID: 'castellan', SSO_CLIENT_SECRET: 'swordfish', SSO_URL: url, EXT_API_URL: url },
      BASE_URL: url,
      DATABASE_URL: `postgres://castellan:swordfish@${nobody}/castellan`,
    });
    closing.close();
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    const [api, document] = ["the game's API", "the document of the game's API"];
    for (const about of ['PostgreSQL', "the game's sign-on", api, document, 'BASE_URL'])
      expect(stdout).toMatch(new RegExp(`^BAD  ${about}: .*\\n {5}→ `, 'm'));
    expect(stdout).toMatch(/5 thing\(s\) are wrong\.\n$/);
    expect(stdout).not.toContain('swordfish');
  });

  it('looks at the database by way of a pooler that refuses settings, as the service does', async () => {
    const nobody = 'http://127.0.0.1:9';
    await onDatabase('migrated', async (databaseUrl) => {
      const [pooler, ofReplica] = [await startPooler(databaseUrl), await startPooler(databaseUrl)];
      const { stdout } = await instance.run(DOCTOR, {
        ...{ SSO_CLIENT_ID: 'castellan', SSO_CLIENT_SECRET: 'swordfish', SSO_URL: nobody },
        ...{ EXT_API_URL: nobody, BASE_URL: nobody, DATABASE_URL: pooler.url },
        DATABASE_REPLICA_URL: ofReplica.url,
      });
      for (const { stop } of [pooler, ofReplica]) stop();
      expect(stdout).toMatch(/^ok {3}PostgreSQL: /m);
      expect(stdout).toMatch(/^ok {3}encryption keys: /m);
      expect(stdout).toMatch(/^mind replica: not read from: it is no replica$/m);
    });
  });

  it('ends when its reader is gone, as with `| head -1`', async () => {
    const nobody = 'http://127.0.0.1:9';
    const doctor = instance.start(DOCTOR, {
      ...{ SSO_CLIENT_ID: 'castellan', SSO_CLIENT_SECRET: 'swordfish', SSO_URL: nobody, EXT_API_URL: nobody },
      ...{ BASE_URL: nobody, DATABASE_URL: 'postgres://castellan@127.0.0.1:9/castellan' },
    });
    doctor.hangUp();
    const { code, stderr } = await doctor.ended;
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
  });

  it('reports missing settings first', async () => {
    const { code, stderr } = await instance.run(DOCTOR, { NODE_ENV: 'production' });
    expect(code).toBe(1);
    expect(stderr).toMatch(/DATABASE_URL: must be given/);
  });
});

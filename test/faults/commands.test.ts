import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { startEmbedded } from '../../dev/postgres/embedded.ts';
import { createClient, ok } from '../../sdk/src/index.ts';
import { newSigningKey } from '../harness/app.ts';
import { snapshot } from '../harness/dump.ts';
import {
  build,
  createInstance,
  type Finished,
  type Instance,
  PROGRAMS,
  ROOT,
  type Running,
} from '../harness/instance.ts';
import { startReceiver } from '../harness/receiver.ts';
import { signInAt } from '../harness/sign-in-at.ts';

let instance: Instance;
beforeAll(async () => {
  await build();
  instance = await createInstance();
});
afterAll(() => instance.remove());

/** The uuid of no token. */
const ABSENT = '0a0a0a0a-0a0a-4a0a-8a0a-0a0a0a0a0a0a';

const token = (...args: string[]) => instance.run([...PROGRAMS.token, ...args]);
/** The issuer in a token. */
const issuerOf = (jwt: string) =>
  JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString()).iss as string;
const client = (jwt: string) => createClient({ baseUrl: instance.url, token: jwt });

/** Checks for exactly one line on standard output, nothing else on standard error, and exit code 0. */
function onlyLine({ code, stdout, stderr }: Finished, told = ''): string {
  expect({ code, stderr }).toEqual({ code: 0, stderr: told });
  expect(stdout).toMatch(/^.+\n$/);
  return stdout.trimEnd();
}

describe('D24: npm run token', () => {
  let printed: string;

  it('prints a permanent token of the built-in user on an empty DATA_DIR, says that its database is new, and stops that', async () => {
    const isNew = `DATABASE_URL is set neither in the environment nor in .env, and there is no database in ${instance.dataDir}: a new one is made there. A service that has its settings from elsewhere does not know this token.\n`;
    printed = onlyLine(await token(), isNew);
    expect(await instance.database()).toEqual([]);
    const underNpm = await instance.run(['npm', 'run', 'token']);
    expect(underNpm.code).toBe(0);
    expect(underNpm.stdout.trimEnd().split('\n').at(-1)).toBe(printed);
    expect(underNpm.stderr).not.toContain('a new one');
  });

  it('D90: makes the partitions of its events before the first start of the service', async () => {
    const database = await startEmbedded({ dataDir: instance.dataDir, log: pino({ level: 'silent' }) });
    const reader = new pg.Client({ connectionString: database.url });
    try {
      await reader.connect();
      const { rows } = await reader.query('select type, tableoid::regclass::text as partition from events');
      expect(rows).toEqual([
        { type: 'token.created', partition: expect.stringMatching(/^events_long_\d{6}$/) },
      ]);
    } finally {
      await reader.end();
      await database.stop();
    }
  });

  describe('beside a service without jobs', () => {
    let service: Running;
    /** What a command says that is about a database of which the settings say nothing. */
    const onEmbedded = () =>
      `DATABASE_URL is not set: this is the embedded PostgreSQL in ${instance.dataDir}.\n`;
    beforeAll(async () => {
      service = await instance.serve({ WORKERS: 'none' });
    });

    it('prints the same token, and the API accepts it', async () => {
      expect(onlyLine(await token())).toBe(printed);
      expect(await ok(client(printed).token.current())).toMatchObject({
        token_type: 'per',
        expires_on: null,
        owner: { character_id: 0, clearance_level: 10 },
      });
      expect(await instance.database()).not.toEqual([]);
    });

    it('uses the settings of the running service, not its own', async () => {
      for (const PORT of ['', '4711']) {
        expect(onlyLine(await instance.run(PROGRAMS.token, { PORT }))).toBe(printed);
      }
      const BASE_URL = 'https://castellan.example';
      expect(onlyLine(await instance.run(PROGRAMS.token, { BASE_URL }))).toBe(printed);
    });

    it('reports that its keys differ from those of the service', async () => {
      const TOKEN_SIGNING_KEYS = JSON.stringify({ keys: [await newSigningKey()] });
      const { code, stdout, stderr } = await instance.run(PROGRAMS.token, { TOKEN_SIGNING_KEYS });
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(/^The service that runs here knows other signing keys \(\w+\): .*\n$/);
    });

    it('prints a permanent token of another user with --owner', async () => {
      const signedIn = await signInAt(instance.url, printed, 'http://127.0.0.1:9/nobody-listens');
      const user = (await ok(client(signedIn.searchParams.get('user_token') ?? '').token.current())).owner;
      const theirs = onlyLine(await token('--owner', String(user.character_id)), onEmbedded());
      expect(await ok(client(theirs).token.current())).toMatchObject({
        token_type: 'per',
        owner: { character_id: user.character_id },
      });
    });

    it('lists application tokens, signs one again, and revokes it with all its descendants', async () => {
      const body = { callback: 'http://127.0.0.1:9/listed', comments: 'to be\nrevoked\u001b[2K\u202e' };
      const { tkn: parent } = await ok(client(printed).token.createPermanent({ body }));
      const { tkn: child } = await ok(client(parent).token.createPermanent({ body }));
      const { uuid } = await ok(client(parent).token.current());
      const list = await token('--list');
      expect(list.stdout.split('\n')).toContain(
        // Neither a line of its own, nor a sequence that the terminal would execute.
        ['per', uuid, '(built-in)', body.callback, 'to be\ufffdrevoked\ufffd[2K\ufffd'].join('\t'),
      );
      expect(list.stdout).not.toContain('eyJ');
      expect(onlyLine(await token('--reissue', uuid), onEmbedded())).toBe(parent);
      expect(onlyLine(await token('--revoke', uuid), onEmbedded())).toBe(
        `revoked ${uuid} and all that descended from it`,
      );
      expect((await client(parent).token.current()).status).toBe(401);
      expect((await client(child).token.current()).status).toBe(401);
    });

    it.each([
      [['--owner', 'somebody'], '--owner wants a character id, not "somebody".'],
      [['--owner', '4711'], 'There is no user 4711.'],
      [['--revoke', 'abc'], '"abc" is not a UUID.'],
      [['--revoke', ABSENT], `There is no token ${ABSENT}.`],
      [['--reissue', ABSENT], `There is no token ${ABSENT}.`],
      [['--list', '--revoke', ABSENT], '--list and --revoke cannot be given together.'],
      [['--owner', '0', '--reissue', ABSENT], '--owner and --reissue cannot be given together.'],
      [['--revoke', ABSENT, '--revoke', ABSENT], '--revoke can be given only once'],
      [['--frobnicate'], "Unknown option '--frobnicate'"],
      [['stray'], "Unexpected argument 'stray'"],
    ])('says what is wrong with %j', async (args, message) => {
      const { code, stdout, stderr } = await token(...args);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toContain(message);
      expect(stderr).not.toMatch(/^\s+at /m);
    });

    it('npm run jobs runs the jobs, and a second start on the same port runs none and changes nothing', async () => {
      const receiver = await startReceiver();
      const database = await startEmbedded({ dataDir: instance.dataDir, log: pino({ level: 'silent' }) });
      const reader = new pg.Client({ connectionString: database.url });
      await reader.connect();
      try {
        const signedIn = await signInAt(instance.url, printed, receiver.callback);
        const userToken = signedIn.searchParams.get('user_token') ?? '';
        const before = await snapshot(database.url);
        const second = await instance.run(PROGRAMS.server);
        expect(second.stderr).toContain(`Port ${instance.port} of 127.0.0.1 is in use`);
        expect(await snapshot(database.url)).toEqual(before);
        expect(receiver.received).toEqual([]);
        // With its own settings its tokens would have another issuer.
        const worker = instance.start(['npm', 'run', 'jobs'], { PORT: '' });
        await expect.poll(() => receiver.received.length, { timeout: 60_000 }).toBe(1);
        expect(receiver.received[0]?.headers['castellan-event']).toBe('sign-in');
        expect(receiver.received[0]?.query.get('user_token')).toBe(userToken);

        const { character_id } = (await ok(client(userToken).token.current())).owner;
        await ok(client(printed).user.delete({ params: { character_id } }));
        const states = async () => {
          const sql = "select state::text from pgboss.job where name = 'revoke-grant'";
          return (await reader.query<{ state: string }>(sql)).rows.map(({ state }) => state);
        };
        await expect.poll(states, { timeout: 60_000 }).toEqual(['completed']);

        worker.signal('SIGTERM');
        expect((await worker.ended).code).toBe(0);
        expect((await fetch(`${instance.url}/readyz`)).status).toBe(200);
      } finally {
        await reader.end();
        await database.stop();
        await receiver.stop();
      }
    });

    it('uses its own settings once the service has stopped', async () => {
      service.signal('SIGTERM');
      expect((await service.ended).code).toBe(0);
      const PORT = '4711';
      expect(issuerOf(printed)).toBe(instance.url);
      expect(issuerOf(onlyLine(await instance.run(PROGRAMS.token, { PORT })))).toBe(
        `http://127.0.0.1:${PORT}`,
      );
    });
  });
});

it('npm run openapi prints the document as pure YAML', async () => {
  const { code, stdout } = await instance.run(['npm', 'run', '--silent', 'openapi']);
  expect(code).toBe(0);
  expect(stdout).toBe(await readFile(join(ROOT, 'openapi.yaml'), 'utf8'));
  expect(parse(stdout)).toMatchObject({ openapi: '3.1.0', info: { title: expect.any(String) } });
});

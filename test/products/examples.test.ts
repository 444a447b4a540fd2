import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensurePartitions } from '../../server/history/partitions.ts';
import { letIn } from '../fixtures/registry.ts';
import { addHome } from '../fixtures/users.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { startReceiver } from '../harness/receiver.ts';
import { type Consumer, createConsumer, pack, ROOT, source } from './consumer.ts';

const ALLIANCE = 99_000_001;

let app: TestApp;
let consumer: Consumer;
beforeAll(async () => {
  app = await startTestApp();
  consumer = await createConsumer();
  const tarball = await pack(consumer.folder);
  await consumer.run('npm', 'install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', tarball);
});
afterAll(async () => {
  await consumer?.remove();
  await app?.stop();
});

async function example(name: string, token: string): Promise<string> {
  await consumer.write({ [name]: await source(join(ROOT, 'examples', name)) });
  const variables = [`CASTELLAN_URL=${app.url}`, `CASTELLAN_TOKEN=${token}`];
  return consumer.run('env', ...variables, process.execPath, name);
}

it('lost-access.mjs lists who lost access, and says what a refusal is about', async () => {
  await letIn(app, { alliances: [ALLIANCE] });
  await addHome(app);
  const { world } = app.provider;
  const [, character = 0] = world.membersOf(world.alliance(ALLIANCE)?.executorCorporationId ?? 0);
  const { user } = await app.signIn(character);
  expect(await example('lost-access.mjs', app.root)).not.toContain(user.character_name);

  const body = { mandatory_ext_scopes: ['ext-mail.read_mail.v1' as const] };
  await app.client(app.root).alliance.update({ params: { alliance_id: ALLIANCE }, body });
  expect(await example('lost-access.mjs', app.root)).toContain(
    `  ${user.character_name}: no token with every scope\n`,
  );
  await expect(example('lost-access.mjs', 'no.token')).rejects.toThrow(/401: .+ \(request [\w-]+\)/);
});

describe('in Python', () => {
  const files = ['balance.py', 'castellan.py'];
  beforeAll(async () => {
    for (const name of files) {
      await consumer.write({ [name]: await readFile(join(ROOT, 'examples/python', name), 'utf8') });
    }
  });

  const balance = (token: string, character: number, url = app.url) =>
    consumer.run(
      ...(['env', `CASTELLAN_URL=${url}`, `CASTELLAN_TOKEN=${token}`] as const),
      ...['/usr/bin/python3', 'balance.py', String(character)],
    );

  it('balance.py reads all pages of a history', async () => {
    const { now, character } = await addBalances();
    const oldest = new Date(now.getTime() - 119 * 3_600_000).toISOString().slice(0, 16).replace('T', ' ');
    expect(await balance(app.root, character)).toBe(`-119.00 in 120 entries since ${oldest}\n`);
  });

  it('balance.py says what a refusal is about, and never the token', async () => {
    const refused = balance('no.token.here', 2_112_000_001);
    await expect(refused).rejects.toThrow(/401 token_\w+: .+ \(request [\w-]+\)/);
    await expect(refused).rejects.not.toThrow(/no\.token\.here$/m);
  });

  it.each(['"No entry"', '["No entry"]', 'null', '<h1>No entry</h1>'])(
    'balance.py tells the status of a proxy whose error is no object: %s',
    async (body) => {
      const proxy = await startReceiver();
      proxy.answer = (response) => response.writeHead(403).end(body);
      const refused = balance('no.token', 2_112_000_001, `http://127.0.0.1:${proxy.port}`);
      await expect(refused).rejects.toThrow('403 None: Forbidden (request None)');
      await proxy.stop();
    },
  );

  it('every file passes mypy, strictly', async () => {
    expect(await consumer.run('/usr/bin/mypy', '--strict', ...files)).toMatch(
      /no issues found in 2 source files/,
    );
  });
});

/** A character with an entry for each of 120 hours: more and more, the further back. */
async function addBalances(): Promise<{ readonly now: Date; readonly character: number }> {
  const now = app.clock.now();
  const scopes = ['publicData', 'ext-mail.read_mail.v1'];
  const { character_id: character } = (await app.signIn(2_112_000_001, { scopes })).user;
  for (const days of [0, 7]) await ensurePartitions(app.db, new Date(now.getTime() - days * 86_400_000));
  const rows = Array.from({ length: 120 }, (_, hour) => ({
    character_id: character,
    timestamp: new Date(now.getTime() - hour * 3_600_000),
    balance: hour,
  }));
  await app.db.insertInto('character_wallets').values(rows).execute();
  return { now, character };
}

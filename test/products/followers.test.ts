import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { appendFile, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ok } from '../../sdk/src/index.ts';
import { recordEvents } from '../../server/event/record.ts';
import { signaturesOf } from '../../server/webhook/secret.ts';
import { allSealed } from '../fixtures/events.ts';
import { addHome, addMember } from '../fixtures/users.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { type Consumer, createConsumer, pack, ROOT } from './consumer.ts';

const DAY = 86_400_000;

let app: TestApp;
let consumer: Consumer;
let ids: number[];
let names: string[];
beforeAll(async () => {
  app = await startTestApp({ worker: true });
  await addHome(app);
  const members = [];
  for (let n = 0; n < 4; n += 1) members.push(await addMember(app, 2_117_000_001 + n, 0));
  ids = members.map(({ id }) => id);
  names = members.map(({ name }) => name);
  consumer = await createConsumer();
  const tarball = await pack(consumer.folder);
  await consumer.run('npm', 'install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', tarball);
  for (const name of ['roles.mjs', 'webhook-bot.mjs']) {
    await consumer.write({ [name]: await readFile(join(ROOT, 'examples', name), 'utf8') });
  }
});
afterAll(async () => {
  await consumer?.remove();
  await app?.stop();
});

const root = () => app.client(app.root);
async function addGroup(group_name: string, ...members: string[]) {
  const { group_id } = await ok(root().group.create({ body: { group_name } }));
  await ok(root().group.update({ params: { group_id }, body: { members } }));
  return { group_id };
}

describe('webhook-bot.mjs', () => {
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  const inbox = () => join(consumer.folder, 'inbox.ndjson');
  const bots: ChildProcess[] = [];
  afterAll(() => {
    for (const bot of bots) bot.kill('SIGKILL');
  });

  async function start(WEBHOOK_SECRET = secret, PORT = '0') {
    const env = { PATH: process.env['PATH'] ?? '', WEBHOOK_SECRET, PORT, INBOX: inbox() };
    const bot = spawn(process.execPath, ['webhook-bot.mjs'], { cwd: consumer.folder, env });
    bots.push(bot);
    let printed = '';
    bot.stdout.setEncoding('utf8').on('data', (part) => {
      printed += part;
    });
    const said = (text: string | RegExp) => expect.poll(() => printed, { timeout: 60_000 }).toMatch(text);
    await said(/^http:.*\n/m);
    return { bot, url: /^http:\S+/m.exec(printed)?.[0] ?? '', said, printed: () => printed };
  }

  async function kill(bot: ChildProcess) {
    bot.kill('SIGKILL');
    await once(bot, 'exit');
  }
  /** The whole lines of the inbox. */
  async function lines(): Promise<{ id: string; done?: boolean }[]> {
    const all = (await readFile(inbox(), 'utf8')).split('\n');
    return all.filter((line) => line.endsWith('}')).map((line) => JSON.parse(line));
  }
  const finished = (id: string) => expect.poll(lines, { timeout: 60_000 }).toContainEqual({ id, done: true });

  const BODY = JSON.stringify({
    type: 'group.members_changed',
    data: {
      type: 'group.members_changed',
      targets: [{ type: 'group', id: 'g', name: 'Scouts' }],
      changes: [{ field: 'members', added: [7], removed: [8] }],
    },
  });
  const seconds = () => Math.floor(Date.now() / 1000);
  function deliver(url: string, id: string, { by = secret, timestamp = seconds(), sent = BODY } = {}) {
    const headers = {
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': `v1a,AAAA ${signaturesOf([by], { id, timestamp, body: BODY })}`,
    };
    return fetch(url, { method: 'POST', headers, body: sent }).then(({ status }) => status);
  }

  it('takes what the service signed, once, also after a restart, and nothing else', async () => {
    await rm(inbox(), { force: true });
    const first = await start();
    const twice = await Promise.all([deliver(first.url, 'one'), deliver(first.url, 'one')]);
    expect(twice).toEqual([204, 204]);
    await first.said('Scouts: 7 came\nScouts: 8 left\n');
    expect(await deliver(first.url, 'two', { by: `whsec_${randomBytes(32).toString('base64')}` })).toBe(401);
    expect(await deliver(first.url, 'two', { timestamp: seconds() - 600 })).toBe(401);
    expect(await deliver(first.url, 'two', { timestamp: Number.NaN })).toBe(401);
    expect(await deliver(first.url, 'two', { sent: BODY.replace('[7]', '[9]') })).toBe(401);
    expect(await deliver(first.url, 'two', { sent: 'x'.repeat(300_000) })).toBe(413);
    expect((await fetch(first.url)).status).toBe(405);
    await finished('one');
    await kill(first.bot);

    const second = await start();
    expect(await deliver(second.url, 'one')).toBe(204);
    expect(await deliver(second.url, 'three')).toBe(204);
    await finished('three');
    expect((await lines()).map(({ id, done = false }) => [id, done])).toEqual([
      ...[
        ['one', false],
        ['one', true],
      ],
      ...[
        ['three', false],
        ['three', true],
      ],
    ]);
    expect(second.printed().match(/came/g)).toHaveLength(1);
  });

  it('D93: works on what it kept and did not finish, because it was killed in between', async () => {
    await rm(inbox(), { force: true });
    const first = await start();
    expect(await deliver(first.url, 'one')).toBe(204);
    await finished('one');
    await kill(first.bot);
    const message = { id: 'two', ...JSON.parse(BODY.replace('[7]', '[9]')) };
    await appendFile(inbox(), `\n${JSON.stringify(message)}`);

    const second = await start();
    await second.said('Scouts: 9 came\n');
    expect(await deliver(second.url, 'two')).toBe(204);
    await finished('two');
    await kill(second.bot);
    const third = await start();
    expect(second.printed().match(/came/g)).toHaveLength(1);
    expect(third.printed()).not.toContain('came');
  });

  it('starts again after a delivery that the disk had no room for, and keeps the next one', async () => {
    // Answered 500: part of a line was written, and the service brings that delivery again.
    await writeFile(inbox(), '{"id":"one"}\n{"id":"one","done":true}\n{"id":"two","type":"gro');
    const { url, bot } = await start();
    expect(await deliver(url, 'one')).toBe(204);
    expect(await deliver(url, 'three')).toBe(204);
    expect(await deliver(url, 'two')).toBe(204);
    await finished('two');
    await kill(bot);

    const second = await start();
    for (const id of ['one', 'two', 'three']) expect(await deliver(second.url, id)).toBe(204);
    const whole = (await lines()).filter(({ done }) => !done);
    expect(whole.map(({ id }) => id)).toEqual(['one', 'three', 'two']);
  });

  it('is told by the service itself who comes and who leaves', async () => {
    await rm(inbox(), { force: true });
    // The bot has to know the secret, and the service the bot: it waits where it will be.
    const waiting = await start();
    const body = { url: waiting.url, types: ['group.*' as const] };
    await allSealed(app.db);
    const { webhook_id, secret: given } = await ok(root().webhook.create({ body }));
    await kill(waiting.bot);
    const bot = await start(given, new URL(waiting.url).port);
    await addGroup('Fleet', names[0] as string);
    await bot.said(`Fleet: ${ids[0]} came`);
    const deliveries = () => ok(root().webhook.listDeliveries({ params: { webhook_id } }));
    await expect.poll(async () => (await deliveries()).map(({ state }) => state)).not.toContain('waiting');
    expect(new Set((await deliveries()).map(({ state }) => state))).toEqual(new Set(['delivered']));
  });
});

// Last: time goes on here, which the bot would not believe.
describe('roles.mjs', () => {
  const state = () => join(consumer.folder, 'roles.json');
  /** What one run gives and takes, sorted. */
  async function run(url = app.url): Promise<string[]> {
    await allSealed(app.db);
    const variables = [`CASTELLAN_URL=${url}`, `CASTELLAN_TOKEN=${app.root}`, `STATE=${state()}`];
    const printed = await consumer.run('env', ...variables, process.execPath, 'roles.mjs', '--once');
    return printed.split('\n').filter(Boolean).sort();
  }
  /** Who has which role, as the file says. */
  async function roles(): Promise<Record<string, number[]>> {
    const { groups } = JSON.parse(await readFile(state(), 'utf8'));
    const all = Object.values<{ name: string; members: number[] }>(groups);
    return Object.fromEntries(all.map(({ name, members }) => [name, members.sort((a, b) => a - b)]));
  }
  /** The same by the API. */
  async function present(): Promise<Record<string, number[]>> {
    const groups = await ok(root().group.list());
    const all = await Promise.all(groups.map((params) => ok(root().group.get({ params }))));
    const idsOf = (members: readonly { character_id: number }[]) => members.map((one) => one.character_id);
    return Object.fromEntries(
      all.map(({ group_name, members }) => [group_name, idsOf(members).sort((a, b) => a - b)]),
    );
  }

  it('takes a snapshot, then follows, catches up after a week away, and begins anew where it has to', async () => {
    const scouts = await addGroup('Scouts', names[0] as string, names[1] as string);
    const brief = await addGroup('Brief', names[2] as string);
    const first = await run();
    expect(first).toEqual(
      expect.arrayContaining([`+ Brief ${ids[2]}`, `+ Scouts ${ids[0]}`, `+ Scouts ${ids[1]}`]),
    );
    expect(await roles()).toEqual(await present());
    expect(await run()).toEqual([]);

    // A week away: someone comes, someone leaves, a group goes, another one comes.
    const update = (body: object) => ok(root().group.update({ params: scouts, body }));
    await update({ add_members: [names[3]], remove_members: [names[0]] });
    await ok(root().group.delete({ params: brief }));
    const haulers = await addGroup('Haulers', names[1] as string);
    app.clock.advance(7 * DAY);
    expect(await run()).toEqual([
      ...['+ Haulers 0', `+ Haulers ${ids[1]}`, `+ Scouts ${ids[3]}`],
      ...['- Brief 0', `- Brief ${ids[2]}`, `- Scouts ${ids[0]}`],
    ]);
    expect(await roles()).toEqual(await present());

    // Too long away: the feed does not go back so far, and says so.
    await ok(root().group.delete({ params: haulers }));
    await update({ add_members: [names[0]] });
    await allSealed(app.db);
    app.clock.advance(31 * DAY);
    await recordEvents(app.db, [{ type: 'job.requested', targets: [] }], app.clock.now());
    expect(await run()).toEqual([`+ Scouts ${ids[0]}`, '- Haulers 0', `- Haulers ${ids[1]}`]);
    expect(await roles()).toEqual(await present());

    // A backup was restored: the cursor lies beyond the end.
    const kept = JSON.parse(await readFile(state(), 'utf8'));
    await writeFile(state(), JSON.stringify({ ...kept, cursor: '999999999' }));
    expect(await run()).toEqual([]);
    expect(Number(JSON.parse(await readFile(state(), 'utf8')).cursor)).toBeLessThan(999_999_999);
  });

  it('D60: waits for as long as it is told where there are more groups than requests in a minute', async () => {
    await rm(state(), { force: true });
    let refused = 0;
    // More often than the SDK itself asks again.
    const limiting = createServer(async ({ url = '', headers }, response) => {
      if (url.startsWith('/group/') && refused < 4) {
        refused += 1;
        response.writeHead(429, { 'retry-after': '0', 'content-type': 'application/json' }).end('{}');
        return;
      }
      const answer = await fetch(app.url + url, {
        headers: { authorization: headers.authorization ?? '' },
      });
      response.writeHead(answer.status, {
        'content-type': 'application/json',
        'castellan-position': answer.headers.get('castellan-position') ?? '',
      });
      response.end(await answer.text());
    });
    await once(limiting.listen(0, '127.0.0.1'), 'listening');
    try {
      await run(`http://127.0.0.1:${(limiting.address() as AddressInfo).port}`);
    } finally {
      limiting.close();
    }
    expect(refused).toBe(4);
    expect(await roles()).toEqual(await present());
  });

  it('says what a refusal is about, and keeps what it knew', async () => {
    const before = await readFile(state(), 'utf8');
    const variables = [`CASTELLAN_URL=${app.url}`, 'CASTELLAN_TOKEN=no.token', `STATE=${state()}`];
    const refused = consumer.run('env', ...variables, process.execPath, 'roles.mjs', '--once');
    await expect(refused).rejects.toThrow(/401 token_\w+: .+ \(request [\w-]+\)/);
    expect(await readFile(state(), 'utf8')).toBe(before);
  });
});

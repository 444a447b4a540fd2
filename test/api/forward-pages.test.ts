import { once } from 'node:events';
import { readdirSync, readlinkSync, truncateSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createClient } from '../../sdk/src/index.ts';
import { createApi } from '../../server/api.ts';
import { type App, createApp } from '../../server/app.ts';
import { renewSlot, takeSlot } from '../../server/ext/caller-slots.queries.ts';
import { createJoiner } from '../../server/ext/join-pages.ts';
import { type Listening, listen } from '../../server/http/listen.ts';
import { errorsOfOneCall } from '../../server/provider/error-budget.ts';
import { addHome, addMember, type MadeToken } from '../fixtures/users.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { forgetProvider, madeAnswer } from '../harness/provider.ts';
import { type Problem, send } from '../harness/send.ts';

/** 30 pages, 9 MB: more than the buffers of a connection. Each market is used once, so that nothing is cached. */
let market = 11_000_001;
const list = () => `markets/${market++}/orders`;
const path = () => `/ext/${list()}?all_pages=true`;

let app: TestApp;
let other: App;
let http: Listening;
let ada: MadeToken;
let ben: MadeToken;
let clients: Socket[] = [];

beforeAll(async () => {
  app = await startTestApp();
  const { settings, log } = app.app.services;
  other = await createApp(settings, { log, clock: app.clock, worker: false, database: { poolSize: 8 } });
  http = await listen(createApi(other.services), '127.0.0.1', 0);
  await addHome(app);
  [ada, ben] = [await addMember(app, 2_190_000_001), await addMember(app, 2_190_000_002)];
  app.provider.setRateLimit('market-order', 1_000_000);
  await app.app.services.document.current();
});
afterEach(async () => {
  for (const client of clients) client.destroy();
  clients = [];
  app.provider.faults.clear();
  await nobodyAtWork();
  await forgetProvider(app);
});
afterAll(async () => {
  await http.stop(1_000);
  await other.close();
  await app.stop();
});

const otherUrl = () => ({ url: `http://127.0.0.1:${http.port}` });

async function atWork(): Promise<number> {
  return (await sql`select from joined_answers where until > now()`.execute(app.db)).rows.length;
}
const areAtWork = (count: number) =>
  vi.waitFor(async () => expect(await atWork()).toBe(count), { timeout: 60_000 });
const nobodyAtWork = () => areAtWork(0);

/** Requests all pages, and reads the answer. */
const take = (token: string, { url: baseUrl }: { readonly url: string } = app) =>
  createClient({ baseUrl, token, retries: 0 }).ext.forwardGet({
    params: { esi_path: list() },
    query: { all_pages: true },
  });

/** A client that sends a request, and reads nothing until it is told to. */
function ask(token: string, url = app.url): Socket {
  const { host, port } = new URL(url);
  const client = connect({ port: Number(port), host: '127.0.0.1' });
  clients.push(client);
  client.on('error', () => undefined);
  client.pause();
  client.write(`GET ${path()} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\n\r\n`);
  return client;
}

/** Everything received until the connection ends. */
async function readAll(client: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  client.on('data', (chunk: Buffer) => chunks.push(chunk));
  client.resume();
  await new Promise((resolve) => client.once('close', resolve));
  return Buffer.concat(chunks).toString();
}

/** Temporary files of this process, by the path of their open handle. */
function spools(): string[] {
  return readdirSync('/proc/self/fd')
    .map((fd) => `/proc/self/fd/${fd}`)
    .filter((link) => {
      try {
        return readlinkSync(link).includes('/castellan-');
      } catch {
        return false;
      }
    });
}

describe('D30: one caller has at most four joined answers at a time', () => {
  it('over all processes; the fifth is a 429, and other callers have their own', async () => {
    for (const url of [app.url, app.url, otherUrl().url, otherUrl().url]) ask(ada.jwt, url);
    await areAtWork(4);
    for (const to of [app, otherUrl()]) {
      const refused = await take(ada.jwt, to);
      expect(refused.headers.get('retry-after')).toBe('10');
      expect(refused).toMatchObject({
        status: 429,
        body: { detail: expect.stringContaining('4 joined answers'), code: 'too_many_joined_answers' },
      });
    }
    expect((await take(ben.jwt)).status).toBe(200);
  });

  it('a slot is free again when the answer was read or refused, or its client is gone', async () => {
    for (let n = 0; n < 4; n += 1) ask(ada.jwt);
    await areAtWork(4);
    clients[0]?.destroy();
    await areAtWork(3);
    for (let n = 0; n < 3; n += 1) {
      expect((await take(ada.jwt)).status).toBe(200);
      // A client has the last byte before the slot is free.
      await areAtWork(3);
    }
    app.provider.faults.add(`/markets/${market}/orders`, { kind: 'status', status: 403 });
    expect((await take(ada.jwt)).status).toBe(403);
    await areAtWork(3);
    app.provider.faults.add(`/markets/${market}/orders`, { kind: 'not json' });
    expect((await take(ada.jwt)).status).toBe(502);
    await areAtWork(3);
  });

  it.skipIf(process.platform !== 'linux')(
    'places and files of answers in line behind another are free when the connection is gone',
    async () => {
      const { host, port } = new URL(app.url);
      const client = connect({ port: Number(port), host: '127.0.0.1' });
      clients.push(client);
      client.on('error', () => undefined);
      client.pause();
      const head = `Host: ${host}\r\nAuthorization: Bearer ${ada.jwt}\r\n\r\n`;
      for (let n = 0; n < 3; n += 1) client.write(`GET ${path()} HTTP/1.1\r\n${head}`);
      await vi.waitFor(() => expect(spools()).not.toEqual([]), { timeout: 60_000 });
      // The first one is being written; if the others had started, their files would exist by now.
      expect((await take(ben.jwt)).status).toBe(200);
      client.resetAndDestroy();
      await nobodyAtWork();
      await expect.poll(spools).toEqual([]);
    },
  );

  it('the slots of a killed process are free after a minute', async () => {
    const holder = (n: number) => ({ caller: 'x', id: `00000000-0000-4000-8000-00000000000${n}` });
    const take = (n: number, seconds: number) => takeSlot(app.db, holder(n), 2, seconds);
    expect(await take(1, 60)).toBe(true);
    expect(await take(2, -1)).toBe(true);
    expect(await take(3, 60)).toBe(true);
    expect(await take(4, 60)).toBe(false);
    await renewSlot(app.db, holder(3), -1);
    // A late release must not free a slot that another request has by now.
    await renewSlot(app.db, holder(2), 60);
    expect(await take(4, 60)).toBe(true);
    await sql`truncate joined_answers`.execute(app.db);
  });

  it('many concurrent requests get four slots and no more', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 12 }, async (_, n) => {
        const { status } = await send<Problem>(n % 2 ? app : otherUrl(), 'GET', path(), { token: ada.jwt });
        return status;
      }),
    );
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(4);
  });
});

describe('D30: a joined answer is written page by page', () => {
  it('with its length, in the same form as all answers', async () => {
    const answer = await send<{ data: { order_id: number }[]; headers: Record<string, string> }>(
      app,
      'GET',
      `${path()}&id_annotations=true`,
      { token: ada.jwt },
    );
    expect(answer.headers['content-type']).toBe('application/json');
    expect(Number(answer.headers['content-length'])).toBe(Buffer.byteLength(answer.text));
    expect(answer.json).toMatchObject({
      headers: { 'x-pages': '30' },
      id_annotations: { 34: expect.any(String) },
      status_code: 200,
    });
    const { data } = answer.json;
    expect(data).toHaveLength(29_500);
    expect(data.map(({ order_id: id }) => id)).toEqual(
      [...data].map(({ order_id: id }) => id).sort((a, b) => a - b),
    );
  });

  it('no more pages are requested for a client that disconnects', async () => {
    let letGo: (() => void) | undefined;
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const region = market;
    const pages = () => app.provider.requests.filter((one) => one.path.includes(`/${region}/`));
    app.provider.faults.add(`/markets/${region}/orders`, { kind: 'hold', until: held });
    const client = ask(ada.jwt);
    await expect.poll(pages).toHaveLength(1);
    client.destroy();
    const closed = () => app.logged.some((line) => line.includes(`/ext/markets/${region}/orders`));
    await expect.poll(closed).toBe(true);
    letGo?.();
    await nobodyAtWork();
    expect(pages()).toHaveLength(1);
  });

  it.skipIf(process.platform !== 'linux')(
    'one that breaks off in the middle ends the connection, and is no JSON',
    async () => {
      const client = ask(ada.jwt);
      // Reads no more than its buffer holds.
      client.on('readable', () => undefined);
      await vi.waitFor(() => expect(client.readableLength).toBeGreaterThan(0), { timeout: 60_000 });
      for (const file of spools()) truncateSync(file, 3_000_000);
      client.removeAllListeners('readable');
      const text = await readAll(client);
      const [head = '', ...body] = text.split('\r\n\r\n');
      expect(head).toMatch(/^HTTP\/1.1 200 /);
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1]);
      expect(Buffer.byteLength(body.join('\r\n\r\n'))).toBeLessThan(length);
      expect(() => JSON.parse(body.join('\r\n\r\n'))).toThrow(SyntaxError);
      expect(app.logged.some((line) => line.includes('a joined answer is broken off'))).toBe(true);
      await nobodyAtWork();
      expect(spools()).toEqual([]);
    },
  );
});

describe('D30: the amount of data that waits for slow clients is bounded', () => {
  it('when it is exceeded, the oldest answer is aborted', async () => {
    const join = createJoiner(app.app.services, { waitingBytes: 2_500_000 });
    const page = madeAnswer(200, ['x'.repeat(500_000)], { 'x-pages': '2' });
    const request = {
      from: 'body',
      annotate: undefined,
      allowance: errorsOfOneCall(),
      signal: new AbortController().signal,
    } as const;
    const joined = await Promise.all(
      ['a', 'b'].map((caller) => join({ ...request, caller, ask: async () => page })),
    );
    const streams = joined.map((answer) => (answer.kind === 'stream' ? answer.stream : expect.unreachable()));
    const broken: boolean[] = streams.map(() => false);
    for (const [n, stream] of streams.entries())
      stream.once('error', () => {
        broken[n] = true;
      });
    const third = await join({ ...request, caller: 'c', ask: async () => page });
    await expect.poll(() => broken.filter(Boolean)).toHaveLength(1);
    const left = streams.filter((_, n) => !broken[n]);
    for (const stream of [...left, ...(third.kind === 'stream' ? [third.stream] : [])]) {
      const whole = JSON.parse((await buffer(stream)).toString()) as { data: string[] };
      expect(whole.data).toHaveLength(2);
    }
  });
});

describe('D3c: a list', () => {
  it('of many pages gives way to other requests before each of them', async () => {
    const [given, asked]: [string[], string[]] = [[], []];
    const wayFor = async () => void given.push('way');
    const join = createJoiner(app.app.services, { wayFor });
    const page = madeAnswer(200, ['x'], { 'x-pages': '20' });
    const answer = await join({
      caller: 'a',
      from: 'body',
      annotate: undefined,
      allowance: errorsOfOneCall(),
      signal: new AbortController().signal,
      ask: async (n) => {
        expect(given.length).toBeGreaterThan(asked.length);
        asked.push(String(n));
        return page;
      },
    });
    if (answer.kind === 'stream') await buffer(answer.stream);
    expect([given.length, asked.length]).toEqual([20, 20]);
  });
});

describe('lists of a provider that misbehaves', () => {
  const asked: string[] = [];
  /** Answers of page 1, and of the others, by path. */
  const lists: Record<string, readonly [string, status: number]> = {
    '/big': ['140', 200],
    '/long': ['1001', 200],
    '/gone': ['80', 404],
    '/broken': ['80', 500],
    '/forbidden': ['80', 403],
    '/wide': ['1', 200],
    '/narrow': ['1', 200],
    '/changing': ['2', 200],
  };
  const parameters = [{ name: 'page', in: 'query' }];
  const paths = Object.fromEntries(Object.keys(lists).map((path) => [path, { get: { parameters } }]));
  /** JSON that is written otherwise than we do, with a number that is lost when it is parsed. */
  const written = (length: number) => `[ 9007199254740993, 1.0, "${'é'.repeat(length)}" ]`;
  const AS_WRITTEN: Record<string, string> = { '/wide': written(70_000), '/narrow': written(7) };
  const provider = createServer(({ url = '', headers }, response) => {
    const [path = '', page] = url.split('?page=');
    const [pages, status] = lists[path] ?? [];
    asked.push(path);
    response.setHeader('content-type', 'application/json');
    if (pages === undefined || status === undefined) {
      response.end(JSON.stringify({ openapi: '3.1.0', paths }));
      return;
    }
    if (path in AS_WRITTEN) {
      response.setHeader('cache-control', 'max-age=60').end(AS_WRITTEN[path]);
      return;
    }
    if (path === '/changing') {
      // A page stays as it is when others come or go, and a 304 need not repeat the number of pages.
      const etag = `"${page}"`;
      response.setHeader('etag', etag);
      response.statusCode =
        Number(page) > Number(pages) ? 404 : etag === headers['if-none-match'] ? 304 : 200;
      if (response.statusCode !== 304) response.setHeader('x-pages', pages).write(`["page ${page}"]`);
      response.end();
      return;
    }
    response.statusCode = page === '1' ? 200 : status;
    response
      .setHeader('x-pages', pages)
      .end(JSON.stringify([path === '/big' ? 'x'.repeat(1_000_000) : `page ${page}`]));
  });
  let odd: TestApp;
  beforeAll(async () => {
    await once(provider.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
    odd = await startTestApp({ env: { EXT_API_URL: url, EXT_API_SPEC_URL: `${url}/document.json` } });
    await addHome(odd);
  });
  afterAll(async () => {
    await odd.stop();
    provider.closeAllConnections();
    provider.close();
  });

  it.each([
    ['/wide', 2_190_000_009],
    ['/narrow', 2_190_000_010],
  ])('D30: %s is passed on as the provider wrote it, from the cache, too', async (path, id) => {
    const body = AS_WRITTEN[path] as string;
    const { jwt: token } = await addMember(odd, id);
    for (const query of ['', 'all_pages=true', 'id_annotations=true']) {
      const answer = await fetch(`${odd.url}/ext${path}?${query}`, {
        headers: { Authorization: `Bearer ${token}` },
      });
      const text = await answer.text();
      expect(answer.headers.get('content-type')).toBe('application/json');
      expect(answer.headers.get('content-length')).toBe(String(Buffer.byteLength(text)));
      expect(text.slice(0, body.length + 10)).toBe(`{"data":${body},"`);
      expect(JSON.parse(text)).toMatchObject({ id_annotations: {}, status_code: 200 });
    }
    // The request for all pages names the first one, so that it is another.
    expect(asked.filter((one) => one === path).length).toBeLessThan(3);
  });

  it.each([
    ['/big', '64 MiB', 2_190_000_001],
    ['/long', '1000 pages', 2_190_000_005],
  ])('D30: %s would have more than %s: a 422 that says so, after the first page', async (path, most, id) => {
    const { jwt: token } = await addMember(odd, id);
    for (const [method, where, body, from] of [
      ['GET', `/ext${path}?all_pages=true`, undefined, 'query'],
      ['POST', `/ext${path}`, { all_pages: true }, 'body'],
    ] as const) {
      const answer = await send(odd, method, where, { token, body });
      expect(answer).toMatchObject({
        status: 422,
        json: { detail: [{ loc: [from, 'all_pages'], msg: expect.stringContaining(`than ${most}`) }] },
      });
    }
    expect(asked.filter((one) => one === path)).toHaveLength(2);
    expect((await sql`select from joined_answers`.execute(odd.db)).rows).toEqual([]);
  });

  it('D32: a 304 without a number of pages does not confirm the former one', async () => {
    const { jwt: token } = await addMember(odd, 2_190_000_011);
    for (const count of [2, 3, 3, 1, 2]) {
      lists['/changing'] = [String(count), 200];
      const answer = await send(odd, 'GET', '/ext/changing?all_pages=true', { token });
      const data = Array.from({ length: count }, (_, index) => `page ${index + 1}`);
      expect(answer).toMatchObject({ status: 200, json: { data, headers: { 'x-pages': String(count) } } });
    }
    expect((await sql`select from provider_callers where errors > 0`.execute(odd.db)).rows).toEqual([]);
  });

  it.each([
    ['/gone', 502, 2_190_000_002],
    ['/broken', 502, 2_190_000_003],
    ['/forbidden', 403, 2_190_000_004],
  ])('D33: %s causes at most 10 errors, which leave its caller others', async (path, status, id) => {
    const { jwt: token } = await addMember(odd, id);
    expect((await send(odd, 'GET', `/ext${path}?all_pages=true`, { token })).status).toBe(status);
    const { rows } = await sql<{ errors: number }>`
      select errors from provider_callers where caller = ${String(id)}`.execute(odd.db);
    expect(rows[0]?.errors).toBeGreaterThan(0);
    expect(rows[0]?.errors).toBeLessThanOrEqual(10);
  });
});

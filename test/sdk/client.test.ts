import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { AppRoute, AppRouter } from '@ts-rest/core';
import { afterAll, beforeAll, beforeEach, describe, expect, expectTypeOf, it, vi } from 'vitest';
import { contract } from '../../contract/index.ts';
import { operations } from '../../contract/openapi.ts';
import { VERSION } from '../../sdk/src/generated/version.ts';
import {
  type Application,
  CastellanError,
  createCastellan,
  createClient,
  type ErrorCode,
  type Event,
  type Group,
  ok,
  paginate,
  type Token,
  type UserShort,
} from '../../sdk/src/index.ts';

interface Seen {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
}

type Reply = (response: ServerResponse) => void;

let server: Server;
let baseUrl: string;
let seen: Seen[];
let reply: Reply;

function json(status: number, body: unknown, headers: Record<string, string> = {}): Reply {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers });
    response.end(JSON.stringify(body));
  };
}

const TOKEN = 'secret.jwt.text';

beforeAll(async () => {
  server = createServer(async (request, response) => {
    seen.push({
      method: request.method ?? '',
      url: request.url ?? '',
      headers: request.headers,
      body: await text(request),
    });
    reply(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  server.closeAllConnections();
  return new Promise<void>((resolve) => server.close(() => resolve()));
});

beforeEach(() => {
  seen = [];
  reply = json(200, {});
});

const client = () => createClient({ baseUrl, token: TOKEN, retries: 0 });

/** Answers one call after the other; the last reply stays. */
function replies(...given: Reply[]): Reply {
  return (response) => (given.length > 1 ? given.shift() : given[0])?.(response);
}

describe('requests', () => {
  it.each([
    ['Ada Vale', '/user/Ada%20Vale'],
    ['a/b?c#d', '/user/a%2Fb%3Fc%23d'],
    ['100%', '/user/100%25'],
    ['Žofie 😀', '/user/%C5%BDofie%20%F0%9F%98%80'],
    ['...', '/user/...'],
    ['(built-in)', '/user/(built-in)'],
  ])('encode the path parameter %j', async (character_name, url) => {
    await client().user.get({ params: { character_name } });
    expect(seen.map((request) => request.url)).toEqual([url]);
  });

  it('keep the slashes of a forwarded path and encode the rest', async () => {
    await client().ext.forward({ params: { esi_path: 'characters/1/a b?c' } });
    await client().ext.forward({ params: { esi_path: '/status' } });
    expect(seen.map(({ url }) => url)).toEqual(['/ext/characters/1/a%20b%3Fc', '/ext/status']);
  });

  it('send 0, which is the built-in user', async () => {
    await client().user.update({ params: { character_id: 0 }, body: {} });
    expect(seen[0]).toMatchObject({ method: 'PUT', url: '/user/0', body: '{}' });
  });

  it.each([
    ['missing', {}],
    ['undefined', { character_name: undefined }],
    ['null', { character_name: null }],
    ['empty', { character_name: '' }],
    ['not a number', { character_name: Number.NaN }],
    ['a step up', { character_name: '..' }],
    ['a step nowhere', { character_name: '.' }],
    ['half a surrogate pair', { character_name: 'Vale \ud83d' }],
  ])('with a path parameter that is %s are not sent', async (_, params) => {
    const call = client().user.get({ params: params as unknown as { character_name: string } });
    await expect(call).rejects.toThrow(TypeError);
    await expect(call).rejects.toThrow(/character_name/);
    expect(seen).toEqual([]);
  });

  it('cannot climb out of a forwarded path', async () => {
    await expect(client().ext.forward({ params: { esi_path: 'a/../../token' } })).rejects.toThrow(TypeError);
    expect(seen).toEqual([]);
  });

  it('carry query, body and headers', async () => {
    const { ext, group, history, system } = client();
    await system.runJob({ params: { job_id: 'sync' }, query: { dry_run: true, force: undefined } });
    await ext.forwardGet({ params: { esi_path: 'status' }, query: { params: { a: [1, 'x&y'] } } });
    await history.mails({ params: { character_id: 7 }, headers: { page: 2, 'x-request-id': 'mine' } });
    await group.create({ body: { group_name: 'Scouts' } });
    expect(seen.map(({ url }) => url)).toEqual([
      '/system/job/sync?dry_run=true',
      `/ext/status?${new URLSearchParams({ params: '{"a":[1,"x&y"]}' })}`,
      '/ext/history/characters/7/mail',
      '/group',
    ]);
    expect(seen[2]?.headers).toMatchObject({ page: '2', 'x-request-id': 'mine' });
    expect(seen[3]?.headers['content-type']).toBe('application/json');
    expect(seen[3]?.body).toBe('{"group_name":"Scouts"}');
    expect(seen[0]).toMatchObject({ method: 'POST', body: '' });
    expect(seen[0]?.headers['content-type']).toBeUndefined();
  });

  it('leave a body out where an operation that reads is given one', async () => {
    await client().group.list({ body: {} } as object);
    expect(seen[0]).toMatchObject({ method: 'GET', body: '' });
    expect(seen[0]?.headers['content-type']).toBeUndefined();
  });

  it('tell no token that cannot be sent', async () => {
    const call = createClient({ baseUrl, token: 'cvp_se\ncret' }).group.list();
    const error = await call.then(() => expect.unreachable(), String);
    expect(error).toBe('TypeError: Header authorization is invalid');
  });

  it('keep a path prefix of the base URL', async () => {
    await createClient({ baseUrl: `${baseUrl}/castellan/` }).group.list();
    expect(seen[0]?.url).toBe('/castellan/group');
  });

  it.each(['castellan.example', 'ftp://castellan.example', 'https://ada:pw@castellan.example'])(
    'refuse the base URL %s',
    (url) => {
      expect(() => createClient({ baseUrl: url })).toThrow(TypeError);
    },
  );

  it('can be ended early', async () => {
    const given = AbortSignal.abort();
    await expect(client().group.list({ signal: given })).rejects.toThrow(/abort/i);
    expect(seen).toEqual([]);
  });

  it('throw when nobody answers', async () => {
    reply = (response) => response.destroy();
    await expect(client().group.list()).rejects.toThrow(TypeError);
  });
});

describe('the token', () => {
  it('is asked for before each call', async () => {
    let number = 0;
    const asking = createClient({ baseUrl, token: async () => `token-${++number}` });
    await asking.group.list();
    await asking.group.list();
    expect(seen.map(({ headers }) => headers.authorization)).toEqual(['Bearer token-1', 'Bearer token-2']);
  });

  it('is left out where there is none', async () => {
    await createClient({ baseUrl }).group.list();
    await createClient({ baseUrl, token: () => undefined }).group.list();
    expect(seen.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined]);
  });

  it('never follows a redirect', async () => {
    reply = (response) => response.writeHead(307, { location: `${baseUrl}/elsewhere` }).end();
    await expect(client().group.list()).rejects.toThrow(TypeError);
    expect(seen.map(({ url }) => url)).toEqual(['/group']);
  });

  it('is not sent to the provider callback, whose redirect is handed back', async () => {
    reply = (response) => response.writeHead(302, { location: 'https://fleet.example/?state_code=1' }).end();
    const answer = await client().callback.ext({ query: { code: 'c', state: 's' } });
    expect(answer.status).toBe(302);
    expect(answer.headers.get('location')).toBe('https://fleet.example/?state_code=1');
    expect(seen[0]?.url).toBe('/callback/ext?code=c&state=s');
    expect(seen[0]?.headers.authorization).toBeUndefined();
  });
});

describe('answers', () => {
  it('are told apart by their status', async () => {
    reply = json(422, { detail: [{ loc: ['body', 'ticker'], msg: 'Must not be empty', type: 'too_small' }] });
    const answer = await client().coalition.create({ body: { coalition_name: 'x', ticker: '' } });
    if (answer.status !== 422) throw new Error(`unexpected status ${answer.status}`);
    expect(answer.body.detail[0]?.loc).toEqual(['body', 'ticker']);
    expectTypeOf(answer.body.detail[0]?.msg).toEqualTypeOf<string | undefined>();
  });

  it('without a body hold undefined', async () => {
    reply = (response) => response.writeHead(200).end();
    expect((await client().token.logout()).body).toBeUndefined();
    reply = (response) => response.writeHead(201).end();
    await expect(ok(client().voice.complete())).resolves.toBeUndefined();
  });

  it('in HTML are text', async () => {
    reply = (response) => response.writeHead(403, { 'content-type': 'text/html' }).end('<p>No.</p>');
    expect((await client().callback.ext()).body).toBe('<p>No.</p>');
  });

  it('that should be JSON and are not throw', async () => {
    reply = (response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Log in to Wi-Fi</p>');
    await expect(client().token.current()).rejects.toThrow('The answer is not JSON');
    reply = (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"uuid":');
    await expect(client().token.current()).rejects.toThrow(CastellanError);
    reply = (response) => response.writeHead(200).end();
    await expect(client().token.current()).rejects.toThrow('The answer is not JSON');
    reply = (response) => response.writeHead(200).end('<p>Log in to Wi-Fi</p>');
    await expect(client().token.logout()).rejects.toThrow('The answer is not JSON');
  });

  it.each([
    ['text/csv', 'event_id\r\n'],
    ['application/x-ndjson', '{"event_id":"a"}\n'],
    ['application/x-ndjson', ''],
  ])('in %s are text where that was asked for: %j', async (accept, table) => {
    reply = (response) => response.writeHead(200, { 'content-type': `${accept}; charset=utf-8` }).end(table);
    const castellan = createCastellan({ baseUrl });
    expect(await castellan.audit.list.answer({ headers: { accept } })).toMatchObject({ body: table });
    expect(await castellan.audit.list({ headers: { Accept: `${accept}, application/json` } })).toBe(table);
    const pages: unknown[] = [];
    for await (const page of paginate(castellan.audit.list, { headers: { accept } })) pages.push(page);
    expect(pages).toEqual([table]);
  });

  it('in another form than was asked for throw, and errors and JSON are what they are', async () => {
    const asked = { headers: { accept: 'application/json, text/csv' } };
    reply = (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Wi-Fi</p>');
    await expect(client().audit.list(asked)).rejects.toThrow('The answer is not JSON');
    reply = json(200, []);
    expect((await client().audit.list(asked)).body).toEqual([]);
    reply = json(403, { detail: 'No.' });
    await expect(ok(client().audit.list(asked))).rejects.toMatchObject({ status: 403, detail: 'No.' });
  });

  it.each([
    ...[{ detail: { x: 1 } }, { detail: null }, null, 503, 'Busy'],
    ...[{ detail: [1] }, { detail: [null] }, { detail: [{ loc: 'body' }] }, { detail: [{}] }],
  ])('of a proxy that says %j are errors as any other', async (body) => {
    reply = json(503, body);
    const call = createCastellan({ baseUrl, retries: 0 }).token.current();
    await expect(call).rejects.toBeInstanceOf(CastellanError);
    await expect(call).rejects.toMatchObject({ status: 503, issues: [] });
  });

  it('give their headers', async () => {
    reply = json(200, [], { 'x-pages': '3' });
    const { headers } = await client().history.wallet({ params: { character_id: 1 } });
    expect(headers.get('x-pages')).toBe('3');
  });
});

describe('ok', () => {
  it('gives the body of a success', async () => {
    reply = json(201, { group_id: 'a' });
    const group = await ok(client().group.create({ body: { group_name: 'x' } }));
    expectTypeOf(group).toEqualTypeOf<Group>();
    expect(group).toEqual({ group_id: 'a' });
    expectTypeOf(() => ok(client().token.current())).returns.resolves.toEqualTypeOf<Token>();
  });

  it('throws what the service says, without the token', async () => {
    const detail = "Insufficient clearance level: this needs 10, and the token's owner has 2.";
    reply = json(403, { detail, code: 'level_too_low' }, { 'x-request-id': 'r-1' });
    const error = await ok(client().token.delete({ query: { uuid: 'u' } })).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(CastellanError);
    expect(error).toMatchObject({
      name: 'CastellanError',
      message: detail,
      status: 403,
      code: 'level_too_low',
      detail,
      requestId: 'r-1',
    });
    expectTypeOf<CastellanError['code']>().toEqualTypeOf<ErrorCode | undefined>();
    expect(`${error.stack}${JSON.stringify(error)}`).not.toContain(TOKEN);
  });

  it('puts everything that is wrong with a request into one message', async () => {
    const detail = [
      { loc: ['body', 'members', 0], msg: 'Must not be empty', type: 'too_small' },
      { loc: ['path', 'group_id'], msg: 'Must be 24 hexadecimal digits', type: 'invalid_string' },
    ];
    reply = json(422, { detail });
    const error = await ok(client().group.get({ params: { group_id: 'x' } })).catch((thrown) => thrown);
    expect(error.message).toBe(
      'body.members.0: Must not be empty; path.group_id: Must be 24 hexadecimal digits',
    );
    expect(error.detail).toEqual(detail);
  });

  it('names the crash report of an unforeseen error', async () => {
    reply = json(500, { detail: 'Internal Server Error', crash_report_id: '66f2a1b3c4d5e6f708192a3b' });
    await expect(ok(client().user.list())).rejects.toMatchObject({
      status: 500,
      crashReportId: '66f2a1b3c4d5e6f708192a3b',
    });
  });

  it('copes with the answer of a proxy', async () => {
    reply = (response) =>
      response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad Gateway</h1>');
    await expect(ok(client().user.list())).rejects.toMatchObject({ status: 502, detail: 'HTTP status 502' });
  });
});

describe('further tries', () => {
  const busy = (status: number) => json(status, { detail: 'Later.' }, { 'retry-after': '0' });
  const ask = (retries?: number) => createClient({ baseUrl, token: TOKEN, retries });

  it.each([429, 502, 503, 504])('are made after %d, two unless told otherwise', async (status) => {
    reply = replies(busy(status), busy(status), json(200, []));
    expect((await ask().group.list()).status).toBe(200);
    expect(seen).toHaveLength(3);
    seen = [];
    reply = busy(status);
    expect((await ask(1).group.list()).status).toBe(status);
    expect(seen).toHaveLength(2);
  });

  it.each([400, 401, 404, 409, 422, 500])('are not made after %d', async (status) => {
    reply = busy(status);
    await ask().group.list();
    expect(seen).toHaveLength(1);
  });

  it('of a POST are made only where the call asks for them', async () => {
    reply = replies(busy(503), json(201, {}));
    expect((await ask(5).group.create({ body: { group_name: 'x' } })).status).toBe(503);
    expect((await ask().group.create({ body: { group_name: 'x' }, retries: 1 })).status).toBe(201);
    expect(seen.map(({ body }) => body)).toEqual(['{"group_name":"x"}', '{"group_name":"x"}']);
  });

  it('are not made by those who are told to wait longer than anybody does', async () => {
    reply = json(429, { detail: 'Later.' }, { 'retry-after': '60' });
    expect((await ask().group.list()).status).toBe(429);
    expect(seen).toHaveLength(1);
  });

  it('end with the time or the signal of the call', async () => {
    reply = json(503, {}, { 'retry-after': '9' });
    expect((await ask().group.list({ timeout: 5_000 })).status).toBe(503);
    expect(seen).toHaveLength(1);
    const ending = new AbortController();
    const call = ask().group.list({ signal: ending.signal });
    await expect.poll(() => seen.length).toBe(2);
    ending.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
  });

  it('end with a signal that is given before the pause', { timeout: 8_000 }, async () => {
    const ending = new AbortController();
    const refuse: typeof fetch = async (...request) => {
      if (ending.signal.aborted) return fetch(...request);
      ending.abort(new Error('enough'));
      return new Response(null, { status: 503, headers: { 'retry-after': '9' } });
    };
    const call = createClient({ baseUrl, fetch: refuse }).group.list({ signal: ending.signal });
    await expect(call).rejects.toThrow('enough');
    expect(seen).toEqual([]);
  });

  it.each([Number.POSITIVE_INFINITY, 2 ** 31, 2 ** 53, 9_999.5])('a call may take %d ms', async (timeout) => {
    reply = json(200, []);
    expect((await ask().group.list({ timeout })).status).toBe(200);
  });

  it('a call that takes too long ends with a TimeoutError', async () => {
    reply = () => undefined;
    await expect(ask().group.list({ timeout: 20 })).rejects.toMatchObject({ name: 'TimeoutError' });
  });
});

describe('createCastellan', () => {
  const castellan = () => createCastellan({ baseUrl, token: TOKEN, retries: 0 });

  it('gives the body of a success', async () => {
    reply = json(200, { group_id: 'a' });
    const group = await castellan().group.get({ params: { group_id: 'a' } });
    expectTypeOf(group).toEqualTypeOf<Group>();
    expect(group).toEqual({ group_id: 'a' });
  });

  it('throws anything else, with what there is to know of it', async () => {
    const issue = { loc: ['body', 'ticker'], msg: 'Must not be empty', type: 'too_small' };
    reply = json(422, { detail: [issue] }, { 'x-request-id': 'r-2', 'retry-after': '3' });
    const call = castellan().coalition.create({ body: { coalition_name: 'x', ticker: '' } });
    const error: CastellanError = await call.then(
      () => expect.unreachable(),
      (thrown) => thrown,
    );
    expect(error).toBeInstanceOf(CastellanError);
    expect(error).toMatchObject({ status: 422, requestId: 'r-2', retryAfter: 3, issues: [issue] });
    expect(error.headers.get('x-request-id')).toBe('r-2');
  });

  it('gives the whole answer to those who prefer it', async () => {
    reply = json(404, { detail: 'Could not find group a' });
    const answer = await castellan().group.get.answer({ params: { group_id: 'a' } });
    expect(answer.status).toBe(404);
    if (answer.status === 200) expectTypeOf(answer.body).toEqualTypeOf<Group>();
  });
});

describe('a service of another version', () => {
  const refused = async (version: string): Promise<CastellanError> => {
    reply = json(404, { detail: 'There is nothing at this path.' }, { 'x-api-version': version });
    return createCastellan({ baseUrl })
      .group.list()
      .then(
        () => expect.unreachable(),
        (error) => error,
      );
  };

  it('D72: is told in an error where it is older', async () => {
    const { message, detail, serviceVersion } = await refused('0.0.9');
    expect(message).toBe(`There is nothing at this path. (service 0.0.9 is older than client ${VERSION})`);
    expect([detail, serviceVersion]).toEqual(['There is nothing at this path.', '0.0.9']);
  });

  it.each([VERSION, '0.10.0', '10.0.0'])('is not told where it has %s', async (version) => {
    expect((await refused(version)).message).toBe('There is nothing at this path.');
  });
});

describe('paginate', () => {
  const page = (number: number) => json(200, [{ balance: number, timestamp: '' }], { 'x-pages': '3' });
  const castellan = () => createCastellan({ baseUrl, token: TOKEN, retries: 0 });

  it('gives the entries of all pages, each page when it is wanted', async () => {
    reply = replies(page(1), page(2), page(3));
    const balances: number[] = [];
    for await (const { balance } of paginate(castellan().history.wallet, { params: { character_id: 1 } })) {
      expect(seen).toHaveLength(balances.length + 1);
      balances.push(balance);
    }
    expect(balances).toEqual([1, 2, 3]);
    expect(seen.map(({ headers }) => headers.page)).toEqual([undefined, '2', '3']);
  });

  it('begins with the page asked for, and knows calls that give answers, too', async () => {
    reply = page(3);
    const request = { params: { character_id: 1 }, headers: { page: 3 } };
    const entries = [];
    for await (const entry of paginate(client().history.wallet, request)) entries.push(entry);
    expect(entries).toHaveLength(1);
    expect(seen[0]?.headers.page).toBe('3');
  });

  it('asks for the next page in browsers without URLSearchParams.size, too', async () => {
    vi.spyOn(URLSearchParams.prototype, 'size', 'get').mockReturnValue(undefined as never);
    reply = json(200, []);
    await client().user.list({ query: { search: 'a' } });
    vi.restoreAllMocks();
    expect(seen[0]?.url).toBe('/user?search=a');
  });

  it('D71: goes on after what X-Next says, until an answer has none', async () => {
    const people = (id: number, next?: string) =>
      json(200, [{ character_id: id, character_name: '' }], next === undefined ? {} : { 'x-next': next });
    reply = replies(people(1, 'a/+b'), people(2, 'c'), people(3));
    const ids: number[] = [];
    for await (const user of paginate(castellan().user.list, { query: { search: 'a', limit: 1 } })) {
      expectTypeOf(user).toEqualTypeOf<UserShort>();
      ids.push(user.character_id);
    }
    expect(ids).toEqual([1, 2, 3]);
    expect(seen.map(({ url }) => url)).toEqual([
      '/user?search=a&limit=1',
      '/user?search=a&limit=1&after=a%2F%2Bb',
      '/user?search=a&limit=1&after=c',
    ]);
  });

  it('D92: goes on behind the cursor of a page of events, also of an empty one, while there are more', async () => {
    const events = (id: string, cursor: string, more: boolean) =>
      json(200, { events: id === '' ? [] : [{ event_id: id }], cursor, more });
    reply = replies(events('a', '7', true), events('', '2007', true), events('b', '2009', false));
    const ids: string[] = [];
    for await (const event of paginate(castellan().event.list, { query: { after: 3 } })) {
      expectTypeOf(event).toEqualTypeOf<Event>();
      ids.push(event.event_id);
    }
    expect(ids).toEqual(['a', 'b']);
    expect(seen.map(({ url }) => url)).toEqual(['/event?after=3', '/event?after=7', '/event?after=2007']);
  });

  it('D71: needs no request where the operation needs none', async () => {
    reply = json(200, [{ character_id: 1, character_name: '' }]);
    const { user, audit, application, history } = castellan();
    const ids: number[] = [];
    for await (const { character_id } of paginate(user.list)) ids.push(character_id);
    for await (const { character_id } of paginate(client().user.list, undefined)) ids.push(character_id);
    for await (const event of paginate(audit.list)) expectTypeOf(event).toEqualTypeOf<Event>();
    for await (const one of paginate(application.list)) expectTypeOf(one).toEqualTypeOf<Application>();
    expect(ids).toEqual([1, 1]);
    expect(seen.map(({ url }) => url)).toEqual(['/user', '/user', '/audit', '/application']);
    // @ts-expect-error: a path parameter is missing.
    await expect(paginate(history.wallet).next()).rejects.toThrow(TypeError);
  });

  it('D92: needs no request to begin the feed at the oldest event', async () => {
    reply = json(200, { events: [{ event_id: 'a' }], cursor: '7', more: false });
    const ids: string[] = [];
    for await (const { event_id } of paginate(castellan().event.list)) ids.push(event_id);
    expect(ids).toEqual(['a']);
    expect(seen.map(({ url }) => url)).toEqual(['/event']);
  });

  it('throws when a page cannot be had', async () => {
    reply = replies(page(1), json(503, { detail: 'The database cannot be reached at the moment.' }));
    const read = async () => {
      for await (const _ of paginate(castellan().history.wallet, { params: { character_id: 1 } })) void _;
    };
    await expect(read()).rejects.toMatchObject({ status: 503 });
  });
});

describe('the client', () => {
  it('has every operation of the contract, with its method and path', async () => {
    reply = (response) =>
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"detail":""}');
    const api = client() as unknown as Record<string, Record<string, (request: object) => Promise<unknown>>>;
    let number = 0;
    for (const [resource, routes] of Object.entries(contract)) {
      for (const [name, route] of Object.entries<AppRoute | AppRouter>(routes)) {
        const { method, path } = route as AppRoute;
        const names = [...path.matchAll(/:(\w+)/g)].map(([, param]) => param as string);
        const params = Object.fromEntries(names.map((param) => [param, `(${param})`]));
        await api[resource]?.[name]?.({ params });
        const url = path.replace(/:(\w+)/g, '($1)');
        expect(seen[number++], `${resource}.${name}`).toMatchObject({ method, url });
      }
    }
    expect(number).toBe(operations().length);
    expect(number).toBeGreaterThan(52);
  });
});

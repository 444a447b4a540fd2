import { deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { type Got, type Problem, send } from '../harness/send.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

const KIB = 1024;
const GROUP = `/group/${'ab'.repeat(12)}`;

const post = (path: string, body: unknown, headers = {}) =>
  send(app, 'POST', path, { token: app.root, body, headers });
const put = (path: string, body: unknown) => send(app, 'PUT', path, { token: app.root, body });
const listOf = (count: number, element: unknown) => Array.from({ length: count }, () => element);
const fields = (count: number, value: unknown = 0) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`field_${i}`, value]));

/** The only fault in a 422. */
function onlyFault({ status, json }: Got<Problem>): unknown {
  expect(status).toBe(422);
  expect(json.detail).toHaveLength(1);
  return (json.detail as unknown[])[0];
}

describe('D3c: counts are checked before elements are', () => {
  const TOO_MANY = { loc: ['body'], msg: 'Must hold at most 20000 values', type: 'too_many_values' };
  const TOO_DEEP = { loc: ['body'], msg: 'Must be at most 32 levels deep', type: 'too_deep' };

  it.each([
    ['in one list', { members: listOf(20_000, 17) }],
    [
      'in several lists',
      { members: listOf(7_000, ''), add_members: listOf(7_000, 1), owner: listOf(7_000, {}) },
    ],
    ['in an unknown field', { surprise: listOf(20_000, []) }],
    ['in many objects', { members: listOf(200, fields(100)) }],
  ])('more than 20,000 values %s are one fault at ["body"]', async (_, body) => {
    expect(onlyFault(await put(GROUP, body))).toEqual(TOO_MANY);
  });

  it('text after 20,000 values is not read, even if it is no JSON', async () => {
    expect(onlyFault(await put(GROUP, `[${'1,'.repeat(20_001)} and so on`))).toEqual(TOO_MANY);
  });

  it('more than 32 levels of nesting are one fault at ["body"]', async () => {
    expect(onlyFault(await put(GROUP, '{"a":'.repeat(33)))).toEqual(TOO_DEEP);
    expect(onlyFault(await put(GROUP, '['.repeat(300_000)))).toEqual(TOO_DEEP);
  });

  it.each([
    ['PUT', GROUP, { surprise: 1, members: listOf(10_001, 17), owner: 7 }, ['members'], '10000 elements'],
    [
      'PUT',
      `/coalition/${'ab'.repeat(12)}`,
      { ticker: 7, add_member_alliances: listOf(10_001, 'x') },
      ['add_member_alliances'],
      '10000 elements',
    ],
    [
      'PUT',
      '/alliance/99000001',
      { mandatory_ext_scopes: listOf(10_001, 'esi') },
      ['mandatory_ext_scopes'],
      '10000 elements',
    ],
    ['POST', '/ext/status', { params: { a: [{}], b: listOf(10_001, 1) } }, ['params', 'b'], '10000 elements'],
    ['POST', '/ext/status', { params: fields(101, {}) }, ['params'], '100 fields'],
    ['POST', '/group', fields(101), [], '100 fields'],
  ])(
    '%s %s: a list or object beyond its limit is one fault at its place (case %#)',
    async (method, path, body, loc, most) => {
      const answer = await send(app, method, path, { token: app.root, body });
      expect(onlyFault(answer)).toEqual({
        loc: ['body', ...loc],
        msg: `Must have at most ${most}`,
        type: 'too_big',
      });
    },
  );

  it('JSON in a query is checked in the same way', async () => {
    const ask = (params: string) =>
      send(app, 'GET', `/ext/status?params=${encodeURIComponent(params)}`, { token: app.root });
    expect(onlyFault(await ask('['.repeat(33)))).toMatchObject({
      loc: ['query', 'params'],
      msg: TOO_DEEP.msg,
    });
    expect(onlyFault(await ask(JSON.stringify(fields(101, 1))))).toMatchObject({
      loc: ['query', 'params'],
      msg: 'Must have at most 100 fields',
    });
    expect(onlyFault(await ask('{'))).toMatchObject({ loc: ['query', 'params'], msg: 'Must be valid JSON' });
  });

  it('lists of the maximum length are validated, and the first hundred faults explained', async () => {
    const answer = await put(GROUP, { add_members: listOf(9_990, 17), remove_members: listOf(9_990, '') });
    expect(answer.status).toBe(422);
    expect((answer.json.detail as { loc: unknown }[]).map(({ loc }) => loc)).toEqual(
      Array.from({ length: 100 }, (_, i) => ['body', 'add_members', i]),
    );
  });

  it('D6: the token and the level are checked first', async () => {
    const body = { members: listOf(20_000, 17) };
    expect((await send(app, 'PUT', GROUP, { body })).status).toBe(401);
    const dyn = await app.dynamicToken();
    expect((await send(app, 'PUT', GROUP, { body, token: dyn })).status).toBe(401);
  });
});

describe('D3: a body that nobody needs', () => {
  it.each([
    '/voice/auth/start',
    '/corporation/98000001',
    '/system/job/maintenance',
    `/webhook/${'ab'.repeat(12)}/rotate`,
  ])('POST %s takes none: JSON without fields, or null, and nothing else', async (path) => {
    const status = async (body: unknown) => (await post(path, body)).status;
    expect(onlyFault(await post(path, '{"force":'))).toMatchObject({ loc: ['body'], type: 'json_invalid' });
    expect(onlyFault(await post(path, { x: 1 }))).toMatchObject({ loc: ['body', 'x'], msg: 'Unknown field' });
    expect(onlyFault(await post(path, []))).toMatchObject({ loc: ['body'] });
    expect(await status(' '.repeat(KIB * KIB + 1))).toBe(413);
    const absent = await status(undefined);
    expect(absent).not.toBe(422);
    expect([await status('{}'), await status('null'), await status('')]).toEqual([absent, absent, absent]);
  });

  it('DELETE takes none either: an option in the body is refused, and deletes nothing', async () => {
    const { json } = await post('/group', { group_name: 'Kept' });
    const path = `/group/${(json as unknown as { group_id: string }).group_id}`;
    const remove = (at: string, body?: unknown) => send(app, 'DELETE', at, { token: app.root, body });
    for (const at of [path, `${path}?dry_run=true`]) {
      expect(onlyFault(await remove(at, { dry_run: true }))).toMatchObject({
        loc: ['body', 'dry_run'],
        msg: 'Unknown field',
      });
      expect(onlyFault(await remove(at, '{'))).toMatchObject({ loc: ['body'], type: 'json_invalid' });
    }
    expect((await send(app, 'GET', path, { token: app.root })).status).toBe(200);
    for (const body of [undefined, '', '{}', 'null'])
      expect((await remove(`${path}?dry_run=true`, body)).status).toBe(200);
    expect((await remove(path, '{}')).status).toBe(200);
  });

  it.each(['gzip', 'deflate', 'br', 'x'])(
    'an empty body has no encoding: `Content-Encoding: %s` says nothing about it',
    async (encoding) => {
      const sent = { token: app.root, headers: { 'content-encoding': encoding } };
      const status = async (method: string, path: string, headers = {}, body: unknown = undefined) =>
        (await send(app, method, path, { ...sent, body, headers: { ...sent.headers, ...headers } })).status;
      for (const length of [{}, { 'content-length': '0' }]) {
        expect(await status('GET', '/group', length)).toBe(200);
        expect(await status('GET', '/ext/status', length)).toBe(200);
        expect(await status('POST', '/ext/status', length)).toBe(200);
        expect(await status('DELETE', GROUP, length)).toBe(404);
      }
      expect(await status('POST', '/ext/status', {}, '')).toBe(200);
      expect([415, 422]).toContain(await status('POST', '/ext/status', {}, '{}'));
    },
  );

  it('null is the same as none where every field may be left out', async () => {
    const { json } = await post('/group', { group_name: 'Unchanged' });
    const { group_id } = json as unknown as { group_id: string };
    expect(await put(`/group/${group_id}`, 'null')).toMatchObject({
      status: 200,
      json: { group_name: 'Unchanged' },
    });
    expect((await post('/ext/status', 'null')).status).toBe(200);
    const token = await app.dynamicToken();
    expect((await send(app, 'POST', '/token/use/from/dyn', { token, body: 'null' })).status).toBe(200);
    expect(onlyFault(await post('/group', 'null'))).toMatchObject({ loc: ['body'] });
  });
});

describe('D3c: size', () => {
  const padded = (bytes: number) => `{${' '.repeat(bytes - 2)}}`;

  it('/ext/ takes bodies of at most 32 KiB, by POST and by GET, compressed or not', async () => {
    for (const method of ['POST', 'GET']) {
      const ask = (body: unknown, headers = {}) =>
        send(app, method, '/ext/status', { token: app.root, body, headers });
      const TOO_LARGE = {
        status: 413,
        json: { detail: 'The request body is larger than 32 KiB.', code: 'body_too_large' },
      };
      expect((await ask(padded(32 * KIB))).status).toBe(200);
      expect(await ask(padded(32 * KIB + 1))).toMatchObject(TOO_LARGE);
      expect(await ask(gzipSync(padded(32 * KIB + 1)), { 'content-encoding': 'gzip' })).toMatchObject(
        TOO_LARGE,
      );
    }
  });

  it('decompression of 64 MiB is aborted at 1 MiB', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * KIB * KIB, 0x20));
    for (const body of [bomb, Buffer.concat([bomb, bomb])]) {
      expect(await post('/group', body, { 'content-encoding': 'gzip' })).toMatchObject({ status: 413 });
    }
  });

  it('a compressed body that nothing comes of is aborted at 1.25 MiB', async () => {
    const emptyBlocks = Buffer.from('000000ffff'.repeat(400 * KIB), 'hex');
    const body = Buffer.concat([gzipSync('').subarray(0, 10), emptyBlocks]);
    expect(await post('/group', body, { 'content-encoding': 'gzip' })).toMatchObject({
      status: 413,
      json: { code: 'body_too_large', detail: 'The body is larger than any body may be.' },
    });
  });

  it('an answer quotes what was sent, but shortened', async () => {
    const long = 'x'.repeat(500 * KIB);
    for (const [path, body] of [
      ['/group', { [long]: 1 }],
      ['/group', fields(100, long.slice(0, 5 * KIB))],
      ['/ext/status', { params: { ['k'.repeat(20 * KIB)]: 1 } }],
      ['/token/use/from/dyn', { scopes: listOf(100, long.slice(0, 5 * KIB)) }],
    ] as const) {
      const token = path.startsWith('/token') ? await app.dynamicToken() : app.root;
      const answer = await send(app, 'POST', path, { token, body });
      expect(answer.status).toBe(422);
      expect(answer.text.length).toBeLessThan(64 * KIB);
    }
  });
});

describe('D3c: a body is valid UTF-8, whatever its content type says', () => {
  const NOT_UTF8 = { loc: ['body'], msg: 'Must be valid UTF-8', type: 'utf8_invalid' };
  const bytes = (name: string) => Buffer.from(`{"group_name":"${name}"}`, 'latin1');

  it.each([
    ['Latin-1', bytes('\xC9claireurs')],
    ['a character cut off', bytes('abc\xC3')],
    ['half a character, encoded by itself', bytes('\xED\xA0\x80')],
    ['a slash in two bytes', bytes('\xC0\xAF')],
    ['beyond the last plane', bytes('\xF4\x90\x80\x80')],
    ['UTF-16 with its mark', Buffer.from('\ufeff{"group_name":"x"}', 'utf16le')],
  ])('%s is a 422 at ["body"], and nothing is stored', async (_, body) => {
    const groups = async () => (await app.client(app.root).group.list()).body;
    const before = await groups();
    for (const charset of ['', '; charset=utf-8', '; charset=iso-8859-1', '; charset=x-unknown']) {
      const headers = { 'content-type': `application/json${charset}` };
      expect(onlyFault(await post('/group', body, headers))).toEqual(NOT_UTF8);
      expect(
        onlyFault(await post('/group', gzipSync(body), { ...headers, 'content-encoding': 'gzip' })),
      ).toEqual(NOT_UTF8);
    }
    expect(await groups()).toEqual(before);
  });

  it('UTF-8 is read as such under any charset, with a byte order mark, gzip and deflate', async () => {
    const create = (name: string, mark = '') => Buffer.from(`${mark}{"group_name":"${name}"}`);
    const created = [
      await post('/group', create('Éclaireurs'), { 'content-type': 'application/json; charset=iso-8859-1' }),
      await post('/group', create('Éclaireurs 2', '\ufeff'), {
        'content-type': 'text/plain; charset=utf-16',
      }),
      await post('/group', gzipSync(create('Éclaireurs 3')), { 'content-encoding': 'gzip' }),
      await post('/group', deflateSync(create('Éclaireurs 4')), { 'content-encoding': 'deflate' }),
    ];
    expect(
      created.map(({ status, json }) => [status, (json as { group_name?: unknown }).group_name]),
    ).toEqual([
      [201, 'Éclaireurs'],
      [201, 'Éclaireurs 2'],
      [201, 'Éclaireurs 3'],
      [201, 'Éclaireurs 4'],
    ]);
  });
});

describe('unusual JSON', () => {
  it('the body of a forwarded GET is validated like that of a POST (D30)', async () => {
    for (const method of ['GET', 'POST']) {
      const body = { pages: true, params: { a: {} } };
      const answer = await send(app, method, '/ext/status', { token: app.root, body });
      expect((answer.json.detail as { loc: unknown }[]).map(({ loc }) => loc).sort()).toEqual([
        ['body', 'pages'],
        ['body', 'params', 'a'],
      ]);
    }
  });

  it('of a repeated name the last value counts, as in JSON.parse', async () => {
    const answer = await post('/group', '{"group_name":7,"group_name":"Twice"}');
    expect(answer).toMatchObject({ status: 201, json: { group_name: 'Twice' } });
  });

  it('numbers that are too large fail at their location', async () => {
    const answer = await post('/ext/status', '{"params":{"a":-1e400,"b":[1,1e999]}}');
    expect((answer.json.detail as { loc: unknown }[]).map(({ loc }) => loc)).toEqual([
      ['body', 'params', 'a'],
      ['body', 'params', 'b', 1],
    ]);
  });

  it('a wrong value among the parameters of a forwarded request is one fault, in one sentence', async () => {
    const answer = await post('/ext/status', { params: { a: { b: 1 }, c: [[1]], d: 'x'.repeat(4_001) } });
    const PLAIN = 'Must be text, a number, a boolean, or a list of them';
    expect(answer.json.detail).toMatchObject([
      { loc: ['body', 'params', 'a'], msg: PLAIN },
      { loc: ['body', 'params', 'c', 0], msg: PLAIN },
      { loc: ['body', 'params', 'd'], msg: 'Must have at most 4000 characters' },
    ]);
  });
});

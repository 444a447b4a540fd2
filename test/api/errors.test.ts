import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addHome, addMember, addOrganizations, makeToken, uuidOf } from '../fixtures/users.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { faultInCode, INSUFFICIENT, noAuthority } from '../harness/refusals.ts';
import { type Got, type Problem, type Sent, send } from '../harness/send.ts';

let app: TestApp;
let root: string;
let zero: Awaited<ReturnType<typeof addMember>>;

beforeAll(async () => {
  app = await startTestApp();
  root = app.root;
  await addHome(app);
  zero = await addMember(app, 2_120_000_001, 0);
});
afterAll(() => app.stop());

const MIB = 1024 * 1024;
const CALLBACK = 'https://fleet.example/cb';

/** The locations of the faults in a 422. */
function places(answer: Got<Problem>): unknown[] {
  expect(answer.status).toBe(422);
  const detail = answer.json.detail as { loc: unknown; msg: unknown; type: unknown }[];
  for (const issue of detail) {
    expect(Object.keys(issue).sort()).toEqual(['loc', 'msg', 'type']);
    expect([typeof issue.msg, typeof issue.type]).toEqual(['string', 'string']);
  }
  return detail.map(({ loc }) => loc);
}

const createToken = (sent: Sent) => send(app, 'POST', '/token/per', { token: root, ...sent });

describe('D1, D2: answers in common', () => {
  it('D1: no payload is 200 with an empty body', async () => {
    const { uuid } = await makeToken(app, 'per', 0, uuidOf(root));
    const answer = await send(app, 'DELETE', `/token?uuid=${uuid}`, { token: root });
    expect(answer).toMatchObject({ status: 200, text: '' });
  });

  it.each([
    [200, 'GET', '/healthz', {}],
    [200, 'GET', '/user', 'root'],
    [401, 'GET', '/token', {}],
    [403, 'GET', '/system/configuration', 'zero'],
    [404, 'GET', '/user/Nobody', 'root'],
    [404, 'GET', '/nowhere', {}],
    [405, 'PATCH', '/user', {}],
    [413, 'POST', '/token/per', 'large'],
    [422, 'PUT', '/user/007', 'root'],
  ])('D2: %i (%s %s) is JSON and carries X-Request-Id', async (status, method, path, sent) => {
    const answer = await send(app, method, path, {
      ...(sent === 'root' && { token: root }),
      ...(sent === 'zero' && { token: zero.jwt }),
      ...(sent === 'large' && { token: root, body: 'x'.repeat(MIB + 1) }),
    });
    expect(answer.status).toBe(status);
    expect(answer.headers['x-request-id']).toMatch(/^[\w-]{8,64}$/);
    expect(answer.headers['content-type']).toBe('application/json');
    expect(answer.headers['cache-control']).toBe('no-store');
    if (status < 400) return;
    expect(Object.keys(answer.json)).toEqual(['detail', 'code']);
    expect(faultInCode(status, answer.json)).toBeUndefined();
  });

  it("D2: a client's own X-Request-Id is kept, unless it could forge a log line", async () => {
    const id = async (given: string) =>
      (await send(app, 'GET', '/healthz', { headers: { 'x-request-id': given } })).headers['x-request-id'];
    expect(await id('fleet-42_a')).toBe('fleet-42_a');
    for (const odd of ['a b', 'x'.repeat(65), '{"level":"info"}', '']) expect(await id(odd)).not.toBe(odd);
  });
});

describe('D3: invalid requests', () => {
  it('every fault of a body is listed', async () => {
    const answer = await createToken({ body: { comments: 7, surprise: 1, more: 2 } });
    expect(places(answer).sort()).toEqual([
      ['body', 'callback'],
      ['body', 'comments'],
      ['body', 'more'],
      ['body', 'surprise'],
    ]);
  });

  it('faults of path and body are reported together', async () => {
    const answer = await send(app, 'PUT', '/user/007', { token: root, body: { clearance_level: 'high' } });
    expect(places(answer)).toEqual([
      ['path', 'character_id'],
      ['body', 'clearance_level'],
    ]);
  });

  it.each(['{', '{"callback":}', "{'callback': 1}", 'callback=x', '{} {}', '{"a":1,}', 'NaN'])(
    'malformed JSON: %j is a 422 at ["body"]',
    async (body) => {
      const answer = await createToken({ body });
      expect(places(answer)).toEqual([['body']]);
      expect(answer.json.detail).toMatchObject([{ msg: 'Must be valid JSON', type: 'json_invalid' }]);
    },
  );

  it.each(['null', '7', '"text"', '[]', 'true'])('%s is JSON, but no object: 422', async (body) => {
    expect(places(await createToken({ body }))).toEqual([['body']]);
  });

  it.each([undefined, '', '{}'])('body %j: the required field is missing', async (body) => {
    expect(places(await createToken({ body }))).toEqual([['body', 'callback']]);
  });

  it('unknown fields fail, __proto__ and constructor too', async () => {
    for (const field of ['owner', '__proto__', 'constructor', 'toString', '']) {
      const body = `{"callback":"${CALLBACK}","${field}":{"admin":true}}`;
      expect(places(await createToken({ body }))).toEqual([['body', field]]);
    }
  });

  it.each([
    ['U+0000', '"\\u0000"'],
    ['a lone high surrogate', '"\\ud800"'],
    ['a lone low surrogate', '"a\\udc00b"'],
    ['a number', '7'],
    ['a list', '["a"]'],
    ['an object', '{}'],
    ['4,001 characters', JSON.stringify('x'.repeat(4001))],
  ])('D3b: comments of %s fail', async (_, comments) => {
    const body = `{"callback":"${CALLBACK}","comments":${comments}}`;
    expect(places(await createToken({ body }))).toEqual([['body', 'comments']]);
  });

  it('D3b: U+0000 and half a character in a path fail', async () => {
    for (const path of ['/user/%00', '/user/a%00b']) {
      expect(places(await send(app, 'GET', path, { token: root }))).toEqual([['path', 'character_name']]);
    }
    for (const path of ['/user/%ED%A0%80', '/user/%', '/user/%E0%A4%A', '/user/a%zz']) {
      expect(places(await send(app, 'GET', path, { token: root }))).toEqual([['path']]);
    }
  });

  it('D3: a query that is not percent-encoded UTF-8 fails', async () => {
    for (const text of ['%E4', '%ED%A0%80', '%', '%E0%A4%A', 'a%zz']) {
      for (const query of [`search=${text}`, `search=Ada&${text}=1`]) {
        expect(places(await send(app, 'GET', `/user?${query}`, { token: root }))).toEqual([['query']]);
      }
      expect(places(await send(app, 'DELETE', `/token?uuid=${text}`, { token: root }))).toEqual([['query']]);
    }
    expect((await send(app, 'GET', '/user?search=%C3%A4+%25', { token: root })).status).toBe(200);
  });

  it.each(['007', '1e3', '-1', '+1', '1.0', '9007199254740992', '99999999999999999999', '0x10', ' 1', 'Ada'])(
    'D3b: %j is no id in a path',
    async (id) => {
      const path = `/user/${encodeURIComponent(id)}`;
      for (const method of ['PUT', 'DELETE']) {
        expect(places(await send(app, method, path, { token: root }))).toEqual([['path', 'character_id']]);
      }
    },
  );

  it('D3b: 2^53−1 is an id, of nobody', async () => {
    expect(await send(app, 'DELETE', '/user/9007199254740991', { token: root })).toMatchObject({
      status: 404,
      json: { detail: 'Could not find user 9007199254740991' },
    });
  });

  it('D3b: names have at most 100 characters', async () => {
    expect((await send(app, 'GET', `/user/${'x'.repeat(100)}`, { token: root })).status).toBe(404);
    expect(places(await send(app, 'GET', `/user/${'x'.repeat(101)}`, { token: root }))).toEqual([
      ['path', 'character_name'],
    ]);
  });

  it('whatever the content type says, the body is read as JSON', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/octet-stream']) {
      const headers = { 'content-type': type };
      const body = JSON.stringify({ callback: CALLBACK });
      expect((await createToken({ headers, body })).status).toBe(200);
      expect(places(await createToken({ headers, body: 'callback=https%3A%2F%2Ffleet.example' }))).toEqual([
        ['body'],
      ]);
    }
  });

  it('an unsupported encoding is a 415, a wrong one a 422', async () => {
    const body = JSON.stringify({ callback: CALLBACK });
    for (const encoding of ['br', 'zstd', 'x-unknown', 'gzip, gzip']) {
      expect((await createToken({ body, headers: { 'content-encoding': encoding } })).status).toBe(415);
    }
    const zipped = await createToken({ body: gzipSync(body), headers: { 'content-encoding': 'gzip' } });
    expect(zipped.status).toBe(200);
    for (const encoding of ['gzip', 'deflate']) {
      expect(places(await createToken({ body, headers: { 'content-encoding': encoding } }))).toEqual([
        ['body'],
      ]);
    }
  });

  it('a body is not read by a GET, however broken or large', async () => {
    for (const body of ['{', 'x'.repeat(2 * MIB)])
      expect((await send(app, 'GET', '/user', { token: root, body })).status).toBe(200);
  });
});

describe('D3: size', () => {
  it('a body over 1 MiB is a 413, with a length, in chunks or compressed', async () => {
    const body = JSON.stringify({ callback: CALLBACK, comments: 'x'.repeat(MIB) });
    const json = { detail: 'The request body is larger than 1 MiB.', code: 'body_too_large' };
    const TOO_LARGE = { status: 413, json };
    expect(await createToken({ body })).toMatchObject(TOO_LARGE);
    const zipped = { body: gzipSync(body), headers: { 'content-encoding': 'gzip' } };
    expect(await createToken(zipped)).toMatchObject(TOO_LARGE);
    const chunked = await fetch(`${app.url}/token/per`, {
      method: 'POST',
      headers: { authorization: `Bearer ${root}` },
      body: new Blob([body]).stream(),
      duplex: 'half',
    } as RequestInit);
    expect([chunked.status, await chunked.json()]).toEqual([413, TOO_LARGE.json]);
  });

  it.each([2, 16])(
    'one of %i MiB is the same, readable by scripts, and the connection stays',
    async (size) => {
      const answer = await createToken({ body: ' '.repeat(size * MIB) });
      expect(answer).toMatchObject({
        status: 413,
        headers: { 'access-control-allow-origin': '*' },
        json: { detail: 'The request body is larger than 1 MiB.', code: 'body_too_large' },
      });
      expect(answer.headers['connection']).not.toBe('close');
    },
  );

  it('a body of exactly 1 MiB is read', async () => {
    const frame = JSON.stringify({ callback: CALLBACK, comments: '' }).length;
    const body = JSON.stringify({ callback: CALLBACK, comments: 'x'.repeat(MIB - frame) });
    expect(Buffer.byteLength(body)).toBe(MIB);
    expect(places(await createToken({ body }))).toEqual([['body', 'comments']]);
  });
});

describe('D3: paths and methods', () => {
  it.each([
    '/',
    '/nowhere',
    '/Token',
    '/token/',
    '/USER',
    '/user//',
    '//user',
    '//',
    '/token/dyn/x',
    '/callback',
  ])('%s: unknown routes are a 404, known ones are not', async (path) => {
    const answer = await send(app, 'GET', path, { token: root });
    // One trailing slash is allowed.
    expect(answer.status).toBe(path === '/token/' ? 200 : 404);
    if (answer.status === 404)
      expect(answer.json).toEqual({ detail: 'There is nothing at this path.', code: 'path_unknown' });
  });

  it.each([
    ['PATCH', '/user', 'GET, HEAD'],
    ['POST', '/token', 'DELETE, GET, HEAD'],
    ['GET', '/token/use/from/per', 'POST'],
    ['PATCH', '/user/Ada', 'DELETE, GET, HEAD, PUT'],
    ['POST', '/healthz', 'GET, HEAD'],
    ['DELETE', '/docs', 'GET, HEAD'],
    ['DELETE', '/ext/characters/1/skills', 'GET, HEAD, POST'],
  ])('%s %s is a 405 with Allow: %s', async (method, path, allow) => {
    expect(await send(app, method, path, { token: root })).toMatchObject({
      status: 405,
      headers: { allow },
      json: { detail: `This path knows only ${allow}.`, code: 'method_not_allowed' },
    });
  });

  it('HEAD is answered like GET, without the body', async () => {
    expect(await send(app, 'HEAD', '/user', { token: root })).toMatchObject({ status: 200, text: '' });
    expect(await send(app, 'HEAD', '/user')).toMatchObject({ status: 401, text: '' });
  });
});

describe('D3b, D6: the order of checks', () => {
  const large = { body: 'x'.repeat(2 * MIB) };
  const UNAUTHENTICATED = {
    status: 401,
    json: { detail: 'The Authorization header is missing.', code: 'token_missing' },
  };

  it.each([
    ['a body of 2 MiB', 'POST', '/token/per', large],
    ['malformed JSON', 'POST', '/token/per', { body: '{' }],
    ['an encoding that lies', 'POST', '/token/per', { body: '{}', headers: { 'content-encoding': 'gzip' } }],
    ['an id that is none', 'PUT', '/user/007', {}],
    ['a query that is none', 'DELETE', '/token?uuid=1', {}],
    ['a query that is not properly encoded', 'DELETE', '/token?uuid=%E4', {}],
    ['a path that is not properly encoded', 'GET', '/user/%E0%A4%A', {}],
    ['a record that does not exist', 'GET', '/crash/ffffffffffffffffffffffff', {}],
  ])('the token comes before %s', async (_, method, path, sent) => {
    expect(await send(app, method, path, sent)).toMatchObject(UNAUTHENTICATED);
    const { jwt, uuid } = await makeToken(app, 'use', zero.id, uuidOf(root));
    await app.db.deleteFrom('tokens').where('uuid', '=', uuid).execute();
    expect(await send(app, method, path, { ...sent, token: jwt })).toMatchObject({
      status: 401,
      json: { detail: 'The token was revoked or is unknown.', code: 'token_revoked' },
    });
  });

  it.each([
    ['a body of 2 MiB', 'POST', '/coalition', large],
    ['malformed JSON', 'POST', '/coalition', { body: '{' }],
    ['a body that does not fit', 'POST', '/coalition', { body: {} }],
    ['an id that is none', 'DELETE', '/user/007', {}],
    ['a query that is none', 'DELETE', '/token?uuid=1', {}],
    ['a query that is not properly encoded', 'DELETE', '/token?uuid=%E4', {}],
    ['a record that does not exist', 'GET', '/crash/ffffffffffffffffffffffff', {}],
    ['a user that does not exist', 'DELETE', '/user/1', {}],
  ])('the level comes before %s', async (_, method, path, sent) => {
    expect(await send(app, method, path, { ...sent, token: zero.jwt })).toMatchObject({
      status: 403,
      json: { detail: INSUFFICIENT },
    });
  });

  it('validation comes before existence of the record', async () => {
    expect(places(await send(app, 'PUT', '/user/1', { token: root, body: { clearance_level: 11 } }))).toEqual(
      [['body', 'clearance_level']],
    );
  });

  it('existence of the record comes before authority over it, and the error names it with its id', async () => {
    const one = await addMember(app, 2_120_000_002, 1);
    expect(await send(app, 'GET', '/corporation/98999999/tracking', { token: one.jwt })).toMatchObject({
      status: 404,
      json: { detail: 'Could not find corporation 98999999' },
    });
    await addOrganizations(app, [{ corporations: [98_200_001] }]);
    expect(await send(app, 'GET', '/corporation/98200001/tracking', { token: one.jwt })).toMatchObject({
      status: 403,
      json: { detail: noAuthority('read', 'corporation 98200001') },
    });
  });
});

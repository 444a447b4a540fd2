import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { codesWith, ERROR_CODES } from '../../contract/error-codes.ts';
import { API_VERSION } from '../../contract/version.ts';
import { refuseUnreadable } from '../../server/http/listen.ts';
import { addHome, addMember, type MadeToken } from '../fixtures/users.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { forgetProvider, stayInTheMinute } from '../harness/provider.ts';
import { send } from '../harness/send.ts';

let app: TestApp;
let ada: MadeToken;

beforeAll(async () => {
  app = await startTestApp();
  await addHome(app);
  ada = await addMember(app, 2_195_000_001);
});
afterEach(async () => {
  app.provider.reset();
  await forgetProvider(app);
});
afterAll(() => app.stop());

const forward = (path: string) => send(app, 'GET', `/ext/${path}`, { token: ada.jwt });

/** The answer to these bytes, until the service closes the connection. */
async function saidTo(bytes: string): Promise<string> {
  const socket = connect(Number(new URL(app.url).port), '127.0.0.1');
  await once(socket, 'connect');
  socket.end(bytes);
  return text(socket);
}

describe('D73: every error has a code', () => {
  it('each code of the list is expected by a test', () => {
    const root = new URL('../', import.meta.url);
    const tests = readdirSync(root, { recursive: true, encoding: 'utf8' })
      // The tests of the SDK contain made-up answers.
      .filter((path) => path.endsWith('.test.ts') && !path.startsWith('sdk'))
      .map((path) => readFileSync(new URL(path, root), 'utf8'))
      .join('\n');
    const unseen = Object.keys(ERROR_CODES).filter(
      (code) => !new RegExp(`code"?: '?"?${code}\\b`).test(tests),
    );
    expect(unseen).toEqual([]);
  });

  it('each code belongs to one status, except those for refusals of the provider', () => {
    const statuses = [...new Set(Object.values(ERROR_CODES).map(([status]) => status))];
    const listed = statuses.flatMap((status) => (status === 'its own' ? [] : codesWith(status)));
    expect(listed.sort()).toEqual(
      Object.keys(ERROR_CODES)
        .filter((code) => code !== 'provider_refused')
        .sort(),
    );
  });

  it.each([
    ['a request without Host', 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    [
      'a request with two hosts',
      'GET /healthz HTTP/1.1\r\nHost: a\r\nhost: b\r\nConnection: close\r\n\r\n',
      400,
    ],
    [
      'an expectation that nobody knows',
      'GET /token HTTP/1.1\r\nHost: localhost\r\nExpect: the-best\r\nConnection: close\r\n\r\n',
      401,
    ],
  ])(
    'D2, D72: %s gets JSON with a request id and the version, not Node’s own empty answer',
    async (_, bytes, status) => {
      const [head = '', body = ''] = (await saidTo(bytes)).split('\r\n\r\n');
      expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      expect(head).toMatch(/x-request-id: \S+/i);
      expect(head).toContain(`X-Api-Version: ${API_VERSION}`);
      expect(JSON.parse(body)).toMatchObject({ code: status === 400 ? 'http_unreadable' : 'token_missing' });
    },
  );

  it('bytes that are no HTTP', async () => {
    const said = await saidTo('garbage\r\n\r\n');
    expect(said).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(said).toContain(`\r\nX-Api-Version: ${API_VERSION}\r\n`);
    expect(JSON.parse(said.split('\r\n\r\n')[1] ?? '')).toEqual({
      detail: 'The request is not readable as HTTP.',
      code: 'http_unreadable',
    });
  });

  it('headers that are too large', async () => {
    expect(await send(app, 'GET', '/token', { token: 'a'.repeat(20_000) })).toMatchObject({
      status: 431,
      headers: { 'content-type': 'application/json' },
      json: { code: 'headers_too_large' },
    });
  });

  it('a request that does not arrive in time', async () => {
    const socket = new PassThrough();
    refuseUnreadable(Object.assign(new Error(), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket);
    const said = await text(socket);
    expect(said).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    expect(JSON.parse(said.split('\r\n\r\n')[1] ?? '')).toMatchObject({ code: 'request_timeout' });
  });

  it('a file with a precondition that fails', async () => {
    const file = (headers: Record<string, string>) => send(app, 'GET', '/docs/page.css', { headers });
    expect(await file({ 'if-match': '"another"' })).toMatchObject({
      status: 412,
      headers: { 'content-type': 'application/json' },
      json: { code: 'precondition_failed' },
    });
    expect(await file({ range: 'bytes=999999999-' })).toMatchObject({
      status: 416,
      json: { code: 'range_not_satisfiable' },
    });
  });

  it('a body in an unsupported encoding', async () => {
    const headers = { 'content-encoding': 'br' };
    expect(await send(app, 'POST', '/token/per', { token: app.root, headers, body: '{}' })).toMatchObject({
      status: 415,
      json: { code: 'encoding_unsupported' },
    });
  });

  it('the limits of the provider', async () => {
    app.provider.faults.add('/status', { kind: 'status', status: 420 });
    expect(await forward('status')).toMatchObject({
      status: 503,
      headers: { 'retry-after': expect.stringMatching(/^\d+$/) },
      json: { code: 'provider_limits_used_up' },
    });
  });

  it('those of one caller', async () => {
    stayInTheMinute(app);
    for (let n = 0; n < 20; n += 1) {
      expect(await forward(`corporations/${97_000_000 + n}`)).toMatchObject({ json: { status_code: 404 } });
    }
    expect(await forward('corporations/97000020')).toMatchObject({
      status: 429,
      headers: { 'retry-after': expect.stringMatching(/^\d+$/) },
      json: { code: 'caller_errors_used_up' },
    });
  });
});

import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createApi } from '../../server/api.ts';
import { type Listening, listen } from '../../server/http/listen.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

interface Logged {
  readonly msg: string;
  readonly path: string;
  readonly request_id: string;
  readonly status: number | null;
  readonly aborted?: boolean;
}

/** The log's line about a request for this path, which is logged when its answer has ended. */
function lineOf(path: string): Promise<Logged> {
  return vi.waitFor(() => {
    const lines = app.logged.map((line) => JSON.parse(line) as Logged);
    const found = lines.find((line) => line.msg === 'request' && line.path === path);
    if (found === undefined) throw new Error(`no request for ${path} is logged`);
    return found;
  }, 60_000);
}

/** A connection that has sent the head of a request with a body, and some of that. */
function begun(path: string, fields: readonly string[], body: string) {
  const { port, host } = new URL(app.url);
  const socket = connect(Number(port), '127.0.0.1');
  socket.on('error', () => undefined);
  const head = [`POST ${path} HTTP/1.1`, `Host: ${host}`, `Authorization: Bearer ${app.root}`];
  socket.write([...head, 'Content-Type: application/json', ...fields, '', body].join('\r\n'));
  return socket;
}

describe('the log of requests', () => {
  it('has the status and the id of an answer', async () => {
    const answer = await fetch(`${app.url}/group/of/nothing`);
    const line = await lineOf('/group/of/nothing');
    expect(line).toMatchObject({ status: 404, request_id: answer.headers.get('x-request-id') });
    expect(line).not.toHaveProperty('aborted');
  });

  it('has the first 500 characters of a path, after secrets were removed', async () => {
    const secret = `eyJhbGciOiJFZERTQSJ9.${'x'.repeat(600)}`;
    await fetch(`${app.url}/group/long/${secret}/${'a'.repeat(9_000)}`);
    const beginning = '/group/long/**********/';
    const line = await lineOf(beginning + 'a'.repeat(500 - beginning.length));
    expect(line.status).toBe(404);
  });

  it('has no status of a request whose client goes away before the answer', async () => {
    const asked = app.statements.length;
    const socket = begun('/ext/status?gone', ['Content-Length: 100'], '{"params":');
    // Its token was checked, and its body is waited for.
    await expect.poll(() => app.statements.length).toBeGreaterThan(asked);
    socket.resetAndDestroy();
    expect(await lineOf('/ext/status')).toMatchObject({ status: null, aborted: true });
  });

  it('D3c: has the 400 of a body in too many pieces, which the connection gets at once', async () => {
    const pieces = '1\r\nx\r\n'.repeat(40_000);
    const socket = begun('/ext/markets/prices', ['Transfer-Encoding: chunked'], pieces);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    socket.destroy();
    const id = /^X-Request-Id: (.*)\r$/im.exec(answer.toString())?.[1];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 400 /);
    expect(await lineOf('/ext/markets/prices')).toMatchObject({ status: 400, request_id: id });
  });
});

describe('the log of what the service never sees', () => {
  let http: Listening | undefined;
  afterEach(() => http?.stop(0));

  it.each([
    ['D3c: is no HTTP', 400, 'http_unreadable', 'garbage-of-somebody\r\n\r\n'],
    [
      'D3c: has headers that are too large',
      431,
      'headers_too_large',
      `GET /version?garbage-of-somebody HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
    ],
    ['D2: does not arrive in time', 408, 'request_timeout', 'GET /garbage-of-somebody HTTP/1.1\r\n'],
  ])('has the id of the answer to what %s, and nothing of what was sent', async (_, status, code, sent) => {
    http = await listen(createApi(app.app.services), '127.0.0.1', 0, undefined, 2_000);
    const socket = connect(http.port, '127.0.0.1');
    socket.write(sent);
    const answer = await text(socket);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    const request_id = /^X-Request-Id: (.*)\r$/m.exec(answer)?.[1];
    const line = app.logged.find((one) => one.includes(`"request_id":"${request_id}"`));
    expect(JSON.parse(line ?? '{}')).toMatchObject({
      msg: 'request refused unseen',
      peer: '127.0.0.1',
      status,
      code,
    });
    expect(app.logged.join('')).not.toContain('garbage-of-somebody');
  });
});

import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
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

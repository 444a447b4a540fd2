import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createGate, type Gate } from '../../../server/http/gate.ts';
import { type Listening, listen } from '../../../server/http/listen.ts';
import type { Refusal } from '../../../server/http/refusal-log.ts';

/** Milliseconds: much longer than a test takes. */
const LONG = 60_000;
const SECONDS = 0.05;

let http: Listening;
afterEach(() => http.stop(0));

let noted: Refusal[];
beforeEach(() => {
  noted = [];
});
const note = (refusal: Refusal) => void noted.push(refusal);

async function open(later: number): Promise<{ gate: Gate; ask(path: string): Promise<number> }> {
  const gate = createGate({ quiet: LONG, later, look: 5 }, undefined, note);
  http = await listen(gate, '127.0.0.1', 0);
  gate.open((_req, res) => res.end());
  return { gate, ask: async (path) => (await fetch(`http://127.0.0.1:${http.port}${path}`)).status };
}

it('drains for the configured time, however often it is checked meanwhile', async () => {
  const { gate, ask } = await open(LONG);
  await ask('/token');
  const drained = gate.drain(SECONDS);
  expect([await ask('/readyz'), await ask('/healthz?verbose')]).toEqual([503, 200]);
  await drained;
});

it('drains longer while requests still arrive, but not for ever', async () => {
  const { gate, ask } = await open(400);
  const began = performance.now();
  // Longer than a request takes to arrive on a busy machine.
  const drained = gate.drain(2);
  expect(await ask('/token')).toBe(200);
  await drained;
  expect(performance.now() - began).toBeGreaterThanOrEqual(2_390);
});

it.each([
  ['every origin', undefined, '*'],
  ['those of CORS_ORIGINS', ['https://fleet.example'], 'https://fleet.example'],
])('D62: before it is opened, scripts of %s can read the 503', async (_, origins, allowed) => {
  http = await listen(createGate(undefined, origins), '127.0.0.1', 0);
  const ask = (path: string, method: string) =>
    fetch(`http://127.0.0.1:${http.port}${path}`, {
      method,
      headers: { origin: 'https://fleet.example', 'access-control-request-method': 'PUT' },
    });
  const refused = await ask('/token', 'GET');
  expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([503, allowed]);
  expect(refused.headers.get('access-control-expose-headers')).toContain('Retry-After');
  const preflight = await ask('/token', 'OPTIONS');
  expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, allowed]);
  expect(preflight.headers.get('access-control-allow-headers')).toContain('Authorization');
  for (const path of ['/oidc/auth', '/oidc/interaction/x', '/callback/ext']) {
    const { status, headers } = await ask(path, 'OPTIONS');
    expect([path, status, headers.get('access-control-allow-origin')]).toEqual([path, 503, null]);
  }
});

it('D2: tells the log of its own 503, by the id of the answer', async () => {
  const { gate } = await open(LONG);
  const drained = gate.drain(SECONDS);
  const stopping = await fetch(`http://127.0.0.1:${http.port}/readyz`);
  await drained;
  await http.stop(0);
  http = await listen(createGate(undefined, undefined, note), '127.0.0.1', 0);
  const starting = await fetch(`http://127.0.0.1:${http.port}/token`);
  const of = ({ headers }: Response, code: string) => ({
    request_id: headers.get('x-request-id'),
    status: 503,
    code,
    peer: '127.0.0.1',
  });
  expect(noted).toEqual([of(stopping, 'service_stopping'), of(starting, 'service_starting')]);
});

it('D2: tells the log of a request without a host, by the id of the answer', async () => {
  await open(LONG);
  const socket = connect(http.port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nConnection: close\r\n\r\n');
  const id = /^X-Request-Id: (.*)\r$/m.exec(await text(socket))?.[1];
  expect(noted).toEqual([{ request_id: id, status: 400, code: 'http_unreadable', peer: '127.0.0.1' }]);
});

it('does not wait without a drain', async () => {
  const { gate, ask } = await open(LONG);
  const asked = ask('/token');
  await gate.drain(0);
  await asked;
});

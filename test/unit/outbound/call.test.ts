import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import { callOut, faultOf } from '../../../server/outbound/call.ts';

const sockets = new Set<Socket>();
const servers = new Set<Server>();
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  for (const server of servers) server.close();
});

/** A receiver that does this with each connection once something has come. */
async function receiving(answer: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => answer(socket));
  });
  servers.add(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

it('D93: an idle connection is closed within seconds, however long the receiver would keep it', async () => {
  const answer = 'HTTP/1.1 204 No Content\r\nConnection: keep-alive\r\nKeep-Alive: timeout=600\r\n\r\n';
  const url = await receiving((socket) => void socket.write(answer));
  const { signal } = new AbortController();
  expect(await callOut(url, { method: 'POST', headers: {}, body: '{}', allowPrivate: true, signal })).toEqual(
    {
      status: 204,
      retryAfter: undefined,
    },
  );
  const [connection] = sockets;
  await vi.waitFor(() => expect(connection?.readableEnded).toBe(true), 60_000);
});

it('D93: a receiver that sends interim answers without end is left, before anybody waits for it', async () => {
  const interim = 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(1_000);
  const url = await receiving(function goOn(socket) {
    while (socket.writable && socket.write(interim));
    socket.once('drain', () => goOn(socket));
  });
  const { signal } = new AbortController();
  const called = callOut(url, { method: 'POST', headers: {}, body: '{}', allowPrivate: true, signal });
  const fault = await called.then(() => undefined, faultOf);
  expect(fault).toBe('TooManyInterimAnswers');
});

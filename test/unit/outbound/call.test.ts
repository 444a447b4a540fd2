import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { callOut, faultOf } from '../../../server/outbound/call.ts';

const sockets = new Set<Socket>();
const server = createServer();
server.on('connection', (socket) => {
  sockets.add(socket);
  socket.on('error', () => undefined);
});
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
});

/** Answers with this, again and again. */
async function answering(text: string): Promise<string> {
  server.on('connection', (socket: Socket) => {
    const goOn = () => {
      while (socket.writable && socket.write(text));
      socket.once('drain', goOn);
    };
    socket.once('data', goOn);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

it('D93: a receiver that sends interim answers without end is left, before anybody waits for it', async () => {
  const url = await answering('HTTP/1.1 102 Processing\r\n\r\n'.repeat(1_000));
  const { signal } = new AbortController();
  const called = callOut(url, { method: 'POST', headers: {}, body: '{}', allowPrivate: true, signal });
  const fault = await called.then(() => undefined, faultOf);
  expect(fault).toBe('TooManyInterimAnswers');
});

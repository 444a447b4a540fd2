import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type Listening, listen } from '../../server/http/listen.ts';
import { createMessageClasses } from '../../server/http/message-classes.ts';

let http: Listening | undefined;
let handled: { req: IncomingMessage; res: ServerResponse }[] = [];
let clients: Socket[] = [];
let messages = createMessageClasses();

afterEach(async () => {
  for (const client of clients) client.destroy();
  await http?.stop(0);
  handled = [];
  clients = [];
});

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

/** A service whose answers the test controls, and a client that has sent all of these requests at once. */
async function send(...requests: string[]): Promise<Socket> {
  messages = createMessageClasses();
  const handler = Object.assign(
    (req: IncomingMessage, res: ServerResponse) => void handled.push({ req, res }),
    { messages },
  );
  http = await listen(handler, '127.0.0.1', 0);
  const client = connect({ port: http.port, host: '127.0.0.1' });
  clients.push(client);
  client.on('error', () => undefined);
  await once(client, 'connect');
  client.write(requests.join(''));
  return client;
}

const ask = (...paths: string[]) => send(...paths.map(get));

const urls = () => handled.map(({ req }) => req.url);
const isHandled = (count: number) => expect.poll(() => handled.length).toBe(count);

describe('pipelined requests', () => {
  it('are handled one after the other, and answered in order', async () => {
    const client = await ask('/1', '/2', '/3');
    let text = '';
    client.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    for (const n of [1, 2, 3]) {
      await isHandled(n);
      expect(messages.atWork.size).toBe(4 - n);
      handled.at(-1)?.res.end(`answer ${n};`);
    }
    expect(urls()).toEqual(['/1', '/2', '/3']);
    await expect.poll(() => text.match(/answer \d/g)).toEqual([1, 2, 3].map((n) => `answer ${n}`));
    client.write(get('/4'));
    await isHandled(4);
  });

  it('are not handled after the connection is closed, and do not hold up a stop', async () => {
    const client = await ask('/1', '/2', '/3');
    await isHandled(1);
    client.resetAndDestroy();
    await expect.poll(() => handled[0]?.res.closed).toBe(true);
    handled[0]?.res.end();
    await expect.poll(() => messages.atWork.size).toBe(0);
    expect(urls()).toEqual(['/1']);
  });

  it('are not handled after an answer that closes the connection', async () => {
    const client = await ask('/1', '/2');
    await isHandled(1);
    client.resume();
    handled[0]?.res.setHeader('Connection', 'close').end();
    await once(client, 'close');
    await expect.poll(() => messages.atWork.size).toBe(0);
    expect(urls()).toEqual(['/1']);
  });

  it('are limited to a hundred: with more the connection is closed', async () => {
    const client = await ask(...Array.from({ length: 102 }, (_, n) => `/${n}`));
    client.resume();
    await new Promise((resolve) => client.once('close', resolve));
    expect(urls()).toEqual(['/0']);
  });

  const head = (...headers: string[]) => ['PUT /n HTTP/1.1', 'Host: x', ...headers, '', ''].join('\r\n');
  const sized = (bytes: number) => head(`Content-Length: ${bytes}`) + 'x'.repeat(bytes);
  const CHUNKED = `${head('Transfer-Encoding: chunked')}1\r\nx\r\n0\r\n\r\n`;

  it.each([
    ['bodies of 256 KiB in all', sized(15_000), 17],
    ['three bodies of unknown length', CHUNKED, 3],
    ['heads of 256 KiB in all', head(`X: ${'x'.repeat(15_000)}`), 17],
  ])('may hold %s: with one more the connection is closed', async (_, request, most) => {
    const client = await send(get('/0'), ...Array.from({ length: most }, () => request));
    client.resume();
    await expect.poll(() => messages.atWork.size, { timeout: 10_000 }).toBe(1 + most);
    expect(client.closed).toBe(false);
    client.write(request);
    await expect.poll(() => client.closed, { timeout: 10_000 }).toBe(true);
    expect(urls()).toEqual(['/0']);
  });

  it('are a hundred with small bodies, too, of which each is handled', async () => {
    const client = await send(get('/0'), ...Array.from({ length: 100 }, () => sized(2_000)));
    client.resume();
    for (let n = 1; n <= 101; n += 1) {
      await expect.poll(() => handled.length, { interval: 1 }).toBe(n);
      handled.at(-1)?.req.resume();
      handled.at(-1)?.res.end();
    }
    await expect.poll(() => messages.atWork.size).toBe(0);
  });
});

import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  readonly method: string;
  /** Path and query as received. */
  readonly url: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Receiver {
  /** A callback URL that has a query already. */
  readonly callback: string;
  readonly port: number;
  readonly received: Received[];
  /** How the next requests are answered: a status, or a function of the response. */
  answer: number | ((response: ServerResponse, count: number) => void);
  stop(): Promise<void>;
}

/** An application that receives its callbacks on a loopback port. */
export async function startReceiver(host = '127.0.0.1'): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const url = request.url ?? '';
    const query = new URL(url, 'http://receiver').searchParams;
    const { method = '', headers } = request;
    let body = '';
    request.setEncoding('utf8').on('data', (part) => {
      body += part;
    });
    request.on('end', () => {
      received.push({ method, url, query, headers, body });
      if (typeof receiver.answer === 'function') receiver.answer(response, received.length);
      else response.writeHead(receiver.answer).end();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  const receiver: Receiver = {
    callback: `http://${host}:${port}/signed-in?keep=%20this`,
    port,
    received,
    answer: 204,
    async stop() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
  return receiver;
}

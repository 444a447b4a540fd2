import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Listener } from './messages.ts';

export interface Listening {
  readonly port: number;
  /** Stops accepting at once, lets running requests finish, and cuts those that take longer than that. */
  stop(withinMillis?: number): Promise<void>;
}

/** Longest that a client may take to send its request. */
const REQUEST_WITHIN = 30_000;

/** Serves HTTP on an address; rejects when the port is taken. */
export async function listen(handler: Listener, host: string, port: number): Promise<Listening> {
  const limits = { requestTimeout: REQUEST_WITHIN, keepAliveTimeout: 65_000 };
  const server = createServer({ ...limits, ...handler.messages }, handler);
  server.on('clientError', refuseUnreadable);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    stop: (withinMillis = 5_000) => stop(server, withinMillis),
  };
}

/** What Node's parser says of a request that never reaches a handler; anything else is 400. */
const UNREADABLE: Readonly<Record<string, readonly [statusLine: string, detail: string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The request headers are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not arrive in time.'],
};

/** Answers in JSON, like every other error (D2), what cannot be read as HTTP, and hangs up. */
function refuseUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [statusLine, detail] = UNREADABLE[error.code ?? ''] ?? [
    '400 Bad Request',
    'The request is not readable as HTTP.',
  ];
  const body = JSON.stringify({ detail });
  const head = [
    `HTTP/1.1 ${statusLine}`,
    'Connection: close',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${randomUUID()}`,
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

function stop(server: Server, withinMillis: number): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), withinMillis);
    server.close(() => {
      clearTimeout(cut);
      resolve();
    });
    server.closeIdleConnections();
  });
}

/** Whether an error of listening says that the port is taken. */
export function isInUse(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
}

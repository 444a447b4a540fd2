import { randomUUID } from 'node:crypto';
import { createServer, type Server, STATUS_CODES } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { refuse, STOPPING } from './gate.ts';
import { HttpError } from './http-error.ts';
import { inTurn } from './in-turn.ts';
import { createMessages, type Listener, type MessageClasses } from './messages.ts';
import { READER_LIMITS, type ReaderLimits, watchReaders } from './readers.ts';

export interface Listening {
  readonly port: number;
  /**
   * Stops accepting at once, and waits for every handler, also for those whose clients went away. What takes longer
   * than that is answered with 503 and given up.
   */
  stop(withinMillis?: number): Promise<void>;
}

/** Longest that a client may take to send its request. */
const REQUEST_WITHIN = 30_000;

/** Serves HTTP on an address; rejects when the port is taken. */
export async function listen(
  handler: Listener,
  host: string,
  port: number,
  readers: ReaderLimits = READER_LIMITS,
): Promise<Listening> {
  const messages = handler.messages ?? createMessages();
  const server = createServer({ requestTimeout: REQUEST_WITHIN, ...messages }, inTurn(handler));
  watchReaders(server, readers);
  server.on('clientError', refuseUnreadable);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    stop: (withinMillis = 5_000) => stop(server, messages.atWork, withinMillis),
  };
}

/** What Node's parser says of a request that never reaches a handler. */
const UNREADABLE: Readonly<Record<string, HttpError>> = {
  HPE_HEADER_OVERFLOW: new HttpError('headers_too_large', 'The request headers are too large.'),
  ERR_HTTP_REQUEST_TIMEOUT: new HttpError('request_timeout', 'The request did not arrive in time.'),
};
const NO_HTTP = new HttpError('http_unreadable', 'The request is not readable as HTTP.');

/** Answers in JSON, like every other error (D2), what cannot be read as HTTP, and hangs up. */
export function refuseUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, body: told } = UNREADABLE[error.code ?? ''] ?? NO_HTTP;
  const body = JSON.stringify(told);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Connection: close',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${randomUUID()}`,
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

/** Milliseconds between two looks at what is left. */
const LOOK_EVERY = 20;
/** Milliseconds for those who are given up to hear of it. */
const TAKE_LEAVE_WITHIN = 250;

async function stop(server: Server, atWork: MessageClasses['atWork'], withinMillis: number): Promise<void> {
  let closed = false;
  server.close(() => {
    closed = true;
  });
  /** Whether everybody has gone in this time; connections go when their answers have. */
  const gone = async (millis: number) => {
    const end = performance.now() + millis;
    while (!closed || atWork.size > 0) {
      if (performance.now() >= end) return false;
      server.closeIdleConnections();
      await sleep(LOOK_EVERY);
    }
    return true;
  };
  // Without it, a client that has its answer would keep the connection.
  for (const res of atWork) if (!res.headersSent) res.setHeader('Connection', 'close');
  if (await gone(withinMillis)) return;
  for (const res of atWork) {
    if (res.headersSent) res.destroy();
    else refuse(res, STOPPING);
  }
  await gone(TAKE_LEAVE_WITHIN);
  server.closeAllConnections();
}

/** Whether an error of listening says that the port is taken. */
export function isInUse(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
}

import { randomUUID } from 'node:crypto';
import { createServer, type RequestListener, type Server, STATUS_CODES } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Response } from 'express';
import { API_VERSION } from '../../contract/version.ts';
import { errorBody } from './error-body.ts';
import { refuse, STOPPING } from './gate.ts';
import { HttpError } from './http-error.ts';
import { createMessageClasses, type Listener, type MessageClasses } from './message-classes.ts';
import { onePerConnection } from './pipelining.ts';
import { READER_LIMITS, type ReaderLimits, watchReaders } from './slow-readers.ts';

export interface Listening {
  readonly port: number;
  /**
   * Stops accepting connections, then waits for all handlers, including those whose client has disconnected. Requests
   * that are not done within `withinMillis` are answered with 503.
   */
  stop(withinMillis?: number): Promise<void>;
}

/** Milliseconds within which a request must have arrived completely, and between two checks of that. */
const REQUEST_WITHIN = 30_000;
const CHECK_EVERY = 50;

/** Serves HTTP on an address; rejects when the port is taken. */
export async function listen(
  handler: Listener,
  host: string,
  port: number,
  readers: ReaderLimits = READER_LIMITS,
  requestWithin = REQUEST_WITHIN,
): Promise<Listening> {
  const messages = handler.messages ?? createMessageClasses();
  const answer = onePerConnection(withHost(handler));
  // Node's own answers to a missing Host and to unknown expectations have neither body nor request id.
  const options = {
    ...messages,
    requireHostHeader: false,
    requestTimeout: requestWithin,
    // Node's own half a minute doubles the limit. Whatever has expired since the last check ends at once: thousands of
    // slow connections that were opened in one second would hold up everybody else if they all ended together.
    connectionsCheckingInterval: CHECK_EVERY,
  };
  const server = createServer(options, answer);
  // An expectation that is not known may be ignored (RFC 9110, 10.1.1): a request like any other, also to those who
  // watch the readers.
  server.on('checkExpectation', (req, res) => server.emit('request', req, res));
  watchReaders(server, readers);
  server.on('clientError', (error, socket) => refuseUnreadable(error, socket, handler));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    stop: (withinMillis = 5_000) => stop(server, messages.atWork, withinMillis),
  };
}

/** Answers to errors of Node's HTTP parser, by which a request never reaches a handler. */
const UNREADABLE: Readonly<Record<string, HttpError>> = {
  HPE_HEADER_OVERFLOW: new HttpError('headers_too_large', 'The request headers are too large.'),
  TOO_MANY_PIECES: new HttpError('http_unreadable', 'The body comes in too many pieces.'),
  TOO_MANY_BYTES: new HttpError('body_too_large', 'The body is larger than any body may be.'),
  ERR_HTTP_REQUEST_TIMEOUT: new HttpError('request_timeout', 'The request did not arrive in time.'),
};
const NO_HTTP = new HttpError('http_unreadable', 'The request is not readable as HTTP.');

/** HTTP/1.1 must name the host, and nobody may name two (RFC 9112, 3.2). */
function withHost(handler: Listener): RequestListener {
  return (req, res) => {
    const hosts = countHosts(req.rawHeaders);
    if (hosts > 1 || (hosts === 0 && req.httpVersion === '1.1')) refuse(res, NO_HTTP, handler.noteRefusal);
    else handler(req, res);
  };
}

/** Node's parsed headers hold only the first one. */
function countHosts(namesAndValues: readonly string[]): number {
  let hosts = 0;
  for (let n = 0; n < namesAndValues.length; n += 2) {
    const name = namesAndValues[n];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts;
}

/** Answers input that is not valid HTTP with a JSON error (D2) and closes the connection. */
export function refuseUnreadable(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  { unreadHeaders = [], noteRefusal }: Pick<Listener, 'unreadHeaders' | 'noteRefusal'> = {},
): void {
  // In the middle of an answer it would be taken for a part of its body.
  const { _httpMessage: answer } = socket as { readonly _httpMessage?: Partial<Response> | null };
  if (error.code === 'ECONNRESET' || !socket.writable || answer?.headersSent) {
    socket.destroy();
    return;
  }
  const problem = UNREADABLE[error.code ?? ''] ?? NO_HTTP;
  const { status, code } = problem;
  // For the log of requests, where this is the end of one that the service has seen.
  if (answer?.locals !== undefined) answer.locals['refusedWith'] = status;
  const known = answer?.getHeader?.('X-Request-Id');
  const request_id = known === undefined ? randomUUID() : String(known);
  const { remoteAddress: peer } = socket as Partial<Socket>;
  if (known === undefined) noteRefusal?.({ request_id, status, code, peer });
  const body = JSON.stringify(errorBody(problem));
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Connection: close',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${request_id}`,
    `X-Api-Version: ${API_VERSION}`,
    ...unreadHeaders,
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

/** Milliseconds between two checks for remaining connections. */
const LOOK_EVERY = 20;
/** Milliseconds for the last 503 answers to be sent before all connections are closed. */
const TAKE_LEAVE_WITHIN = 250;

async function stop(server: Server, atWork: MessageClasses['atWork'], withinMillis: number): Promise<void> {
  let closed = false;
  server.close(() => {
    closed = true;
  });
  /** Waits until all connections are closed and all handlers have ended; false when that took longer than `millis`. */
  const gone = async (millis: number) => {
    const end = performance.now() + millis;
    while (!closed || atWork.size > 0) {
      if (performance.now() >= end) return false;
      server.closeIdleConnections();
      await sleep(LOOK_EVERY);
    }
    return true;
  };
  // Otherwise a client would keep its connection open after the answer (keep-alive).
  for (const res of atWork) if (!res.headersSent) res.setHeader('Connection', 'close');
  if (await gone(withinMillis)) return;
  for (const res of atWork) {
    if (res.headersSent) res.destroy();
    else refuse(res, STOPPING);
  }
  await gone(TAKE_LEAVE_WITHIN);
  server.closeAllConnections();
}

/** Whether `listen` failed because the port is in use. */
export function isInUse(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
}

import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Attacker } from './attack.ts';

export interface Asked {
  /** Another token than the caller's own; null: none. */
  readonly token?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as it is; anything but text and bytes as JSON. */
  readonly body?: unknown;
}

/** Milliseconds after which the service counts as not answering. */
const ANSWERED_WITHIN = 150_000;

/** One whole request whose answer is read to its end and thrown away; how it ended is its status. */
export function ask(
  { agent, address, port, person, signal }: Attacker,
  method: string,
  path: string,
  { token = person.jwt, headers = {}, body }: Asked = {},
): Promise<string> {
  const raw = typeof body === 'string' || body instanceof Uint8Array || body === undefined;
  const sent = raw ? (body as string | Uint8Array | undefined) : JSON.stringify(body);
  return new Promise((resolve) => {
    const req = request(
      {
        ...{ agent, localAddress: address, host: '127.0.0.1', port, method, path, signal },
        timeout: ANSWERED_WITHIN,
        headers: {
          ...(token !== null && { authorization: `Bearer ${token}` }),
          ...(sent !== undefined && { 'content-type': 'application/json' }),
          ...(sent !== undefined && { 'content-length': Buffer.byteLength(sent) }),
          ...headers,
        },
      },
      (res) => {
        res.once('end', () => resolve(String(res.statusCode)));
        res.once('close', () => resolve(`${res.statusCode} broken off`));
        res.once('error', () => undefined);
        res.resume();
      },
    );
    req.once('timeout', () => req.destroy(new Error('no answer in time')));
    req.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    req.end(sent);
  });
}

/** A connection of one's own, for what no HTTP client sends; it is gone when the window is over. */
export function open({ address, port, signal }: Pick<Attacker, 'address' | 'port' | 'signal'>): Socket {
  const socket = connect({ host: '127.0.0.1', port, localAddress: address });
  const end = () => socket.destroy();
  if (signal.aborted) end();
  signal.addEventListener('abort', end);
  socket.once('close', () => signal.removeEventListener('abort', end));
  socket.on('error', () => undefined);
  return socket;
}

/** The head of a request, without the line that ends it. */
export function headOf(
  method: string,
  path: string,
  token: string | null,
  more: readonly string[] = [],
): string {
  const bearer = token === null ? [] : [`Authorization: Bearer ${token}`];
  return [`${method} ${path} HTTP/1.1`, 'Host: 127.0.0.1', ...bearer, ...more, ''].join('\r\n');
}

/** Reads until the connection ends: the status of the first answer, or that there was none. */
export function endingOf(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let start = '';
    socket.on('data', (chunk: Buffer) => {
      if (start.length < 100) start += chunk.toString('latin1');
    });
    socket.once('close', () => resolve(statusIn(start) ?? 'closed'));
  });
}

export function statusIn(text: string): string | undefined {
  return /^HTTP\/1\.1 (\d{3})/.exec(text)?.[1];
}

/** Waits, or until the window is over. */
export function rest(milliseconds: number, signal: AbortSignal): Promise<void> {
  return sleep(milliseconds, undefined, { signal }).catch(() => undefined);
}

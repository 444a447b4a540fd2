import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Limits for clients that read their answers slowly. */
export interface ReaderLimits {
  /** Milliseconds in which the client reads no byte. */
  readonly stalledFor: number;
  /** Milliseconds for reading an answer completely. */
  readonly takenWithin: number;
  /**
   * Bytes buffered for all clients together, those that several answers share counted once; above that the connections
   * that have been reading longest are reset first.
   */
  readonly waitingBytes: number;
  /** Milliseconds after which an idle keep-alive connection is closed. */
  readonly idleFor: number;
}

export const READER_LIMITS: ReaderLimits = {
  stalledFor: 30_000,
  takenWithin: 600_000,
  waitingBytes: 64 * 1024 * 1024,
  idleFor: 65_000,
};

/** Milliseconds between two checks of the buffers. */
const LOOK_EVERY = 1_000;

const sharedBodies = new WeakMap<ServerResponse, Buffer>();

/** Tells that an answer consists of these bytes, which others may share. */
export function consistsOf(answer: ServerResponse, body: Buffer): void {
  sharedBodies.set(answer, body);
}

/** State of a connection: its unfinished answers, and when the first of them was seen to have begun. */
interface Reader {
  readonly answers: Set<ServerResponse>;
  since: number | undefined;
  served: boolean;
}

/**
 * Resets connections of clients that do not read their answers, because unread answers take memory: clients that read
 * nothing for a while, that take too long for the whole answer and, above the limit of buffered bytes, those that have
 * been reading longest. The time until an answer begins does not count: the service may be slow, not the client.
 */
export function watchReaders(server: Server, limits: ReaderLimits): void {
  const readers = new Map<Socket, Reader>();
  server.keepAliveTimeout = limits.idleFor;

  server.on('connection', (socket: Socket) => {
    readers.set(socket, { answers: new Set(), since: undefined, served: false });
    socket.once('close', () => readers.delete(socket));
  });
  server.on('request', ({ socket }: IncomingMessage, answer: ServerResponse) => {
    const reader = readers.get(socket);
    if (reader === undefined) return;
    reader.answers.add(answer);
    answer.once('close', () => {
      reader.answers.delete(answer);
      reader.since = undefined;
      reader.served = true;
    });
  });
  // Node restarts this timeout with every byte that the client has read.
  server.setTimeout(limits.stalledFor, (socket: Socket) => {
    const reader = readers.get(socket);
    const idle = reader === undefined || (reader.served && reader.answers.size === 0);
    if (idle) socket.destroy();
    else if (isUnderWay(reader)) cut(socket);
  });
  const looking = setInterval(() => look(readers, limits), LOOK_EVERY);
  looking.unref();
  server.once('close', () => clearInterval(looking));
}

function look(readers: ReadonlyMap<Socket, Reader>, { takenWithin, waitingBytes }: ReaderLimits): void {
  const now = performance.now();
  const waiting: { readonly socket: Socket; readonly reader: Reader; readonly since: number }[] = [];
  for (const [socket, reader] of readers) {
    if (!isUnderWay(reader)) continue;
    reader.since ??= now;
    if (now - reader.since > takenWithin) cut(socket);
    else if (socket.writableLength > 0) waiting.push({ socket, reader, since: reader.since });
  }
  // Bytes that several share count for the one that began last: they are freed when the last one has ended.
  waiting.sort((one, other) => other.since - one.since);
  const counted = new Set<Buffer>();
  let bytes = 0;
  for (const { socket, reader } of waiting) {
    const body = sharedBodyOf(reader);
    if (body !== undefined && counted.has(body)) continue;
    bytes += socket.writableLength;
    if (bytes > waitingBytes) cut(socket);
    else if (body !== undefined) counted.add(body);
  }
}

function sharedBodyOf({ answers }: Reader): Buffer | undefined {
  for (const answer of answers) if (answer.headersSent) return sharedBodies.get(answer);
  return undefined;
}

function isUnderWay({ answers }: Reader): boolean {
  for (const answer of answers) if (answer.headersSent) return true;
  return false;
}

/** A reset (RST) also frees the send buffer of the operating system, which a close (FIN) would not. */
function cut(socket: Socket): void {
  socket.resetAndDestroy();
}

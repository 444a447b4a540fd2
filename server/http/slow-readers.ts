import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Limits for clients that read their answers slowly. */
export interface ReaderLimits {
  /** Milliseconds in which the client reads no byte. */
  readonly stalledFor: number;
  /** Milliseconds for reading an answer completely. */
  readonly takenWithin: number;
  /**
   * Bytes buffered for all clients together; above that the connections that have been reading longest are reset first.
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
  const waiting: { readonly socket: Socket; readonly since: number }[] = [];
  let bytes = 0;
  for (const [socket, reader] of readers) {
    if (!isUnderWay(reader)) continue;
    reader.since ??= now;
    if (now - reader.since > takenWithin) cut(socket);
    else if (socket.writableLength > 0) {
      waiting.push({ socket, since: reader.since });
      bytes += socket.writableLength;
    }
  }
  waiting.sort((one, other) => one.since - other.since);
  for (const { socket } of waiting) {
    if (bytes <= waitingBytes) return;
    bytes -= socket.writableLength;
    cut(socket);
  }
}

function isUnderWay({ answers }: Reader): boolean {
  for (const answer of answers) if (answer.headersSent) return true;
  return false;
}

/** A reset (RST) also frees the send buffer of the operating system, which a close (FIN) would not. */
function cut(socket: Socket): void {
  socket.resetAndDestroy();
}

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How long clients may take to read what they asked for. */
export interface ReaderLimits {
  /** Milliseconds without a byte taken. */
  readonly stalledFor: number;
  /** Milliseconds for an answer as a whole. */
  readonly takenWithin: number;
  /** Bytes that wait for all clients together; beyond them those go first that have waited longest. */
  readonly waitingBytes: number;
  /** Milliseconds for which a connection is kept without a request. */
  readonly idleFor: number;
}

export const READER_LIMITS: ReaderLimits = {
  stalledFor: 30_000,
  takenWithin: 600_000,
  waitingBytes: 64 * 1024 * 1024,
  idleFor: 65_000,
};

/** Milliseconds between two looks at what waits. */
const LOOK_EVERY = 1_000;

/** Of a connection: the answers at work, and when the first of them was seen to be under way. */
interface Reader {
  readonly answers: Set<ServerResponse>;
  since: number | undefined;
  served: boolean;
}

/**
 * Cuts off clients that do not take their answers, so that nobody keeps them in our memory: who takes nothing for a
 * while, who takes too long in all, and under pressure who has waited longest. How long an answer takes to begin is
 * not its reader's business.
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
  // Progress is Node's to see: its timer starts anew with every byte that the client took.
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

/** A reset frees what the system holds for the connection, too. */
function cut(socket: Socket): void {
  socket.resetAndDestroy();
}

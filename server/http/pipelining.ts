import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Pipelined requests that may wait on one connection, and the bytes of all of them; beyond that it is reset. */
const MOST_IN_LINE = 100;
const MOST_BYTES_IN_LINE = 256 * 1024;
/** Bytes that Node (22) holds of a body that nobody reads: it then reads no more from the connection. */
const HELD_OF_BODY = 64 * 1024;

interface Waiting {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
}

interface InLine extends Waiting {
  readonly bytes: number;
}

/**
 * Handles pipelined requests of one connection one at a time. Node would call the handler for all of them at once, but
 * emit `close` on the first response only, so the handlers of the others would never release what they hold.
 */
export function onePerConnection(handler: RequestListener): RequestListener {
  const lines = new WeakMap<Socket, InLine[]>();

  function begin({ req, res }: Waiting, line: InLine[]): void {
    res.once('close', () => goOn(req.socket, line));
    handler(req, res);
  }

  function goOn(socket: Socket, line: InLine[]): void {
    const next = line.shift();
    if (next === undefined) lines.delete(socket);
    else if (next.res.socket !== null) begin(next, line);
    // The connection is closed, so no handler runs for the requests that still wait.
    else for (const { res } of [next, ...line.splice(0)]) res.end();
  }

  return (req, res) => {
    const { socket } = req;
    const line = lines.get(socket);
    if (line === undefined) {
      const ownLine: InLine[] = [];
      lines.set(socket, ownLine);
      begin({ req, res }, ownLine);
    } else {
      line.push({ req, res, bytes: mostBytesOf(req) });
      if (line.length > MOST_IN_LINE || bytesOf(line) > MOST_BYTES_IN_LINE) socket.resetAndDestroy();
    }
  };
}

function bytesOf(line: readonly InLine[]): number {
  return line.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Bytes that a request takes at the most while it waits. A chunked body may have any length. */
function mostBytesOf({ url = '', rawHeaders, headers }: IncomingMessage): number {
  const head = rawHeaders.reduce((sum, text) => sum + text.length, url.length);
  const isChunked = headers['transfer-encoding'] !== undefined;
  const body = isChunked ? HELD_OF_BODY : Math.min(Number(headers['content-length'] ?? 0), HELD_OF_BODY);
  return head + body;
}

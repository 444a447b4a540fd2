import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests that may be in line on one connection; a client that sends more is cut off. */
const MOST_IN_LINE = 100;

interface Waiting {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
}

/**
 * Handles the requests of one connection one after the other, as their answers go out. Node would hand over all that
 * a client sends in advance at once, and tell only the first of their handlers that the connection is gone: what the
 * others hold would be held for ever.
 */
export function inTurn(handler: RequestListener): RequestListener {
  const lines = new WeakMap<Socket, Waiting[]>();

  function begin({ req, res }: Waiting, line: Waiting[]): void {
    res.once('close', () => goOn(req.socket, line));
    handler(req, res);
  }

  function goOn(socket: Socket, line: Waiting[]): void {
    const next = line.shift();
    if (next === undefined) lines.delete(socket);
    else if (next.res.socket !== null) begin(next, line);
    // The connection is over: nobody will hear of them.
    else for (const { res } of [next, ...line.splice(0)]) res.end();
  }

  return (req, res) => {
    const { socket } = req;
    const line = lines.get(socket);
    if (line === undefined) {
      const ownLine: Waiting[] = [];
      lines.set(socket, ownLine);
      begin({ req, res }, ownLine);
    } else if (line.push({ req, res }) > MOST_IN_LINE) socket.resetAndDestroy();
  };
}

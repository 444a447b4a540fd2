import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Pipelined requests that may wait on one connection; a connection with more of them is reset. */
const MOST_IN_LINE = 100;

interface Waiting {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
}

/**
 * Handles pipelined requests of one connection one at a time. Node would call the handler for all of them at once, but
 * emit `close` on the first response only, so the handlers of the others would never release what they hold.
 */
export function onePerConnection(handler: RequestListener): RequestListener {
  const lines = new WeakMap<Socket, Waiting[]>();

  function begin({ req, res }: Waiting, line: Waiting[]): void {
    res.once('close', () => goOn(req.socket, line));
    handler(req, res);
  }

  function goOn(socket: Socket, line: Waiting[]): void {
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
      const ownLine: Waiting[] = [];
      lines.set(socket, ownLine);
      begin({ req, res }, ownLine);
    } else if (line.push({ req, res }) > MOST_IN_LINE) socket.resetAndDestroy();
  };
}

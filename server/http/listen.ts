import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Listening {
  readonly port: number;
  /** Stops accepting at once, lets running requests finish, and cuts those that take longer than that. */
  stop(withinMillis?: number): Promise<void>;
}

/** Longest that a client may take to send its request. */
const REQUEST_WITHIN = 30_000;

/** Serves HTTP on an address; rejects when the port is taken. */
export async function listen(handler: RequestListener, host: string, port: number): Promise<Listening> {
  const server = createServer({ requestTimeout: REQUEST_WITHIN, keepAliveTimeout: 65_000 }, handler);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    stop: (withinMillis = 5_000) => stop(server, withinMillis),
  };
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

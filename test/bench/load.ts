import { Client, type Dispatcher } from 'undici';

export interface Target {
  /** `http://127.0.0.1:1234` */
  readonly origin: string;
  readonly headers: Readonly<{ [name: string]: string }>;
  path(n: number): string;
}

export interface Load {
  /** Answers that arrived. */
  readonly requests: number;
  /** Length of the round in seconds. */
  readonly seconds: number;
  /** Milliseconds from sending to the last byte, sorted. */
  readonly latencies: readonly number[];
  /** Bytes of all bodies. */
  readonly bytes: number;
}

/**
 * Asks over `connections` kept-alive connections, each as fast as its answers come, until the time is over or
 * `most` requests are sent; any answer but 200 throws.
 */
export async function generateLoad(
  target: Target,
  connections: number,
  seconds: number,
  most = Number.POSITIVE_INFINITY,
): Promise<Load> {
  const clients = Array.from({ length: connections }, () => new Client(target.origin, { pipelining: 1 }));
  const latencies: number[] = [];
  let bytes = 0;
  let sent = 0;
  const started = performance.now();
  const end = started + seconds * 1000;
  const keepAsking = async (client: Client) => {
    for (let at = performance.now(); at < end && sent < most; ) {
      const size = await ask(client, target, sent++);
      bytes += size;
      const now = performance.now();
      latencies.push(now - at);
      at = now;
    }
  };
  try {
    await Promise.all(clients.map(keepAsking));
  } finally {
    await Promise.all(clients.map((client) => client.destroy()));
  }
  const took = (performance.now() - started) / 1000;
  return { requests: latencies.length, seconds: took, latencies: latencies.sort((a, b) => a - b), bytes };
}

/** One request; returns the size of the body. A bare dispatch, so that the generator leaves the cores to the servers. */
function ask(client: Client, target: Target, n: number): Promise<number> {
  const path = target.path(n);
  return new Promise((resolve, reject) => {
    let status = 0;
    let bytes = 0;
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: () => undefined,
      onResponseStart: (_controller, statusCode) => {
        status = statusCode;
      },
      onResponseData: (_controller, chunk) => {
        bytes += chunk.length;
      },
      onResponseEnd: () => (status === 200 ? resolve(bytes) : reject(new Error(`${path}: status ${status}`))),
      onResponseError: (_controller, error) => reject(error),
    };
    client.dispatch({ method: 'GET', path, headers: target.headers }, handler);
  });
}

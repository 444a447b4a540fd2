import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';

/** Milliseconds after a failure. */
const PAUSE = 100;

/** What one of the callers saw. */
interface Seen {
  requests: number;
  /** Requests without the answer that they deserve, with what came instead. */
  readonly failures: string[];
  /** Milliseconds of each answer. */
  readonly latencies: number[];
  /** Names of groups whose creation was acknowledged. */
  readonly created: string[];
}

export interface Load {
  readonly seen: Seen;
  stop(): Promise<void>;
}

/** Asks and writes without a pause, over connections that are kept, until it is stopped. */
export function startLoad(origin: string, token: string, callers: number, prefix: string): Load {
  const pool = new Pool(origin, { connections: callers });
  const seen: Seen = { requests: 0, failures: [], latencies: [], created: [] };
  let stopped = false;

  async function call(method: 'GET' | 'POST', path: string, body?: object): Promise<boolean> {
    const began = performance.now();
    const wanted = method === 'POST' ? 201 : 200;
    seen.requests += 1;
    try {
      const answer = await pool.request({
        method,
        path,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      });
      const said = await answer.body.text();
      if (answer.statusCode === wanted) {
        seen.latencies.push(performance.now() - began);
        return true;
      }
      seen.failures.push(`${method} ${path}: ${answer.statusCode} ${said.slice(0, 120)}`);
    } catch (error) {
      seen.failures.push(`${method} ${path}: ${error instanceof Error ? error.message : error}`);
    }
    // Who is refused at once would ask again at once.
    await sleep(PAUSE);
    return false;
  }

  async function keepCalling(caller: number): Promise<void> {
    for (let n = 0; !stopped; n += 1) {
      const group_name = `${prefix} ${caller} ${n}`;
      if (n % 4 === 0) {
        if (await call('POST', '/group', { group_name })) seen.created.push(group_name);
      } else await call('GET', n % 4 === 1 ? '/user/(built-in)' : '/token');
    }
  }

  const calling = Array.from({ length: callers }, (_, caller) => keepCalling(caller));
  return {
    seen,
    async stop() {
      stopped = true;
      await Promise.all(calling);
      await pool.close();
    },
  };
}

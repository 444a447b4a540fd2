import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';

/** Milliseconds after a failure. */
const PAUSE = 100;

/** A request without the answer that it deserves. */
export interface Failure {
  /** What was being done to the fleet. */
  readonly phase: string;
  /** Milliseconds since that began, when the request was sent, and when it failed. */
  readonly sent: number;
  readonly failed: number;
  readonly request: string;
  /** What came instead. */
  readonly outcome: string;
}

/** What one of the callers saw. */
interface Seen {
  requests: number;
  readonly failures: Failure[];
  /** Milliseconds of each answer. */
  readonly latencies: number[];
  /** Names of groups whose creation was acknowledged. */
  readonly created: string[];
}

export interface Load {
  readonly seen: Seen;
  /** Says what is done to the fleet from now on. */
  phase(name: string): void;
  stop(): Promise<void>;
}

/** Asks and writes without a pause, over connections that are kept, until it is stopped. */
export function startLoad(origin: string, token: string, callers: number, prefix: string): Load {
  const pool = new Pool(origin, { connections: callers });
  const seen: Seen = { requests: 0, failures: [], latencies: [], created: [] };
  let stopped = false;
  let phase = { name: 'at first', since: performance.now() };

  async function call(method: 'GET' | 'POST', path: string, body?: object): Promise<boolean> {
    const began = performance.now();
    const wanted = method === 'POST' ? 201 : 200;
    seen.requests += 1;
    const outcome = await pool
      .request({
        method,
        path,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      })
      .then(async (answer) => {
        const said = await answer.body.text();
        if (answer.statusCode === wanted) return undefined;
        // HAProxy's own answers have no id: no service spoke.
        const who = answer.headers['x-request-id'] === undefined ? 'the proxy: ' : '';
        return `${who}${answer.statusCode} ${said.replace(/\s+/g, ' ').slice(0, 120)}`;
      })
      .catch((error: unknown) => (error instanceof Error ? error.message : String(error)));
    const ended = performance.now();
    if (outcome === undefined) {
      seen.latencies.push(ended - began);
      return true;
    }
    const [sent, failed] = [began, ended].map((at) => Math.round(at - phase.since)) as [number, number];
    seen.failures.push({ phase: phase.name, sent, failed, request: `${method} ${path}`, outcome });
    // Who is refused at once would ask again at once.
    await sleep(PAUSE);
    return false;
  }

  async function callUntilStopped(caller: number): Promise<void> {
    for (let n = 0; !stopped; n += 1) {
      const group_name = `${prefix} ${caller} ${n}`;
      if (n % 4 === 0) {
        if (await call('POST', '/group', { group_name })) seen.created.push(group_name);
      } else await call('GET', n % 4 === 1 ? '/user/(built-in)' : '/token');
    }
  }

  const calling = Array.from({ length: callers }, (_, caller) => callUntilStopped(caller));
  return {
    seen,
    phase(name) {
      phase = { name, since: performance.now() };
    },
    async stop() {
      stopped = true;
      await Promise.all(calling);
      await pool.close();
    },
  };
}

/** How many failed of each kind in each phase, then the first of them in full. */
export function describeFailures(failures: readonly Failure[]): string[] {
  const kinds = new Map<string, number>();
  for (const { phase, request, outcome } of failures) {
    const kind = `${phase.replace(/\d+/g, 'N')}: ${request.split(' ')[0]}: ${outcome}`;
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  return [
    ...[...kinds].map(([kind, times]) => `${times} times ${kind}`),
    ...failures
      .slice(0, 10)
      .map(
        ({ phase, sent, failed, request, outcome }) =>
          `${phase}, sent after ${sent} ms, failed after ${failed} ms: ${request}: ${outcome}`,
      ),
  ];
}

import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import type { Person } from './people.ts';

/** What honest clients do all day: read a little, have something forwarded that is cached, and change a group. */
export const KINDS = [
  'GET /token',
  'GET /user/{name}',
  'GET /ext/{path}, cached',
  'PUT /group/{id}',
] as const;
type Kind = (typeof KINDS)[number];

/** Milliseconds between two requests of all healthy callers together. */
const EVERY = 25;
/** Requests under way at the same time; more are not made, and that is a failure. */
const MOST_AT_ONCE = 400;
/** Milliseconds between two questions whether the service is up, and in which they have to be answered. */
const PROBE_EVERY = 1_000;
const PROBE_WITHIN = 5_000;

export interface Healthy {
  /** Everything from now on belongs to another window; returns what the former one saw. */
  next(): WindowSeen;
  stop(): Promise<void>;
}

export interface WindowSeen {
  /** Milliseconds from the moment at which a request was to be sent to its answer's last byte. */
  readonly latencies: Readonly<Record<Kind, number[]>>;
  /** Answers that were not 200, and requests that got none. */
  readonly failures: string[];
  readonly probes: number[];
}

/**
 * Asks at fixed moments, whether or not the former answers have come: who waits for a slow service asks no less, and
 * the time counts from the moment.
 */
export function startHealthy(port: number, people: readonly Person[]): Healthy {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: 64, pipelining: 1 });
  const prober = new Pool(`http://127.0.0.1:${port}`, { connections: 1 });
  const atWork = new Set<Promise<void>>();
  let seen = nothingSeen();
  let going = true;

  async function ask(n: number, due: number): Promise<void> {
    const kind = KINDS[n % KINDS.length] as Kind;
    const { latencies, failures } = seen;
    const person = people[Math.floor(n / KINDS.length) % people.length] as Person;
    try {
      const { statusCode, body } = await pool.request({
        ...requestOf(kind, person, n),
        headers: { authorization: `Bearer ${person.jwt}`, 'content-type': 'application/json' },
      });
      const text = await body.text();
      if (statusCode === 200) latencies[kind].push(performance.now() - due);
      else failures.push(`${kind}: ${statusCode} ${text.slice(0, 200)}`);
    } catch (error) {
      failures.push(`${kind}: ${String(error)}`);
    }
  }

  async function askUntilStopped(): Promise<void> {
    let due = performance.now();
    for (let n = 0; going; n += 1) {
      if (atWork.size >= MOST_AT_ONCE) seen.failures.push('too many requests wait for their answers');
      else {
        const asked = ask(n, due);
        atWork.add(asked);
        void asked.then(() => atWork.delete(asked));
      }
      due += EVERY;
      const early = due - performance.now();
      if (early > 0) await sleep(early);
    }
  }

  async function probeUntilStopped(): Promise<void> {
    while (going) {
      const { probes, failures } = seen;
      const asked = performance.now();
      try {
        const signal = AbortSignal.timeout(PROBE_WITHIN);
        const { statusCode, body } = await prober.request({ method: 'GET', path: '/healthz', signal });
        await body.dump();
        if (statusCode === 200) probes.push(performance.now() - asked);
        else failures.push(`/healthz: ${statusCode}`);
      } catch (error) {
        failures.push(`/healthz: ${String(error)}`);
      }
      await sleep(PROBE_EVERY);
    }
  }

  const loops = [askUntilStopped(), probeUntilStopped()];
  return {
    next() {
      const former = seen;
      seen = nothingSeen();
      return former;
    },
    async stop() {
      going = false;
      await Promise.all(loops);
      await Promise.all(atWork);
      await Promise.all([pool.close(), prober.close()]);
    },
  };
}

function nothingSeen(): WindowSeen {
  const latencies = Object.fromEntries(KINDS.map((kind) => [kind, []])) as unknown as Record<Kind, number[]>;
  return { latencies, failures: [], probes: [] };
}

function requestOf(kind: Kind, { name, group }: Person, n: number) {
  switch (kind) {
    case 'GET /token':
      return { method: 'GET', path: '/token' } as const;
    case 'GET /user/{name}':
      return { method: 'GET', path: `/user/${encodeURIComponent(name)}` } as const;
    case 'GET /ext/{path}, cached':
      return { method: 'GET', path: '/ext/universe/types/34' } as const;
    case 'PUT /group/{id}':
      return {
        method: 'PUT',
        path: `/group/${group}`,
        body: JSON.stringify({ description: `Note ${n}` }),
      } as const;
  }
}

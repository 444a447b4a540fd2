import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

export interface Target {
  /** `http://127.0.0.1:1234` */
  readonly origin: string;
  readonly headers: Readonly<{ [name: string]: string }>;
  readonly method?: 'GET' | 'PUT';
  path(n: number): string;
  /** JSON of the n-th request. */
  body?(n: number): string;
}

export interface Load {
  /** Answers that arrived. */
  readonly requests: number;
  /** Length of the round in seconds. */
  readonly seconds: number;
  /** Milliseconds from sending to the last byte: the median, and what one in a hundred exceeds. */
  readonly p50: number;
  readonly p99: number;
}

/** What load.lua prints. */
interface Told {
  readonly requests: number;
  readonly microseconds: number;
  readonly p50: number;
  readonly p99: number;
  readonly refused: number;
  readonly broken: number;
}

/** Requests that differ; then they begin anew. */
const DIFFERENT = 2_000;
const LUA = join(import.meta.dirname, 'load.lua');

/** Lets wrk ask over `connections` kept-alive connections, each as fast as its answers come; an error status throws. */
export async function generateLoad(target: Target, connections: number, seconds: number): Promise<Load> {
  const folder = await mkdtemp(join(tmpdir(), 'castellan-bench-'));
  try {
    const requests = join(folder, 'requests');
    await writeFile(requests, requestsOf(target));
    const headers = Object.entries(target.headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
    const options = [
      '-t',
      '1',
      '-c',
      String(connections),
      '-d',
      `${Math.ceil(seconds)}s`,
      '--timeout',
      '30s',
      '-s',
      LUA,
    ];
    const wrk = promisify(execFile);
    const { stdout } = await wrk('wrk', [...options, ...headers, target.origin, '--', requests]);
    const told = JSON.parse(/^\{.*\}$/m.exec(stdout)?.[0] ?? '') as Told;
    if (told.refused + told.broken > 0)
      throw new Error(`${target.path(0)}: ${told.refused} refused, ${told.broken} without an answer`);
    return {
      requests: told.requests,
      seconds: told.microseconds / 1e6,
      p50: told.p50 / 1000,
      p99: told.p99 / 1000,
    };
  } finally {
    await rm(folder, { recursive: true });
  }
}

function requestsOf({ method = 'GET', path, body }: Target): string {
  return Array.from({ length: DIFFERENT }, (_, n) => `${method}\t${path(n)}\t${body?.(n) ?? ''}\n`).join('');
}

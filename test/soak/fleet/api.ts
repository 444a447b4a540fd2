import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { type Instance, PRODUCTION, type Running } from '../../harness/instance.ts';

/** An API process as production runs it. */
export interface Api {
  readonly url: string;
  /** Of the process that runs now; 0 before the first. */
  readonly pid: number;
  /** Bytes of memory that it holds. */
  memory(): number;
  /** Ends the process, and returns the milliseconds until it was gone and its exit code. */
  end(signal: NodeJS.Signals): Promise<{ readonly code: number | null; readonly took: number }>;
  /** Starts it again, and returns the milliseconds until it was ready. */
  begin(): Promise<number>;
}

export function createApi(instance: Instance, env: Readonly<Record<string, string>>, port: number): Api {
  let running: Running | undefined;
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    get pid() {
      return running?.pid ?? 0;
    },
    memory() {
      const status = readFileSync(`/proc/${running?.pid}/status`, 'utf8');
      return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
    },
    async begin() {
      const began = performance.now();
      running = instance.start(PRODUCTION.server, { ...env, PORT: String(port) });
      let ended = false;
      void running.ended.then(() => {
        ended = true;
      });
      while (!(await isReady(url))) {
        if (ended) throw new Error(`The API did not start: ${running.output.stderr}`);
        await sleep(20);
      }
      return performance.now() - began;
    },
    async end(signal) {
      if (running === undefined) throw new Error('it does not run');
      const began = performance.now();
      running.signal(signal);
      const { code } = await running.ended;
      return { code, took: performance.now() - began };
    },
  };
}

async function isReady(url: string): Promise<boolean> {
  const answer = await request(`${url}/readyz`).catch(() => undefined);
  await answer?.body.dump();
  return answer?.statusCode === 200;
}

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { FAKED_CLOCK } from '../faked-clock.ts';
import { type Got, type Problem, type Sent, send } from '../send.ts';
import type { Measured } from './loop-meter.ts';
import type { Take } from './server-process.ts';

export interface HeavyRequest extends Sent {
  readonly method: string;
  readonly path: string;
}

/** One request with the measurements of the process that answered it. */
export interface Outcome extends Measured {
  readonly answer: Got<Problem>;
  /** Milliseconds until the answer, without those for which the service's thread waited for a CPU. */
  readonly took: number;
}

export interface MeasuredServer {
  ask(request: HeavyRequest, collectGarbage?: boolean): Promise<Outcome>;
  stop(): Promise<void>;
}

/** Starts the service with these settings in a process whose event loop and heap are measured. */
export async function startMeasuredServer(env: Readonly<Record<string, string>>): Promise<MeasuredServer> {
  const child = fork(join(import.meta.dirname, 'server-process.ts'), {
    execArgv: ['--expose-gc', '--import', 'tsx'],
    env: { PATH: process.env['PATH'] ?? '', ...FAKED_CLOCK, ...env },
  });
  const ended = once(child, 'exit');
  const message = async () => {
    const [said] = (await Promise.race([once(child, 'message'), ended])) as [unknown];
    if (typeof said !== 'object' || said === null) throw new Error(`The measured server ended: ${said}`);
    return said;
  };
  const { port } = (await message()) as { port: number };
  const take = async (collectGarbage: boolean): Promise<Measured> => {
    const said = message();
    child.send({ collectGarbage } satisfies Take);
    return (await said) as Measured;
  };
  await take(true);
  return {
    async ask({ method, path, ...sent }, collectGarbage = false) {
      const started = performance.now();
      const answer = await send({ url: `http://127.0.0.1:${port}` }, method, path, sent);
      const elapsed = performance.now() - started;
      const measured = await take(collectGarbage);
      return { ...measured, answer, took: elapsed - measured.waited };
    },
    async stop() {
      child.disconnect();
      await ended;
    },
  };
}

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';

/** In earnest they have machines of their own: what they compute must not be taken from the service's. */
const LEAST = constants.priority.PRIORITY_LOW;

/** Starts a part of a soak in a process of its own, which ends when it is disconnected. */
export function startProcess(file: string): ChildProcess {
  const child = fork(file, { execArgv: ['--import', 'tsx'] });
  setPriority(child.pid as number, LEAST);
  return child;
}

/** The next message of the process. */
export async function reply<Reply>(child: ChildProcess): Promise<Reply> {
  const heard = new AbortController();
  const { signal } = heard;
  const either = Promise.race([once(child, 'message', { signal }), once(child, 'exit', { signal })]);
  const [said] = (await either) as [unknown];
  heard.abort();
  if (typeof said !== 'object' || said === null) throw new Error(`A process of the soak ended: ${said}`);
  return said as Reply;
}

import { setTimeout as sleep } from 'node:timers/promises';

/**
 * The result of the work; undefined where that takes longer than so many milliseconds. The work goes on then, and keeps
 * no process from ending.
 */
export async function waitAtMost<T>(milliseconds: number, work: Promise<T>): Promise<T | undefined> {
  return Promise.race([work, sleep(milliseconds, undefined, { ref: false })]);
}

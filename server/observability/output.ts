import { setTimeout as sleep } from 'node:timers/promises';

/** Bytes that wait for a reader who stalls; beyond them lines are lost, so that memory is not. */
const MOST_WAITING = 4 * 1024 * 1024;
/** Milliseconds that a process waits at its end for its last lines to be taken. */
const TAKEN_WITHIN = 500;

/**
 * Writes to standard output for as long as somebody reads it. A reader who goes away (`| head`, a Ctrl-C that ends
 * `| cat` first) or stalls loses what it would have read; the process goes on.
 */
export function print(text: string): void {
  if (process.stdout.writableLength < MOST_WAITING) process.stdout.write(text);
}

/** To be called once in a process: a reader's going away is an event that would end it, if nobody listened. */
export function outliveReaders(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}

/** Waits, but not for ever, until what was printed has been taken. */
export async function allTaken(): Promise<void> {
  const taken = new Promise<void>((resolve) => process.stdout.write('', () => resolve()));
  await Promise.race([taken, sleep(TAKEN_WITHIN, undefined, { ref: false })]);
}

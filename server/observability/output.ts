import { waitAtMost } from '../shared/wait-at-most.ts';

/** Bytes buffered for a reader that has stalled; further lines are dropped to bound the memory. */
const MOST_WAITING = 4 * 1024 * 1024;
/** Milliseconds for which an ending process waits until its last lines are read. */
const TAKEN_WITHIN = 500;

/**
 * Writes to standard output. When the reader closes the pipe (`| head`, or Ctrl-C ending `| cat` first) or stalls,
 * lines are dropped and the process goes on.
 */
export function print(text: string): void {
  if (process.stdout.writableLength < MOST_WAITING) process.stdout.write(text);
}

/** Call once per process: without a listener, a closed pipe (EPIPE) would end the process. */
export function outliveReaders(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}

/** Waits for a limited time until all output was read. */
export async function allTaken(): Promise<void> {
  const taken = new Promise<void>((resolve) => process.stdout.write('', () => resolve()));
  await waitAtMost(TAKEN_WITHIN, taken);
}

import { setImmediate } from 'node:timers/promises';
import { chunksOf } from './chunks.ts';

/** Elements of one piece: what is made of them takes some milliseconds at the most. */
const PIECE = 500;

/** Works on a long list piece by piece, with the event loop free in between (D3c); returns what was made of each piece. */
export async function inPieces<T, Result>(
  list: readonly T[],
  work: (piece: readonly T[]) => Result | Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const piece of chunksOf(list, PIECE)) {
    if (results.length > 0) await setImmediate();
    results.push(await work(piece));
  }
  return results;
}

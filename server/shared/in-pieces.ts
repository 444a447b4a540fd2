import { setImmediate } from 'node:timers/promises';

/** Elements of one piece: what is made of them takes some milliseconds at the most. */
const PIECE = 250;

/**
 * Works on a long list piece by piece, with the event loop free in between (D3c).
 *
 * @param weigh for elements whose sizes differ: for how many ordinary ones an element counts
 * @returns what was made of each piece
 */
export async function inPieces<T, Result>(
  list: readonly T[],
  work: (piece: readonly T[]) => Result | Promise<Result>,
  weigh: (element: T) => number = () => 1,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const piece of piecesOf(list, weigh)) {
    if (results.length > 0) await setImmediate();
    results.push(await work(piece));
  }
  return results;
}

function* piecesOf<T>(list: readonly T[], weigh: (element: T) => number): Generator<readonly T[]> {
  let [from, weight] = [0, 0];
  for (const [n, element] of list.entries()) {
    const own = weigh(element);
    if (n > from && weight + own > PIECE) {
      yield list.slice(from, n);
      [from, weight] = [n, 0];
    }
    weight += own;
  }
  if (from < list.length) yield list.slice(from);
}

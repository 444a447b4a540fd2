/** Well-mixed 32-bit hash of a list of whole numbers; ids beyond 32 bits count in both halves. */
export function hash(...services: readonly number[]): number {
  let h = 0x9e3779b9;
  for (const part of services) {
    h = mix(h ^ (part >>> 0));
    h = mix(h ^ Math.floor(part / 0x1_0000_0000));
  }
  return h >>> 0;
}

/** A seeded generator of numbers in [0, 1): the same seed gives the same sequence. */
export function sequence(seed: number): () => number {
  let step = 0;
  return () => hash(seed, step++) / 0x1_0000_0000;
}

/** The list's element that a hash falls on. */
export function pick<T>(list: readonly T[], h: number): T {
  const element = list[h % list.length];
  if (element === undefined) throw new RangeError('Cannot pick from an empty list');
  return element;
}

/**
 * A seeded one-to-one map of 0..size-1 onto itself: distinct indices give distinct results, nothing stored.
 * Exact while size² stays below 2^53.
 */
export function permutation(size: number, seed: number): (index: number) => number {
  let factor = (hash(seed, 1) % size) | 1;
  while (greatestCommonDivisor(factor, size) !== 1) factor += 2;
  const shift = hash(seed, 2) % size;
  return (index) => (factor * index + shift) % size;
}

function mix(value: number): number {
  let h = value | 0;
  h = Math.imul(h ^ (h >>> 16), 0x21f0aaad);
  h = Math.imul(h ^ (h >>> 15), 0x735a2d97);
  return h ^ (h >>> 15);
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}

import { growthPerHour } from '../hostile/figures.ts';
import { acts } from './acts/index.ts';
import { type Holding, NAMES, type Name, type Sample } from './watch.ts';

const MIB = 1024 * 1024;

/** One line about a moment: per program heap and memory in MiB, descriptors, and connections to the database. */
export function sampleLine(sample: Sample): string {
  const told = NAMES.map((name) => {
    const { heap, rss, descriptors, connections } = sample[name];
    const mib = `heap ${(heap / MIB).toFixed(2)} of ${Math.round(rss / MIB)} MiB`;
    return `${name}: ${mib}, ${descriptors} descriptors, ${connections} connections`;
  });
  return `minute ${sample.at.toFixed(1)}, ${sample.window}: ${told.join('; ')}; ${sample.series} series`;
}

/** Minutes in which every fault comes once, and so every burst of requests and deliveries. */
const ROUND = 5;

/**
 * MiB by which the heap grows in an hour after the warm-up: the least of each round, as what leaks stays, while what
 * requests and deliveries hold that are under way is chance.
 */
export function heapGrowth(samples: readonly Sample[], name: Name, warmUp: number): number {
  const least = new Map<number, { at: number; heap: number }>();
  for (const { at, [name]: seen } of samples) {
    if (at < warmUp) continue;
    const round = Math.floor(at / ROUND);
    const { heap } = seen;
    if (heap < (least.get(round)?.heap ?? Number.POSITIVE_INFINITY)) least.set(round, { at, heap });
  }
  return growthPerHour([...least.values()], ({ heap }) => heap) / MIB;
}

/**
 * The median of a figure in the second and in the last quarter of the time: what leaks raises it, where the most is that
 * of a burst of deliveries, as it happened to be seen.
 */
export function medianOfQuarters(
  samples: readonly Sample[],
  name: Name,
  figure: keyof Holding,
): { readonly second: number; readonly last: number } {
  const end = samples.at(-1)?.at ?? 0;
  const median = (from: number, to: number) => {
    const seen = samples.filter(({ at }) => at >= from * end && at <= to * end);
    const figures = seen.map((sample) => sample[name][figure]).sort((one, other) => one - other);
    return figures[Math.floor(figures.length / 2)] ?? 0;
  };
  return { second: median(0.25, 0.5), last: median(0.75, 1) };
}

/** Acts that always failed, or that nobody came to. */
export function neverDone(endings: ReadonlyMap<string, ReadonlyMap<string, number>>): string[] {
  return acts.map(({ name }) => name).filter((name) => !endings.get(name)?.has('done'));
}

/** How each act ended, the rare ends last. */
export function endingsTable(endings: ReadonlyMap<string, ReadonlyMap<string, number>>): string {
  return [...endings]
    .map(([name, counts]) => {
      const ends = [...counts].sort(([, one], [, other]) => other - one);
      return `${name}: ${ends.map(([ending, times]) => `${ending} × ${times}`).join(', ')}\n`;
    })
    .join('');
}

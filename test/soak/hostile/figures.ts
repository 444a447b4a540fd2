import { type Attack, STOPPED } from './attack.ts';
import type { Endings } from './attackers-process.ts';
import { KINDS, type WindowSeen } from './healthy.ts';
import type { Sample } from './watch.ts';

const MIB = 1024 * 1024;

export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(sorted.length * q) - 1)] ?? Number.NaN;
}

const mib = (bytes: number): number => Math.round(bytes / MIB);

/** Least squares over the samples: how much a figure grows in an hour. */
export function growthPerHour<Moment extends { readonly at: number }>(
  samples: readonly Moment[],
  figure: (sample: Moment) => number,
): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [atMean, mostly] = [mean(samples.map(({ at }) => at)), mean(samples.map(figure))];
  const covariance = mean(samples.map((sample) => (sample.at - atMean) * (figure(sample) - mostly)));
  const variance = mean(samples.map(({ at }) => (at - atMean) ** 2));
  return (60 * covariance) / variance;
}

/** All windows of one sort as one. */
export function pooled(windows: readonly WindowSeen[]): WindowSeen {
  const latencies = Object.fromEntries(
    KINDS.map((kind) => [kind, windows.flatMap((window) => window.latencies[kind])]),
  ) as unknown as WindowSeen['latencies'];
  return {
    latencies,
    failures: windows.flatMap(({ failures }) => failures),
    probes: windows.flatMap(({ probes }) => probes),
  };
}

export const everyLatency = ({ latencies }: WindowSeen): number[] => Object.values(latencies).flat();

/** One line for each kind of healthy request, quiet beside hostile. */
export function latencyTable(quiet: WindowSeen, hostile: WindowSeen): string {
  const row = (name: string, one: readonly number[], other: readonly number[]) => {
    const figures = [0.5, 0.99].flatMap((q) => [one, other].map((values) => quantile(values, q).toFixed(1)));
    const ratio = (quantile(other, 0.99) / quantile(one, 0.99)).toFixed(2);
    return [name, one.length, other.length, ...figures, ratio].map(String);
  };
  const lines = [
    ['milliseconds', 'quiet', 'hostile', 'p50', 'hostile', 'p99', 'hostile', 'p99 ratio'],
    ...KINDS.map((kind) => row(kind, quiet.latencies[kind], hostile.latencies[kind])),
    row('all', everyLatency(quiet), everyLatency(hostile)),
    row('/healthz', quiet.probes, hostile.probes),
  ];
  return aligned(lines);
}

/** Adds what another window ended in. */
export function addEndings(sums: Endings, more: Endings): void {
  for (const [name, counts] of Object.entries(more)) {
    const sum = sums[name] ?? {};
    for (const [ending, times] of Object.entries(counts)) sum[ending] = (sum[ending] ?? 0) + times;
    sums[name] = sum;
  }
}

/** Endings that an attack must not have, and those that it lacks. */
export function oddEndings(attacks: readonly Attack[], endings: Endings): string[] {
  return attacks.flatMap(({ name, must, may = [] }) => {
    const seen = Object.keys(endings[name] ?? {});
    const fine = [...must, ...may, STOPPED];
    return [
      ...seen.filter((ending) => !fine.includes(ending)).map((ending) => `${name}: ended with ${ending}`),
      ...must
        .filter((ending) => !seen.includes(ending))
        .map((ending) => `${name}: never ended with ${ending}`),
    ];
  });
}

/** One line for each attack. */
export function endingsTable(endings: Endings): string {
  return aligned(
    Object.entries(endings).map(([name, counts]) => [
      name,
      Object.entries(counts)
        .sort(([, one], [, other]) => other - one)
        .map(([ending, count]) => `${ending} × ${count}`)
        .join(', '),
    ]),
  );
}

function aligned(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) => row.map((cell, n) => cell.padEnd(widths[n] ?? 0)).join('  ');
  return rows.map((row) => `${line(row).trimEnd()}\n`).join('');
}

export function sampleLine(sample: Sample): string {
  const { at, window, rss, descriptors, connections, database, cache, spooled, joined } = sample;
  const figures = {
    window,
    rss: mib(rss),
    descriptors,
    connections,
    database: mib(database),
    cache: mib(cache),
    spooled: mib(spooled),
    joined,
  };
  return `minute ${Math.round(at)}: ${JSON.stringify(figures)}`;
}

/** The most of everything in MiB or numbers, and the memory at the end of each quiet window. */
export function summary(samples: readonly Sample[]): object {
  const most = (figure: (sample: Sample) => number) => Math.max(...samples.map(figure));
  const calm = samples.filter(({ window }) => window === 'quiet');
  const ends = calm.filter(
    (sample, n) => calm[n + 1] === undefined || (calm[n + 1]?.at ?? 0) - sample.at > 1,
  );
  return {
    minutes: Math.round(samples.at(-1)?.at ?? 0),
    rss: mib(most(({ rss }) => rss)),
    rssOfQuietWindows: ends.map(({ rss }) => mib(rss)),
    descriptors: most(({ descriptors }) => descriptors),
    descriptorsOfQuietWindows: ends.map(({ descriptors }) => descriptors),
    connections: most(({ connections }) => connections),
    database: mib(most(({ database }) => database)),
    otherTables: mib(most(({ database, cache }) => database - cache)),
    cache: mib(most(({ cache }) => cache)),
    spooled: mib(most(({ spooled }) => spooled)),
    cpuSeconds: Math.round((samples.at(-1)?.cpu ?? 0) / 1_000),
  };
}

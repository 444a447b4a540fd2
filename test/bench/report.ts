import type { Load } from './load.ts';

export interface Round {
  readonly load: Load;
  /** Milliseconds of CPU that the server used meanwhile. */
  readonly cpu: number | undefined;
}

/** A round of the service and the round of the bare handler that followed it. */
export interface Pair {
  readonly service: Round;
  readonly bare: Round;
}

export interface Result {
  readonly name: string;
  readonly users: number | undefined;
  /** Statements of a request, where requests come one by one. */
  readonly statements: number;
  /** Of one answer's body. */
  readonly bytes: number;
  readonly pairs: readonly Pair[];
}

const HEADINGS = [
  'operation',
  'ratio (min–max)',
  'requests/s',
  'bare',
  'p50 ms',
  'bare',
  'p99 ms',
  'bare',
  'CPU µs',
  'bare',
  'SQL',
  'bytes',
  'kB/1,000 users',
] as const;

/** A line for each operation: medians over the rounds, the ratio first as it bears a busy machine best. */
export function table(results: readonly Result[]): string {
  const rows = [[...HEADINGS], ...results.map(line)];
  const widths = HEADINGS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row.map((cell, n) => (n === 0 ? cell.padEnd(widths[n] ?? 0) : cell.padStart(widths[n] ?? 0))),
    )
    .map((cells) => `${cells.join('  ')}\n`)
    .join('');
}

function line({ name, users, statements, bytes, pairs }: Result): string[] {
  const service = pairs.map((pair) => pair.service);
  const bare = pairs.map((pair) => pair.bare);
  return [
    name,
    ratios(pairs),
    ...both(service, bare, rate, 0),
    ...both(service, bare, ({ load }) => load.p50, 2),
    ...both(service, bare, ({ load }) => load.p99, 2),
    ...both(service, bare, ({ load, cpu = Number.NaN }) => (cpu * 1000) / load.requests, 0),
    figure(statements, Number.isInteger(statements) ? 0 : 2),
    figure(bytes, 0),
    users === undefined ? '' : figure(bytes / users, 1),
  ];
}

/** Ratio of the medians, and the extremes of the ratios pair by pair. */
function ratios(pairs: readonly Pair[]): string {
  const each = pairs.map(({ service, bare }) => rate(service) / rate(bare));
  const whole =
    median(pairs.map((pair) => rate(pair.service))) / median(pairs.map((pair) => rate(pair.bare)));
  return `${whole.toFixed(2)} (${Math.min(...each).toFixed(2)}–${Math.max(...each).toFixed(2)})`;
}

function rate({ load }: Round): number {
  return load.requests / load.seconds;
}

function both(
  service: readonly Round[],
  bare: readonly Round[],
  value: (round: Round) => number,
  digits: number,
): string[] {
  return [figure(median(service.map(value)), digits), figure(median(bare.map(value)), digits)];
}

function figure(value: number, digits: number): string {
  if (Number.isNaN(value)) return '–';
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** The middle of the values. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.ceil(sorted.length / 2) - 1] ?? Number.NaN;
}

/** Median, what one in a hundred exceeds, and the most; rounded. */
export function spread(values: readonly number[]): string {
  const sorted = [...values].sort((one, other) => one - other);
  const at = (q: number) => Math.round(sorted[Math.max(0, Math.ceil(sorted.length * q) - 1)] ?? Number.NaN);
  return `median ${at(0.5)} ms, p99 ${at(0.99)} ms, most ${at(1)} ms`;
}

export function tell(line: string): void {
  process.stdout.write(`${line}\n`);
}

import { readFileSync } from 'node:fs';

/** Milliseconds until now in which a thread of this machine waited for a CPU; 0 if the system does not report it. */
export function starved(): number {
  try {
    const total = /^some .* total=(\d+)/m.exec(readFileSync('/proc/pressure/cpu', 'utf8'))?.[1];
    return Number(total ?? 0) / 1_000;
  } catch {
    return 0;
  }
}

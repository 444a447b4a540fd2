import { useSyncExternalStore } from 'react';

/** Milliseconds between two looks at the clock; what is shown is told in minutes. */
const RHYTHM = 15_000;

let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

function look(): void {
  now = Date.now();
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  // Whoever is the first sees no time of when somebody listened last.
  if (timer === undefined) now = Date.now();
  timer ??= setInterval(look, RHYTHM);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** The present time, for what shows its distance from it; one timer serves all of the page. */
export function useNow(): Date {
  return new Date(useSyncExternalStore(subscribe, () => now));
}

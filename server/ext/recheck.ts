/** Repeats a check when its last result is older than this many milliseconds; concurrent calls share one result. */
type Recheck = (olderThan: number) => Promise<unknown>;

/** @param checkedAt when it was checked last, in terms of `performance.now()` */
export function createRecheck(check: () => Promise<unknown>, checkedAt = performance.now()): Recheck {
  let lastAt = checkedAt;
  let result: Promise<unknown> = Promise.resolve();
  return (olderThan) => {
    const now = performance.now();
    if (now - lastAt > olderThan) {
      lastAt = now;
      result = check();
    }
    return result;
  };
}

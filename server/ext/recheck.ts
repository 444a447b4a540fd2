/** Repeats a check when its last result is older than this many milliseconds; concurrent calls share one result. */
type Recheck = (olderThan: number) => Promise<unknown>;

/** Creates a recheck for what has just been checked. */
export function createRecheck(check: () => Promise<unknown>): Recheck {
  let checkedAt = performance.now();
  let result: Promise<unknown> = Promise.resolve();
  return (olderThan) => {
    const now = performance.now();
    if (now - checkedAt > olderThan) {
      checkedAt = now;
      result = check();
    }
    return result;
  };
}

/**
 * Shares look-ups: one runs at a time, and all callers that arrive meanwhile share the next one. So every result was
 * read after its caller asked, and any number of concurrent callers cost two look-ups.
 */
export function sharedLookup<T>(look: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  let next: Promise<T> | undefined;
  const start = (): Promise<T> => {
    next = undefined;
    const present = look();
    running = present;
    const end = () => {
      if (running === present && next === undefined) running = undefined;
    };
    present.then(end, end);
    return present;
  };
  return () => {
    if (running === undefined) return start();
    next ??= running.then(start, start);
    return next;
  };
}

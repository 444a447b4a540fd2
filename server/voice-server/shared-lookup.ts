/**
 * Makes a look at something that is shared: one runs at a time, and everybody who comes while it runs gets the
 * next one, together. So nobody is told what was seen before they asked, and a crowd costs two looks.
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

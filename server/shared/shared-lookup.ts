/** A look-up under way, and the one that begins when it ends, if anybody waits for that. */
interface Share<T> {
  readonly found: Promise<T>;
  next: Promise<T> | undefined;
}

/**
 * Shares look-ups by key: one of a key runs at a time, and all callers that arrive meanwhile share the next one. So
 * every result was read after its caller asked, and any number of concurrent callers cost two look-ups. Other keys wait
 * for nothing.
 */
export function sharedLookups<Key, T>(): (key: Key, look: () => Promise<T>) => Promise<T> {
  const shares = new Map<Key, Share<T>>();
  return (key, look) => {
    const running = shares.get(key);
    if (running === undefined) return begin();
    running.next ??= running.found.then(begin, begin);
    return running.next;

    function begin(): Promise<T> {
      const share: Share<T> = { found: look(), next: undefined };
      shares.set(key, share);
      const end = () => {
        if (share.next === undefined) shares.delete(key);
      };
      share.found.then(end, end);
      return share.found;
    }
  };
}

/** The same for a look-up without a key. */
export function sharedLookup<T>(look: () => Promise<T>): () => Promise<T> {
  const share = sharedLookups<undefined, T>();
  return () => share(undefined, look);
}

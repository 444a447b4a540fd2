type QueryKey = readonly unknown[];

/** What it needs of a QueryClient. */
interface Cache {
  cancelQueries(of: { readonly queryKey: QueryKey }): Promise<void>;
  getQueryData<Found>(queryKey: QueryKey): Found | undefined;
  setQueryData<Found>(queryKey: QueryKey, data: Found | undefined): unknown;
  invalidateQueries(of: { readonly queryKey: QueryKey }): Promise<void>;
}

interface Before<Found> {
  readonly before: Found | undefined;
}

/**
 * Options of a mutation whose change is shown before the service answers, and taken back when it refuses. What was there
 * before is kept by `onMutate`: a render in between gives the mutation new options, and by then what is rendered is
 * already the change.
 */
export function shownAtOnce<Found, Change>(
  cache: Cache,
  queryKey: QueryKey,
  expected: (before: Found, change: Change) => Found,
) {
  return {
    onMutate: async (change: Change): Promise<Before<Found>> => {
      await cache.cancelQueries({ queryKey });
      const before = cache.getQueryData<Found>(queryKey);
      if (before !== undefined) cache.setQueryData<Found>(queryKey, expected(before, change));
      return { before };
    },
    onError: (_error: Error, _change: Change, kept: Before<Found> | undefined): void => {
      cache.setQueryData<Found>(queryKey, kept?.before);
      // The service may have done what it could not answer, or another change since.
      void cache.invalidateQueries({ queryKey });
    },
  };
}

import { type Answer, ok, type Success } from '@castellan/sdk';
import { useSuspenseInfiniteQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';

/** An operation that lists a page, with the cursor of the next page in `X-Next`. */
type Call<Query, Given> = (request: {
  readonly query: Query & { after?: string };
  readonly signal: AbortSignal;
}) => Promise<Given>;

/** A page of a list. */
interface Stretch<Entry> {
  readonly entries: readonly Entry[];
  /** The cursor of the next page; undefined on the last one. */
  readonly next: string | undefined;
}

/** Options of an infinite query over a list with a cursor. */
export interface Listing<Entry> {
  readonly queryKey: readonly unknown[];
  readonly queryFn: (context: {
    readonly pageParam: string;
    readonly signal: AbortSignal;
  }) => Promise<Stretch<Entry>>;
  readonly initialPageParam: string;
  readonly getNextPageParam: (last: Pick<Stretch<unknown>, 'next'>) => string | undefined;
}

type EntryOf<Given> = Success<Given> extends readonly (infer Entry)[] ? Entry : never;

export function listingOf<Query extends object, Given extends Answer<number, unknown>>(
  name: readonly [resource: string, operation: string],
  list: Call<Query, Given>,
  query: Query,
): Listing<EntryOf<Given>> {
  return {
    queryKey: ['castellan', ...name, 'stretches', query],
    queryFn: async ({ pageParam, signal }) => {
      const answer = await list({
        query: { ...query, ...(pageParam !== '' && { after: pageParam }) },
        signal,
      });
      const entries = (await ok(answer)) as readonly EntryOf<Given>[];
      return { entries, next: answer.headers.get('x-next') ?? undefined };
    },
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
  };
}

/** Loads a list page by page as the user scrolls. */
export function useListing<Entry>(of: Listing<Entry>) {
  const listing = useSuspenseInfiniteQuery(of);
  const { pages } = listing.data;
  const entries = useMemo(() => pages.flatMap((page) => page.entries), [pages]);
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = listing;
  const onEnd = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage && !isFetchNextPageError) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage]);
  return {
    entries,
    hasNextPage,
    isFetchingNextPage,
    isFetchNextPageError,
    error: listing.error,
    fetchNextPage,
    /** Call it when the end of the list becomes visible. */
    onEnd,
  };
}

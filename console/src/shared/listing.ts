import { type Answer, ok, type Success } from '@castellan/sdk';
import { useSuspenseInfiniteQuery } from '@tanstack/react-query';
import { useCallback } from 'react';

/** An operation that lists a page, with the cursor of the next page in `X-Next`. */
type Listing<Query, Given> = (request: {
  readonly query: Query & { after?: string };
  readonly signal: AbortSignal;
}) => Promise<Given>;

/** Loads a list page by page as the user scrolls. */
export function useListing<Query extends object, Given extends Answer<number, unknown>>(
  name: readonly [resource: string, operation: string],
  list: Listing<Query, Given>,
  query: Query,
) {
  const listing = useSuspenseInfiniteQuery({
    queryKey: ['castellan', ...name, 'stretches', query],
    queryFn: async ({ pageParam, signal }) => {
      const answer = await list({
        query: { ...query, ...(pageParam !== '' && { after: pageParam }) },
        signal,
      });
      return { entries: await ok(answer), next: answer.headers.get('x-next') ?? undefined };
    },
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
  });
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = listing;
  const onEnd = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage && !isFetchNextPageError) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage]);
  return {
    entries: listing.data.pages.flatMap(({ entries }) => entries as readonly EntryOf<Given>[]),
    hasNextPage,
    isFetchingNextPage,
    fetchNextPage,
    /** Call it when the end of the list becomes visible. */
    onEnd,
  };
}

type EntryOf<Given> = Success<Given> extends readonly (infer Entry)[] ? Entry : never;

import { CastellanError } from '@castellan/sdk';
import type { CastellanQuery } from '@castellan/sdk/query';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useRouterState } from '@tanstack/react-router';

/**
 * The record that a screen is about. Where it is gone, such as deleted by somebody else, the screen fails as if it were
 * opened now, instead of going on to show it.
 */
export function useRecord<Result>(query: CastellanQuery<Result>): Result {
  const { data, error, isFetching } = useSuspenseQuery(query);
  // Whoever deleted it is on the way to the list.
  const isLeaving = useRouterState({ select: ({ isLoading }) => isLoading });
  const isGone = error instanceof CastellanError && error.status === 404 && !isFetching;
  if (isGone && !isLeaving) throw error;
  return data;
}

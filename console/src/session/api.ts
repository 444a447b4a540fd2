import { CastellanError, createCastellan } from '@castellan/sdk';
import { createQueries } from '@castellan/sdk/query';
import { MutationCache, type Query, QueryCache, QueryClient } from '@tanstack/react-query';
import { SERVICE } from './place.ts';
import { currentToken, endSession } from './session.ts';

/** The service, asked as whoever is signed in. */
export const castellan = createCastellan({ baseUrl: SERVICE, token: currentToken });
/** The same for what is read while somebody looks at an outline: it gives up in time, so that he is told what is wrong. */
export const reader = createCastellan({
  baseUrl: SERVICE,
  token: currentToken,
  retries: 1,
  timeout: 30_000,
});
/** Options for TanStack Query by the names of the API's operations. */
export const queries = createQueries(reader);

const MINUTE = 60_000;

/** A refused token ends the session, in the service's own words. */
function noticeRefusal(error: unknown): void {
  if (error instanceof CastellanError && error.status === 401 && currentToken() !== undefined) {
    endSession(error);
  }
}

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noticeRefusal }),
  mutationCache: new MutationCache({ onError: noticeRefusal }),
  // The SDK asks again where that makes sense; what is older than half a minute is asked for anew when looked at.
  defaultOptions: {
    queries: { retry: false, staleTime: MINUTE / 2, gcTime: 10 * MINUTE },
    mutations: { retry: false },
  },
});

/** A list that somebody scrolled through has more stretches than can be read anew at every event. */
const MOST_STRETCHES = 5;

/** Everything that the answers about these resources said may have changed: what is seen is asked for anew. */
export async function forget(...resources: (keyof typeof queries)[]): Promise<void> {
  await Promise.all(
    resources.map(async (resource) => {
      const queryKey = ['castellan', resource];
      await queryClient.invalidateQueries({ queryKey, refetchType: 'none' });
      await queryClient.refetchQueries({ queryKey, type: 'active', predicate: isShort });
    }),
  );
}

function isShort({ state: { data } }: Query): boolean {
  const { pages = [] } = (data ?? {}) as { readonly pages?: readonly unknown[] };
  return pages.length <= MOST_STRETCHES;
}

import { CastellanError, createCastellan } from '@castellan/sdk';
import { createQueries } from '@castellan/sdk/query';
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { SERVICE } from './place.ts';
import { currentToken, endSession } from './session.ts';

/** The service, asked as whoever is signed in. */
export const castellan = createCastellan({ baseUrl: SERVICE, token: currentToken });
/** Options for TanStack Query by the names of the API's operations. */
export const queries = createQueries(castellan);

const MINUTE = 60_000;

/** A refused token ends the session, in the service's own words. */
function noticeRefusal(error: unknown): void {
  if (error instanceof CastellanError && error.status === 401 && currentToken() !== undefined) {
    endSession(error.message);
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

/** Everything that the answers about these resources said may have changed. */
export async function forget(...resources: (keyof typeof queries)[]): Promise<void> {
  await Promise.all(
    resources.map((resource) => queryClient.invalidateQueries({ queryKey: ['castellan', resource] })),
  );
}

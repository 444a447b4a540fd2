import { CastellanError, createCastellan } from '@castellan/sdk';
import { createQueries } from '@castellan/sdk/query';
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { SERVICE } from './addresses.ts';
import { currentToken, endSession } from './session.ts';

/** The SDK's client with the signed-in user's token. */
export const castellan = createCastellan({ baseUrl: SERVICE, token: currentToken });
/** Options for TanStack Query by the names of the API's operations. */
export const queries = createQueries(castellan);

const MINUTE = 60_000;

/** Ends the session when the service refuses its token, and keeps the service's message for the sign-in page. */
function noticeRefusal(error: unknown): void {
  if (error instanceof CastellanError && error.status === 401 && currentToken() !== undefined) {
    endSession(error.message);
  }
}

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noticeRefusal }),
  mutationCache: new MutationCache({ onError: noticeRefusal }),
  // No retries here, because the SDK retries. Data older than half a minute is fetched again when it is shown.
  defaultOptions: {
    queries: { retry: false, staleTime: MINUTE / 2, gcTime: 10 * MINUTE },
    mutations: { retry: false },
  },
});

/** Marks all cached answers of these resources as out of date. */
export async function forget(...resources: (keyof typeof queries)[]): Promise<void> {
  await Promise.all(
    resources.map((resource) => queryClient.invalidateQueries({ queryKey: ['castellan', resource] })),
  );
}

import { CastellanError, createCastellan } from '@castellan/sdk';
import { createQueries } from '@castellan/sdk/query';
import { MutationCache, type Query, QueryCache, QueryClient } from '@tanstack/react-query';
import { SERVICE } from './addresses.ts';
import { canStore, characterOf, currentToken, endSession, subscribe } from './session.ts';
import { send } from './unreachable.ts';

/**
 * The SDK's client with the signed-in user's token. Without retries: a change is sent when somebody asks for it, and not
 * again later. Without a timeout, as a slow one, such as the preview of a large coalition, is carried out all the same.
 */
export const castellan = createCastellan({
  baseUrl: SERVICE,
  token: currentToken,
  retries: 0,
  fetch: sendNoted,
});
/** The same for queries: with a timeout and a single retry, so that a skeleton does not hide an error for long. */
export const reader = createCastellan({
  baseUrl: SERVICE,
  token: currentToken,
  fetch: sendNoted,
  retries: 1,
  timeout: 30_000,
});
/** Options for TanStack Query by the names of the API's operations. */
export const queries = createQueries(reader);

const MINUTE = 60_000;

/** The `Authorization` of each request, by the headers of its answer: an error of that has them, too. */
const authorizations = new WeakMap<Headers, string | null>();

async function sendNoted(...[url, request]: Parameters<typeof send>): Promise<Response> {
  const response = await send(url, request);
  authorizations.set(response.headers, new Headers(request?.headers).get('authorization'));
  return response;
}

/** Whether the service itself refuses the token: a 401 of a proxy before it, without a code (D73), says nothing of it. */
export function isRefusal(error: unknown): error is CastellanError {
  return error instanceof CastellanError && error.status === 401 && error.code !== undefined;
}

/**
 * Ends the session when the service refuses its token, and keeps the service's message for the sign-in page. Another tab
 * may have replaced the token before the answer came: the session goes on with that one. So it does where a client with a
 * token that was typed in is refused, whose requests are not noted.
 */
export function noticeRefusal(error: unknown): void {
  if (!isRefusal(error)) return;
  if (authorizations.get(error.headers) === `Bearer ${currentToken()}`) endSession(error);
}

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noticeRefusal }),
  mutationCache: new MutationCache({ onError: noticeRefusal }),
  // No retries here, because the SDK retries. Data older than half a minute is fetched again when it is shown. Without a
  // network everything is tried all the same: what waits for one would be done later, unseen.
  defaultOptions: {
    queries: {
      retry: false,
      networkMode: 'always',
      refetchOnReconnect: true,
      staleTime: MINUTE / 2,
      gcTime: 10 * MINUTE,
    },
    mutations: { retry: false, networkMode: 'always' },
  },
});

/** Whom the cached answers were for. */
let character = canStore() ? characterOf(currentToken()) : undefined;

subscribe(() => {
  const former = character;
  character = characterOf(currentToken());
  // What was chosen or typed stays with its screen, which asks anew: the former token may be refused by now.
  if (character === former) void queryClient.invalidateQueries();
  // Before anything is rendered for the new token: what is shown at once must not be the former one's.
  else queryClient.clear();
});

/** Infinite lists with more pages than this are marked as stale, but not refetched at every event. */
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

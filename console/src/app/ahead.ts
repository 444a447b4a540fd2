import type { User } from '@castellan/sdk';
import type { CastellanQuery } from '@castellan/sdk/query';
import { queries, queryClient } from '../session/api.ts';
import type { Listing } from '../shared/listing.ts';

type Need = CastellanQuery<unknown> | Listing<unknown>;

/** The queries that a screen renders first, by the parameters of its address and the signed-in user. */
export type Needs = (
  params: Readonly<Record<string, string>>,
  me: User,
) => readonly Need[] | Promise<readonly Need[]>;

/**
 * Milliseconds for which a navigation waits for the screen's data before the screen is rendered with skeletons: about
 * two round trips to a distant service. React keeps a skeleton for at least 300 ms once it is shown, so an unnecessary one
 * costs more than the wait.
 */
const PATIENCE = 350;

/** Loads a screen's data in parallel with its code. Errors and late answers are left to the screen itself. */
export async function ahead(needs: Needs, params: object): Promise<void> {
  const patience = new Promise<void>((resolve) => setTimeout(resolve, PATIENCE));
  await Promise.race([patience, collect(needs, params).catch(() => undefined)]);
}

async function collect(needs: Needs, params: object): Promise<void> {
  const { owner } = await have(queries.token.current());
  const all = await needs(params as Readonly<Record<string, string>>, owner);
  await Promise.all(all.map((need) => ('initialPageParam' in need ? begin(need) : have(need))));
}

/** The cached answer whatever its age, as the screen refetches stale ones itself; otherwise a new one. */
export function have<Result>(need: CastellanQuery<Result>): Promise<Result> {
  return queryClient.query({ ...need, staleTime: 'static' });
}

function begin(listing: Listing<unknown>): Promise<unknown> {
  return queryClient.infiniteQuery({ ...listing, staleTime: 'static' });
}

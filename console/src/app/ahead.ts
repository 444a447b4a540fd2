import type { User } from '@castellan/sdk';
import type { CastellanQuery } from '@castellan/sdk/query';
import { queries, queryClient } from '../session/api.ts';
import type { Listing } from '../shared/listing.ts';

type Need = CastellanQuery<unknown> | Listing<unknown>;

/** What a screen shows at first, by what its address names and who looks at it. */
export type Needs = (
  params: Readonly<Record<string, string>>,
  me: User,
) => readonly Need[] | Promise<readonly Need[]>;

/**
 * Milliseconds that a screen waits for its content before it is drawn with outlines: two ways to a service that is far
 * away. React takes no outline away within 300, so that one which is hardly needed would cost as much.
 */
const PATIENCE = 350;

/** Asks for what a screen needs while its code is on its way; what fails, or takes too long, the screen says itself. */
export async function ahead(needs: Needs, params: object): Promise<void> {
  const patience = new Promise<void>((resolve) => setTimeout(resolve, PATIENCE));
  await Promise.race([patience, collect(needs, params).catch(() => undefined)]);
}

async function collect(needs: Needs, params: object): Promise<void> {
  const { owner } = await have(queries.token.current());
  const all = await needs(params as Readonly<Record<string, string>>, owner);
  await Promise.all(all.map((need) => ('initialPageParam' in need ? begin(need) : have(need))));
}

/** What is there already is good enough to begin with: the screen asks for it anew where it is old. */
export function have<Result>(need: CastellanQuery<Result>): Promise<Result> {
  return queryClient.query({ ...need, staleTime: 'static' });
}

function begin(listing: Listing<unknown>): Promise<unknown> {
  return queryClient.infiniteQuery({ ...listing, staleTime: 'static' });
}

import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Database } from '../database/tables.ts';
import { storable } from '../database/text.ts';
import { chunksOf } from '../shared/chunks.ts';
import type { Clock } from '../shared/clock.ts';
import { BULK, UNKNOWN, usable } from './api.ts';
import type { ProviderClient, ProviderRequest } from './client.ts';
import type { BudgetAccount, ErrorAllowance } from './error-budget.ts';
import { ProviderError } from './http.ts';
import { findNames, type KnownName, saveNames } from './names.queries.ts';

/**
 * Maximum number of refusals that one call may cause, as a client can send many invalid ids (D33). They are found by
 * halving, breadth first, so that each half without one has its names early. The last refusals are spent on single ids,
 * so that every call finds some of them, however many there are.
 */
const MOST_REFUSALS = 10;
const HALVINGS = 8;
/** Maximum number of requests of one call: single ids may be many. */
const MOST_REQUESTS = 50;

/** Invalid entries are dropped, so that their ids count as nameless like those that the answer leaves out (D32). */
const NamedIds = usable(
  z.object({
    id: z.number().int(),
    name: z.string().transform(storable).nullable(),
    category: z
      .string()
      .transform(storable)
      .nullish()
      .transform((category) => category ?? null),
  }),
);

interface FoundNames {
  readonly names: ReadonlyMap<number, string>;
  /** Number of ids for which the provider was not asked, so that they may have a name. */
  readonly unasked: number;
  /** Why the provider could not be asked for them; undefined where it was, and refused too often. */
  readonly failure: ProviderError | undefined;
}

export interface Names {
  /**
   * Names by id, from the shared table while they are fresh, else by bulk requests, else as last known. Ids without a
   * name are left out and not asked for again within a day, which begins anew while there are more of them than one call
   * may find (D32).
   */
  find(ids: readonly number[], on: BudgetAccount, allowance?: ErrorAllowance): Promise<FoundNames>;
}

export function createNames(services: {
  readonly db: Kysely<Database>;
  readonly client: ProviderClient;
  readonly clock: Clock;
}): Names {
  const { db, client, clock } = services;
  return {
    async find(ids, on, allowance) {
      const wanted = [...new Set(ids)];
      const known = await findNames(db, wanted, clock.now());
      const missing = wanted.filter((id) => !known.get(id)?.fresh);
      const asked = await askNames(client, missing, { on, ...(allowance && { allowance }) });
      const { failure, unasked } = asked;
      // Where a call could not find all that are nameless, those known stay so: they would expire before the last are.
      const nameless = [...known.values()].filter(({ name }) => name === null);
      const unfinished = unasked > 0 && failure === undefined;
      await saveNames(db, unfinished ? [...asked.names, ...nameless] : asked.names, clock.now());
      if (failure !== undefined && !(failure instanceof ProviderError)) throw failure;
      const named = [...known.values(), ...asked.names].flatMap(({ id, name }) =>
        name === null ? [] : [[id, name] as const],
      );
      return { names: new Map(named), unasked, failure };
    },
  };
}

/** Requests names in bulk; those received are stored even if a later request fails. */
async function askNames(
  client: ProviderClient,
  ids: readonly number[],
  charged: Pick<ProviderRequest, 'on' | 'allowance'>,
) {
  const names: KnownName[] = [];
  const waiting = chunksOf(ids, BULK);
  let refusals = 0;
  let requests = 0;
  let failure: unknown;
  while (refusals < MOST_REFUSALS && requests < MOST_REQUESTS && failure === undefined) {
    const next = waiting.shift();
    if (next === undefined) break;
    const [chunk, rest] = refusals < HALVINGS ? [next, []] : [next.slice(0, 1), next.slice(1)];
    if (rest.length > 0) waiting.unshift(rest);
    requests += 1;
    try {
      const { status, data } = await client.ask({ path: '/universe/names', body: chunk, ...charged });
      const parsed = NamedIds.safeParse(data);
      const refused = UNKNOWN.has(status);
      if (status === 200 && parsed.success) names.push(...withUnnamed(chunk, parsed.data));
      else if (refused && chunk.length === 1) names.push(...withUnnamed(chunk, []));
      else if (refused) waiting.push(...chunksOf(chunk, Math.ceil(chunk.length / 2)));
      else failure = new ProviderError('unusable', `the game's API gave unusable names (${status})`);
      if (refused) refusals += 1;
    } catch (error) {
      failure = error;
    }
  }
  return { names, failure, unasked: ids.length - names.length };
}

function withUnnamed(ids: readonly number[], named: readonly KnownName[]) {
  const found = new Map(named.map((entry) => [entry.id, entry]));
  return ids.map((id): KnownName => found.get(id) ?? { id, name: null, category: null });
}

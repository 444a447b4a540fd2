import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Database } from '../database/tables.ts';
import { storable } from '../database/text.ts';
import { chunksOf } from '../shared/chunks.ts';
import type { Clock } from '../shared/clock.ts';
import type { BudgetAccount } from './budget-account.ts';
import type { ProviderClient } from './client.ts';
import { ProviderError } from './http.ts';
import { findNames, type KnownName, saveNames } from './names.queries.ts';

/** Maximum number of ids in one request (facts §2). */
const BULK = 1000;
/**
 * Maximum number of refusals that one call may cause: invalid ids are found by halving, and a client can send many
 * (D33).
 */
const MOST_REFUSALS = 10;

const NamedIds = z.array(
  z.object({
    id: z.number().int(),
    name: z.string().transform(storable),
    category: z.string().transform(storable),
  }),
);

export interface Names {
  /**
   * Names by id, from the shared table while they are fresh, else by bulk requests. Ids without a name are left out and
   * not asked for again within a day (D32).
   *
   * @throws ProviderError when the provider fails
   */
  find(ids: readonly number[], on: BudgetAccount): Promise<Map<number, string>>;
}

export function createNames(services: {
  readonly db: Kysely<Database>;
  readonly client: ProviderClient;
  readonly clock: Clock;
}): Names {
  const { db, client, clock } = services;
  return {
    async find(ids, on) {
      const wanted = [...new Set(ids)];
      const known = await findNames(db, wanted, clock.now());
      const missing = wanted.filter((id) => !known.has(id));
      const asked = await askNames(client, missing, on);
      await saveNames(db, asked.names, clock.now());
      if (asked.failure !== undefined) throw asked.failure;
      return new Map(
        [...known.values(), ...asked.names].flatMap(({ id, name }) => (name === null ? [] : [[id, name]])),
      );
    },
  };
}

/** Requests names in bulk; those received are stored even if a later request fails. */
async function askNames(client: ProviderClient, ids: readonly number[], on: BudgetAccount) {
  const names: KnownName[] = [];
  const waiting = chunksOf(ids, BULK);
  let refusals = 0;
  let failure: unknown;
  while (waiting.length > 0 && refusals < MOST_REFUSALS && failure === undefined) {
    const chunk = waiting.shift() ?? [];
    try {
      const { status, data } = await client.ask({ path: '/universe/names', body: chunk, on });
      const parsed = NamedIds.safeParse(data);
      if (status === 200 && parsed.success) names.push(...withUnnamed(chunk, parsed.data));
      else if (status >= 400 && chunk.length === 1) names.push(...withUnnamed(chunk, []));
      else if (status >= 400) waiting.unshift(...chunksOf(chunk, Math.ceil(chunk.length / 2)));
      else failure = new ProviderError('unusable', "the game's API gave unusable names");
      if (status >= 400) refusals += 1;
    } catch (error) {
      failure = error;
    }
  }
  return { names, failure };
}

function withUnnamed(
  ids: readonly number[],
  named: readonly { id: number; name: string; category: string }[],
) {
  const found = new Map(named.map((entry) => [entry.id, entry]));
  return ids.map((id): KnownName => found.get(id) ?? { id, name: null, category: null });
}

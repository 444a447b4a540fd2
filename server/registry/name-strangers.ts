import type { Kysely } from 'kysely';
import type { Database } from '../database/tables.ts';
import { askNames, type BulkAnswers, type NamedId, namesCharacter } from '../provider/api.ts';
import type { ProviderClient } from '../provider/client.ts';
import { findNames, saveNames } from '../provider/names.queries.ts';
import type { Clock } from '../shared/clock.ts';

/**
 * Present names of characters that are not users. An id that the provider refused is not asked for again within a day
 * (D32), as each one costs it an error per halving.
 */
export async function nameStrangers(
  { db, clock }: { readonly db: Kysely<Database>; readonly clock: Clock },
  client: ProviderClient,
  ids: readonly number[],
): Promise<BulkAnswers<NamedId>> {
  const known = await findNames(db, ids, clock.now());
  const answers = await askNames(
    client,
    ids.filter((id) => known.get(id)?.name !== null),
  );
  await markRefused(db, answers, clock.now());
  return { ...answers, found: answers.found.filter(namesCharacter) };
}

/** Stores that the provider does not name these ids, unless it refused all: then the fault is the provider's. */
export async function markRefused(
  db: Kysely<Database>,
  { found, refused }: Pick<BulkAnswers<NamedId>, 'found' | 'refused'>,
  now: Date,
): Promise<void> {
  if (found.length === 0) return;
  const unnamed = refused.map((id) => ({ id, name: null, category: null }));
  await saveNames(db, unnamed, now);
}

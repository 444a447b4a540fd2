import type { Kysely } from 'kysely';
import type { Database } from '../database/tables.ts';
import { askNames, type BulkAnswers, type NamedId } from '../provider/api.ts';
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
  // If all ids were refused, the fault is the provider's, so no id is marked.
  const refused = answers.found.length > 0 ? answers.refused : [];
  const unnamed = refused.map((id) => ({ id, name: null, category: null }));
  await saveNames(db, unnamed, clock.now());
  return answers;
}

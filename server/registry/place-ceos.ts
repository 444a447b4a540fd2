import type { Kysely } from 'kysely';
import type { Database } from '../database/tables.ts';
import type { Affiliation, GameApi } from '../provider/api.ts';
import { ProviderError } from '../provider/http.ts';
import { findMembersElsewhere } from './place-ceos.queries.ts';
import type { ProviderSnapshot } from './provider-snapshot.ts';

/**
 * A fetched snapshot without those CEOs who are members of other corporations here, unless their affiliation says that
 * they have come: the record that names them may be older than what moved them, and moving costs the level (D19). Who
 * is left out for want of an answer comes with the next sync.
 *
 * @param certain whose corporation is known by affiliation already
 */
export async function placeCeos(
  db: Kysely<Database>,
  api: Pick<GameApi, 'affiliations'>,
  snapshot: ProviderSnapshot,
  certain?: number,
): Promise<ProviderSnapshot> {
  const ceos = snapshot.characters.filter(({ character_id: id }) => id !== certain);
  const elsewhere = ceos.length === 0 ? new Set<number>() : await findMembersElsewhere(db, ceos);
  if (elsewhere.size === 0) return snapshot;
  const affiliations = await api.affiliations([...elsewhere]).catch(whereTheyAre);
  const homes = new Map(affiliations.map((found) => [found.character_id, found.corporation_id]));
  const characters = snapshot.characters.filter(
    ({ character_id: id, corporation_id: home }) => !elsewhere.has(id) || homes.get(id) === home,
  );
  return { ...snapshot, characters };
}

function whereTheyAre(error: unknown): Affiliation[] {
  if (error instanceof ProviderError) return [];
  throw error;
}

import { z } from 'zod';
import type { CharacterSkillPoints } from '../../contract/history.ts';
import { KINDS } from './kinds.ts';
import type { Page } from './page.ts';
import { listEntries, store } from './snapshot.ts';
import { type HistoryServices, id, read, requireSubject } from './source.ts';
import type { Turn } from './turn.queries.ts';

const {
  snapshots,
  scopes: [scope],
} = KINDS.skillpoints;

const Skills = z.object({ total_sp: id, unallocated_sp: id.nullish().transform((points) => points ?? 0) });

/** One page of a character's skill points (D36). */
export async function listSkillPoints(
  { db, clock }: Pick<HistoryServices, 'db' | 'clock'>,
  characterId: number,
  page: number,
): Promise<Page<CharacterSkillPoints>> {
  return listEntries(db, snapshots, { characterId, page, now: clock.now() }, (row) => ({
    timestamp: row.timestamp.toISOString(),
    total_sp: row.total_sp,
    unallocated_sp: row.unallocated_sp,
  }));
}

/**
 * Fetches a character's skill points and stores them with the time `now`.
 *
 * @throws ProviderError
 */
export async function storeSkillPoints(
  { db, client }: Pick<HistoryServices, 'db' | 'client'>,
  characterId: number,
  now: Date,
  turn?: Turn,
): Promise<void> {
  const subject = await requireSubject(db, characterId);
  const skills = await read(
    client,
    {
      path: `/characters/${characterId}/skills`,
      as: { characterId, scope },
      on: 'service',
    },
    Skills,
  );
  await store(db, snapshots, subject, now, skills, turn);
}

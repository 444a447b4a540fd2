import { inTransaction } from '../database/transaction.ts';
import { BY_ITSELF } from '../event/origin.ts';
import type { Services } from '../services/services.ts';
import { chunksOf } from '../shared/chunks.ts';
import { lockGrants } from './grant.queries.ts';
import { recordDeaths } from './grant-events.ts';
import { findCharactersOf, giveUpGrants } from './grant-keys.queries.ts';

/** Events of one statement. */
const AT_ONCE = 1000;

/** Marks grants as invalid whose encryption key was removed, and records that (D61); returns how many. */
export async function giveUpGrantsOf(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  keyIds: readonly string[],
): Promise<number> {
  return inTransaction(db, async (tx) => {
    const now = clock.now();
    await lockGrants(tx, await findCharactersOf(tx, keyIds));
    const lost = await giveUpGrants(tx, keyIds, now);
    for (const some of chunksOf(lost, AT_ONCE)) await recordDeaths(tx, some, now, BY_ITSELF.actor);
    return lost.length;
  });
}

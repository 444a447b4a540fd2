import { inTransaction } from '../database/transaction.ts';
import { BY_ITSELF, onAccountOf } from '../event/origin.ts';
import type { Services } from '../services/services.ts';
import { deleteTokensOfOtherKeys, moveTokensOfOtherKeys } from './token.queries.ts';
import { recordTokens } from './token-events.ts';

const REASON = 'its signing key was removed';

/**
 * Deletes unexpired tokens whose signing key was removed, so that they stay invalid even if it comes back (D20b). Those
 * that app tokens of present keys descend from are kept, for these would go along: they are of the present key from now
 * on, and `npm run token -- --reissue` prints them.
 */
export async function giveUpTokens({
  db,
  keys: { kids, currentKid },
  clock,
  log,
}: Pick<Services, 'db' | 'keys' | 'clock' | 'log'>): Promise<void> {
  const now = clock.now();
  const { deleted, kept } = await inTransaction(db, async (tx) => {
    const gone = await deleteTokensOfOtherKeys(tx, kids, now);
    await onAccountOf(BY_ITSELF, () => recordTokens(tx, 'token.deleted', gone, now, REASON));
    return { deleted: gone.length, kept: await moveTokensOfOtherKeys(tx, { kids, to: currentKid }, now) };
  });
  if (deleted + kept.length > 0) log.warn({ deleted, kept }, 'gave up the tokens of removed signing keys');
}

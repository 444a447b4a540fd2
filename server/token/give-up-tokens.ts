import { inTransaction } from '../database/transaction.ts';
import { BY_ITSELF, onAccountOf } from '../event/origin.ts';
import type { Services } from '../services/services.ts';
import {
  deleteTokensOfOtherKeys,
  deleteUserTokensOfOtherKeys,
  moveTokensOfOtherKeys,
} from './token.queries.ts';
import { recordTokens } from './token-events.ts';

const REASON = 'its signing key was removed';

/** User tokens that are deleted and told at a time: a million may be unexpired, which one statement would not delete. */
const AT_ONCE = 10_000;

/**
 * Deletes unexpired tokens whose signing key was removed, so that they stay invalid even if it comes back (D20b). Those
 * that app tokens of present keys descend from are kept, for these would go along: they are of the present key from now
 * on, and `npm run token -- --reissue` prints them.
 */
export async function giveUpTokens(
  { db, keys: { kids, currentKid }, clock, log }: Pick<Services, 'db' | 'keys' | 'clock' | 'log'>,
  atOnce = AT_ONCE,
): Promise<void> {
  const now = clock.now();
  const { deleted, kept } = await inTransaction(db, async (tx) => {
    const tell = (gone: Parameters<typeof recordTokens>[2]) =>
      onAccountOf(BY_ITSELF, () => recordTokens(tx, 'token.deleted', gone, now, REASON));
    let deleted = 0;
    let piece = atOnce;
    while (piece === atOnce) {
      const gone = await deleteUserTokensOfOtherKeys(tx, kids, { now, most: atOnce });
      await tell(gone);
      piece = gone.length;
      deleted += piece;
    }
    const gone = await deleteTokensOfOtherKeys(tx, kids, now);
    await tell(gone);
    const kept = await moveTokensOfOtherKeys(tx, { kids, to: currentKid }, now);
    return { deleted: deleted + gone.length, kept };
  });
  if (deleted + kept.length > 0) log.warn({ deleted, kept }, 'gave up the tokens of removed signing keys');
}

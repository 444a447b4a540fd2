import { z } from 'zod';
import type { CharacterWalletBalance } from '../../contract/history.ts';
import { KINDS } from './kinds.ts';
import type { Page } from './page.ts';
import { listEntries, store } from './snapshot.ts';
import { type HistoryServices, read, requireSubject } from './source.ts';
import type { Turn } from './turn.queries.ts';

const {
  snapshots,
  scopes: [scope],
} = KINDS.wallet;

/** The answer is a plain number (provider.md §2). */
const Balance = z.number().finite();

/** One page of a character's balances (D36). */
export async function listBalances(
  { db, clock }: Pick<HistoryServices, 'db' | 'clock'>,
  characterId: number,
  page: number,
): Promise<Page<CharacterWalletBalance>> {
  return listEntries(db, snapshots, { characterId, page, now: clock.now() }, (row) => ({
    balance: row.balance,
    timestamp: row.timestamp.toISOString(),
  }));
}

/**
 * Fetches a character's balance and stores it with the time `now`.
 *
 * @throws ProviderError
 */
export async function storeWallet(
  { db, client }: Pick<HistoryServices, 'db' | 'client'>,
  characterId: number,
  now: Date,
  turn?: Turn,
): Promise<void> {
  const subject = await requireSubject(db, characterId);
  const balance = await read(
    client,
    {
      path: `/characters/${characterId}/wallet`,
      as: { characterId, scope },
      on: 'service',
    },
    Balance,
  );
  await store(db, snapshots, subject, now, { balance }, turn);
}

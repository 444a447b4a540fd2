import type { Transaction } from 'kysely';
import type { Admission } from '../access/admission.ts';
import type { Database } from '../database/tables.ts';
import { inTransaction } from '../database/transaction.ts';
import type { Services } from '../services/services.ts';

/**
 * Runs a write of a group, which locks its row, in a transaction: one at a time in this process, so that a group that
 * many write at once occupies one connection (D3c). A rehearsal waited in line before it began.
 */
export async function inLineOfGroup<T>(
  groupId: string,
  { db, lines }: Pick<Services, 'db' | 'lines'>,
  admission: Admission,
  work: (tx: Transaction<Database>) => Promise<T>,
): Promise<T> {
  const transaction = () => inTransaction(db, work);
  return db.isTransaction ? transaction() : lines.groups(groupId, admission, transaction);
}

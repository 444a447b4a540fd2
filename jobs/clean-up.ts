import { dropExpired, ensurePartitions } from '../server/history/partitions.ts';
import type { Parts } from '../server/parts.ts';

/** Puts away what has had its time. */
export async function cleanUp({ db, clock }: Parts): Promise<void> {
  await ensurePartitions(db, clock.now());
  await dropExpired(db, clock.now());
}

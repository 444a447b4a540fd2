import type { Services } from '../services/services.ts';
import { countDay, deleteOldDays, noteFailures } from './note-compliance.queries.ts';

/** Keeps since when who lacks what is required, and the counts of the day, for everybody at once (D102). */
export async function noteCompliance({ db, clock }: Pick<Services, 'db' | 'clock'>): Promise<void> {
  const now = clock.now();
  await noteFailures(db, now);
  await countDay(db, now);
  await deleteOldDays(db, now);
}

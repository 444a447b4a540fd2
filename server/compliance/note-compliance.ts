import type { Services } from '../services/services.ts';
import { countDay, noteFailures } from './note-compliance.queries.ts';

/** Stores for all members since when they lack required scopes, and the counts of the day (D102). */
export async function noteCompliance({ db, clock }: Pick<Services, 'db' | 'clock'>): Promise<void> {
  const now = clock.now();
  await noteFailures(db, now);
  await countDay(db, now);
}

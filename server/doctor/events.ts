import type { Kysely } from 'kysely';
import type { Database } from '../database/tables.ts';
import { verifyEvents } from '../event/verify.ts';
import { bad, type Finding, good } from './finding.ts';

/** Verifies the chain of digests: no event was changed, removed or inserted (D90). */
export async function examineEvents(db: Kysely<Database>, now: Date, most?: number): Promise<Finding[]> {
  const { looked, head, fault } = await verifyEvents(db, now, most);
  return [
    fault === undefined
      ? good('events', `whole, up to position ${head}; ${looked} looked at`)
      : bad(
          'events',
          fault,
          'somebody changed the table: compare with a backup; see "What is kept" in docs/events.md',
        ),
  ];
}

import type { Kysely } from 'kysely';
import { MOST_NAMED, type Preview } from '../../contract/preview.ts';
import type { Database } from '../database/tables.ts';
import { inRehearsal } from '../database/transaction.ts';
import { compareEffects, storeWholeStandings, type Touched } from './standing.queries.ts';

/**
 * Called by every change after it was authorized and before it is written, with the users whose standing it may touch.
 * True in a rehearsal: consequences that a job would bring about later are then applied at once.
 */
export type Touches = (tx: Kysely<Database>, touched: Touched) => Promise<boolean>;

/** The implementation outside a rehearsal. */
export const unasked: Touches = async () => false;

interface Rehearsed {
  readonly db: Kysely<Database>;
  readonly touches: Touches;
}

/**
 * Computes the effect of a change on people (D121): runs the change itself in a transaction that is rolled back. It
 * fails with the same errors as the real one.
 */
export async function rehearse<Services extends Rehearsed>(
  services: Services,
  change: (services: Services) => Promise<unknown>,
): Promise<Preview> {
  return inRehearsal(services.db, async (tx) => {
    let touched = false;
    const touches: Touches = async (db, those) => {
      touched = true;
      await storeWholeStandings(db, those);
      return true;
    };
    await change({ ...services, db: tx, touches });
    return { changes: touched ? await compareEffects(tx, MOST_NAMED) : [] };
  });
}

import type { Kysely } from 'kysely';
import { MOST_NAMED, type Preview } from '../../contract/preview.ts';
import type { Database } from '../database/tables.ts';
import { inRehearsal } from '../database/transaction.ts';
import { compareEffects, storeWholeStandings, type Touched } from './standing.queries.ts';

/** Told by every change, once it was allowed and before it is written, whose standing it may touch. */
export type Touches = (tx: Kysely<Database>, touched: Touched) => Promise<void>;

/** Where changes are made in earnest, nobody asks. */
export const unasked: Touches = async () => undefined;

interface Rehearsed {
  readonly db: Kysely<Database>;
  readonly touches: Touches;
}

/**
 * What a change would do to people (D121): the change itself is made, with services that write in one transaction, and
 * undone. It is refused as it would be in earnest.
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
    };
    await change({ ...services, db: tx, touches });
    return { changes: touched ? await compareEffects(tx, MOST_NAMED) : [] };
  });
}

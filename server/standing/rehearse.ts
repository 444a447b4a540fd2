import type { Kysely, RawBuilder, Transaction } from 'kysely';
import { MOST_NAMED, type Preview } from '../../contract/preview.ts';
import type { Database } from '../database/tables.ts';
import { inRehearsal, undone } from '../database/transaction.ts';
import type { Clock } from '../shared/clock.ts';
import { compareEffects, storedUsers, storeWholeStandings, type Touched } from './standing.queries.ts';

/**
 * Called by every change after it was authorized and before it is written, with the users whose standing it may touch.
 * True in a rehearsal: consequences that a job would bring about later are then applied at once.
 */
export type Touches = (tx: Kysely<Database>, touched: Touched) => Promise<boolean>;

/** The implementation outside a rehearsal. */
export const unasked: Touches = async () => false;

/** A membership that a policy ends. */
interface Member {
  readonly group_id: string;
  readonly character_id: number;
}

/** What a rehearsal needs of the policies of groups. */
export interface Policies {
  /** Removes members of groups whose policies do not let them be members any more, and returns them. */
  judge(
    db: Kysely<Database>,
    now: Date,
    which: {
      readonly among: RawBuilder<unknown>;
      readonly except: readonly Member[];
      readonly visible: readonly string[] | null;
    },
  ): Promise<{ readonly departures: readonly Member[] }>;
  /** Ids of the groups whose policies a user may see. */
  findVisible(db: Kysely<Database>, characterId: number): Promise<readonly string[]>;
}

interface Rehearsed {
  readonly db: Kysely<Database>;
  readonly clock: Clock;
  readonly touches: Touches;
  readonly policies: Policies;
}

/**
 * Computes the effect of a change on people (D121): runs the change itself in a transaction that is rolled back, then
 * judges those whom it touches by the policies of their groups. It fails with the same errors as the real one.
 *
 * @param findAsker finds the user who learns of it, once the change was authorized; null for an administrator, who may
 *   learn everything: who leaves by a policy tells its conditions (D110), and by one of reach `person` whose alt it is
 *   (D100)
 */
export async function rehearse<Services extends Rehearsed>(
  services: Services,
  change: (services: Services) => Promise<unknown>,
  findAsker: (tx: Transaction<Database>) => Promise<number | null>,
): Promise<Preview> {
  return inRehearsal(services.db, async (tx) => {
    const now = services.clock.now();
    let visible: readonly string[] | null = null;
    const judged = (except: readonly Member[]) => judgeToTheEnd(services, tx, now, { except, visible });
    let anyway: readonly Member[] | undefined;
    const touches: Touches = async (_, those) => {
      // By what the asker may see now: after the wait for locks, and before the change, which may show or hide policies.
      const asker = await findAsker(tx);
      visible = asker === null ? null : await services.policies.findVisible(tx, asker);
      await storeWholeStandings(tx, those, { alts: asker === null });
      anyway = await undone(tx, () => judged([]));
      return true;
    };
    await change({ ...services, db: tx, touches });
    if (anyway === undefined) return { changes: [] };
    await judged(anyway);
    return { changes: await compareEffects(tx, MOST_NAMED) };
  });
}

/**
 * Removes members whom policies remove without grace, then those whom that makes ineligible elsewhere, and so on. Only
 * the stored users can be affected.
 *
 * @param how `except`: memberships that would end without the change, too; `visible`: the only groups whose policies
 *   count, if not null
 */
async function judgeToTheEnd(
  { policies }: Pick<Rehearsed, 'policies'>,
  tx: Transaction<Database>,
  now: Date,
  how: { readonly except: readonly Member[]; readonly visible: readonly string[] | null },
): Promise<Member[]> {
  const left: Member[] = [];
  for (;;) {
    const { departures } = await policies.judge(tx, now, { among: storedUsers, ...how });
    if (departures.length === 0) return left;
    left.push(...departures);
  }
}

import { endRefreshesOfLater } from '../server/grant/refresh-tokens.queries.ts';
import { isAheadOfClock, restoreRunsOfLater } from '../server/queue/pgboss.queries.ts';
import type { Services } from '../server/services/services.ts';
import { hurryDeliveriesOfLater } from '../server/webhook/delivery.queries.ts';

/**
 * Where the database's clock was ahead and is right again: ends the waits for the times that were stored meanwhile,
 * which would last until then. All or nothing, so that one that fails is made up for.
 */
export async function resumeAfterClockSetBack({ db, log }: Pick<Services, 'db' | 'log'>): Promise<void> {
  // Asked four times a minute, so without a transaction while there is nothing to do.
  if (!(await isAheadOfClock(db))) return;
  const ahead = await db.transaction().execute(async (tx) => {
    if (!(await restoreRunsOfLater(tx))) return false;
    await endRefreshesOfLater(tx);
    await hurryDeliveriesOfLater(tx);
    return true;
  });
  if (ahead) {
    log.warn(
      "the database's clock was ahead and has been set back: what it had scheduled too late is due now",
    );
  }
}

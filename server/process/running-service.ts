import { randomUUID } from 'node:crypto';
import type { Services } from '../services/services.ts';
import { waitAtMost } from '../shared/wait-at-most.ts';
import { announceService, withdrawService } from './running-service.queries.ts';

/** Milliseconds that a stop waits for an unresponsive database. */
const WITHDRAWN_WITHIN = 1_000;

/**
 * Announces this process with its address and keys, for commands that run beside it; the returned function withdraws
 * that at the stop. The announcement of a killed process is replaced at the next start.
 */
export async function announce({ db, clock, keys, settings, log }: Services): Promise<() => Promise<void>> {
  const process = randomUUID();
  await announceService(db, {
    process,
    base_url: settings.baseUrl,
    key_ids: [...keys.kids],
    started_on: clock.now(),
  });
  return async () => {
    const withdrawn = withdrawService(db, process).catch((error: unknown) =>
      log.warn({ err: error }, 'the database still says that this process runs'),
    );
    await waitAtMost(WITHDRAWN_WITHIN, withdrawn);
  };
}

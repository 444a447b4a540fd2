import { randomUUID } from 'node:crypto';
import type { Services } from '../services/services.ts';
import { waitAtMost } from '../shared/wait-at-most.ts';
import { announceService, announceWhereNoneIs, withdrawService } from './running-service.queries.ts';

/** Milliseconds that a stop waits for an unresponsive database. */
const WITHDRAWN_WITHIN = 1_000;
/** Milliseconds between looks whether any process is announced. */
const LOOK_EVERY = 15_000;

/**
 * Announces this process with its address and keys, for commands that run beside it; the returned function withdraws
 * that at the stop. One process is announced at a time: the one that was started last, and when that has stopped one of
 * those that run on, which notice it. The announcement of a killed process is replaced at the next start.
 */
export async function announce({
  db,
  clock,
  keys,
  settings,
  log,
}: Pick<Services, 'db' | 'clock' | 'keys' | 'settings' | 'log'>): Promise<() => Promise<void>> {
  const process = randomUUID();
  const service = {
    process,
    base_url: settings.baseUrl,
    key_ids: [...keys.kids],
    started_on: clock.now(),
  };
  await announceService(db, service);
  let looking: Promise<void> | undefined;
  const look = () => {
    looking ??= announceWhereNoneIs(db, service)
      // The next look comes soon.
      .catch(() => undefined)
      .finally(() => {
        looking = undefined;
      });
  };
  const timer = setInterval(look, LOOK_EVERY).unref();
  return async () => {
    clearInterval(timer);
    const withdrawn = Promise.resolve(looking)
      .then(() => withdrawService(db, process))
      .catch((error: unknown) => log.warn({ err: error }, 'the database still says that this process runs'));
    await waitAtMost(WITHDRAWN_WITHIN, withdrawn);
  };
}

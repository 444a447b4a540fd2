import { writeCheckpoint as sign } from '../server/event/checkpoint.ts';
import type { Run } from '../server/queue/run.ts';
import type { Services } from '../server/services/services.ts';

/**
 * Verifies the event chain and signs its state (D90). The signature is logged, so that it survives a manipulation of
 * the tables.
 */
export async function writeCheckpoint(
  { db, keys, clock, log }: Pick<Services, 'db' | 'keys' | 'clock' | 'log'>,
  run: Run,
): Promise<void> {
  const signed = await sign(db, keys, clock.now());
  if (signed === undefined) return;
  const { position, signature } = signed;
  log.info({ job: run.job, run_id: run.id, position, checkpoint: signature }, 'the events are whole so far');
}

import { writeCheckpoint as sign } from '../server/event/checkpoint.ts';
import type { Run } from '../server/queue/run.ts';
import type { Services } from '../server/services/services.ts';

/** Signs up to where the events are whole (D90); the log keeps the signature where no table can take it back. */
export async function writeCheckpoint(
  { db, keys, clock, log }: Pick<Services, 'db' | 'keys' | 'clock' | 'log'>,
  run: Run,
): Promise<void> {
  const signed = await sign(db, keys, clock.now());
  if (signed === undefined) return;
  const { position, signature } = signed;
  log.info({ job: run.job, run_id: run.id, position, checkpoint: signature }, 'the events are whole so far');
}

import { CompiledQuery, type Kysely } from 'kysely';
import PgBoss from 'pg-boss';
import type { Logger } from 'pino';
import type { Database } from '../server/database/tables.ts';
import { catalogue, type JobName, type Payload } from './catalogue.ts';

export interface Queue {
  /** Enqueues a job in the caller's transaction: kept with it, or gone with it. */
  send<Name extends JobName>(
    db: Kysely<Database>,
    name: Name,
    payload: Payload<Name>,
    options?: { readonly startAfter?: Date },
  ): Promise<void>;
  /** For the worker alone. */
  readonly boss: PgBoss;
  stop(): Promise<void>;
}

interface QueueOptions {
  readonly databaseUrl: string;
  readonly log: Logger;
  /** Whether this process also runs jobs, and so keeps the queue tidy. */
  readonly worker: boolean;
}

/** Seconds that a stop waits for running jobs. */
const STOP_WITHIN = 6;

/** Opens the queue, with its tables and one queue for each job of the catalogue. */
export async function openQueue({ databaseUrl, log, worker }: QueueOptions): Promise<Queue> {
  const boss = new PgBoss({
    connectionString: databaseUrl,
    application_name: 'castellan jobs',
    max: worker ? 6 : 2,
    supervise: worker,
    schedule: worker,
  });
  boss.on('error', (error) => log.error({ err: error }, 'the job queue reports an error'));
  await boss.start();
  for (const [name, { retries, timeLimit }] of Object.entries(catalogue)) {
    await boss.createQueue(name, {
      name,
      retryLimit: retries,
      retryDelay: 5,
      retryBackoff: true,
      expireInSeconds: timeLimit,
      policy: 'standard',
    });
  }
  return {
    boss,
    async send(db, name, payload, options = {}) {
      const id = await boss.send(name, payload as object, {
        db: { executeSql: (text, values) => db.executeQuery(CompiledQuery.raw(text, values)) as never },
        ...(options.startAfter && { startAfter: options.startAfter }),
      });
      // pg-boss answers null, silently, when the queue does not exist.
      if (id === null) throw new Error(`the job ${name} could not be enqueued`);
    },
    stop: () => boss.stop({ graceful: true, wait: true, timeout: STOP_WITHIN * 1000 }),
  };
}

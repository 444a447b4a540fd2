import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import type { JobName } from '../jobs/catalogue.ts';
import type { Queue } from '../jobs/queue.ts';
import type { Clock } from './clock.ts';
import type { Database } from './database/tables.ts';
import type { Metrics } from './metrics.ts';
import type { Outages } from './outages.ts';
import type { GameApi } from './provider/api.ts';
import type { ProviderClient } from './provider/client.ts';
import type { Names } from './provider/names.ts';
import type { DocumentStore } from './provider/operations.ts';
import type { Sso } from './provider/sso.ts';
import type { RateLimit } from './rate-limit/rate-limit.ts';
import type { Change } from './run.ts';
import type { Settings } from './settings.ts';
import type { SigningKeys } from './token/signing-keys.ts';
import type { Vault } from './vault.ts';

/** What app.ts puts together, once per process, and hands to the routes and the jobs. */
export interface Parts {
  readonly settings: Settings;
  readonly log: Logger;
  /** For failures that come by the dozen while something outside is away. */
  readonly outages: Outages;
  readonly clock: Clock;
  readonly db: Kysely<Database>;
  readonly keys: SigningKeys;
  readonly vault: Vault;
  readonly sso: Sso;
  readonly api: GameApi;
  readonly client: ProviderClient;
  readonly document: DocumentStore;
  readonly names: Names;
  readonly queue: Queue;
  readonly metrics: Metrics;
  /** Undefined with RATE_LIMIT=0. */
  readonly rateLimit: RateLimit | undefined;
  /** What a run of the job would change now; undefined: the job cannot tell beforehand. */
  rehearse(job: JobName): Promise<readonly Change[] | undefined>;
}

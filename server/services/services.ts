import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import type { CompleteSettings } from '../config/settings.ts';
import type { Replica } from '../database/replica.ts';
import type { Database } from '../database/tables.ts';
import type { Sealing } from '../event/sealing.ts';
import type { SigningKeys } from '../keys/signing-keys.ts';
import type { Vault } from '../keys/vault.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { Outages } from '../observability/outages.ts';
import type { GameApi } from '../provider/api.ts';
import type { ProviderClient } from '../provider/client.ts';
import type { Names } from '../provider/names.ts';
import type { DocumentStore } from '../provider/operations.ts';
import type { Sso } from '../provider/sso.ts';
import type { JobName } from '../queue/catalogue.ts';
import type { Queue } from '../queue/queue.ts';
import type { Change } from '../queue/run.ts';
import type { RateLimit } from '../rate-limit/rate-limit.ts';
import type { Clock } from '../shared/clock.ts';
import type { Touches } from '../standing/rehearse.ts';

/** What app.ts puts together, once per process, and hands to the routes and the jobs. */
export interface Services {
  readonly settings: CompleteSettings;
  readonly log: Logger;
  /** For failures that come by the dozen while something outside is away. */
  readonly outages: Outages;
  readonly clock: Clock;
  readonly db: Kysely<Database>;
  /** For reads that may lag, where DATABASE_REPLICA_URL names one. */
  readonly replica: Replica | undefined;
  readonly keys: SigningKeys;
  readonly vault: Vault;
  readonly sso: Sso;
  readonly api: GameApi;
  readonly client: ProviderClient;
  readonly document: DocumentStore;
  readonly names: Names;
  readonly queue: Queue;
  /** Tells of events as soon as they have their positions. */
  readonly events: Pick<Sealing, 'changed' | 'ending' | 'position'>;
  readonly metrics: Metrics;
  /** Undefined with RATE_LIMIT=0. */
  readonly rateLimit: RateLimit | undefined;
  /** Told by every change whose standing it may touch: a rehearsal wants to know (D121). */
  readonly touches: Touches;
  /** What a run of the job would change now; undefined: the job cannot tell beforehand. */
  dryRun(job: JobName): Promise<readonly Change[] | undefined>;
}

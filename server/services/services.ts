import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import type { Lines, SignInLimit } from '../access/lines.ts';
import type { LookupTurns } from '../access/lookup-turns.ts';
import type { CompleteSettings } from '../config/settings.ts';
import type { Replica } from '../database/replica.ts';
import type { Database } from '../database/tables.ts';
import type { Sealing } from '../event/sealing.ts';
import type { SigningKeys } from '../keys/signing-keys.ts';
import type { Vault } from '../keys/vault.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { Outages } from '../observability/outages.ts';
import type { AccessTokens } from '../provider/access-token-source.ts';
import type { GameApi } from '../provider/api.ts';
import type { ProviderClient } from '../provider/client.ts';
import type { Names } from '../provider/names.ts';
import type { DocumentStore } from '../provider/operations.ts';
import type { Sso } from '../provider/sso.ts';
import type { JobName } from '../queue/job-catalogue.ts';
import type { Queue } from '../queue/queue.ts';
import type { Change } from '../queue/run.ts';
import type { RateLimit } from '../rate-limit/rate-limit.ts';
import type { Clock } from '../shared/clock.ts';
import type { LastWork } from '../shared/last-work.ts';
import type { Policies, Touches } from '../standing/rehearse.ts';

/** The services that app.ts creates once per process and passes to routes and jobs. */
export interface Services {
  readonly settings: CompleteSettings;
  readonly log: Logger;
  /** Logs repeated failures of dependencies without flooding the log. */
  readonly outages: Outages;
  readonly clock: Clock;
  readonly db: Kysely<Database>;
  /** For reads that may lag; undefined without DATABASE_REPLICA_URL. */
  readonly replica: Replica | undefined;
  readonly keys: SigningKeys;
  readonly vault: Vault;
  readonly sso: Sso;
  readonly access: AccessTokens;
  readonly api: GameApi;
  readonly client: ProviderClient;
  readonly document: DocumentStore;
  readonly names: Names;
  readonly queue: Queue;
  /** Notifies of new events as soon as they have positions. */
  readonly events: Pick<Sealing, 'changed' | 'ending' | 'position'>;
  readonly metrics: Metrics;
  /** Undefined with RATE_LIMIT=0. */
  readonly rateLimit: RateLimit | undefined;
  /** In which requests wait before they take a connection (D3c). */
  readonly lines: Lines;
  /** In which the tokens of requests are looked up. */
  readonly lookupTurns: LookupTurns;
  /** For the transactions of sign-ins. */
  readonly signInLimit: SignInLimit;
  /** What a stop waits for after requests and jobs, before the database is closed. */
  readonly lastWork: LastWork;
  /** Called by every change with the users whose standing it may touch, for rehearsals (D121). */
  readonly touches: Touches;
  /** For rehearsals. */
  readonly policies: Policies;
  /** The changes that a run of the job would make now; undefined when the job has no dry run. */
  dryRun(job: JobName): Promise<readonly Change[] | undefined>;
}

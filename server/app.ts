import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import { createLines, createSignInLimit } from './access/lines.ts';
import { createLookupTurns } from './access/lookup-turns.ts';
import type { CompleteSettings } from './config/settings.ts';
import { type OpenOptions, openDatabase } from './database/open.ts';
import { openReplica } from './database/replica.ts';
import type { Database } from './database/tables.ts';
import { readBacklog } from './doctor/backlog.queries.ts';
import { ensureEventPartitions } from './event/partitions.ts';
import { startSealing } from './event/sealing.ts';
import { createAccessTokens } from './grant/refresh-tokens.ts';
import { loadSigningKeys } from './keys/signing-keys.ts';
import { createVault } from './keys/vault.ts';
import { followBacklog, followPool, followReplica } from './observability/gauges.ts';
import { createMetrics } from './observability/metrics.ts';
import { createOutages } from './observability/outages.ts';
import { measureStatements } from './observability/statements.ts';
import { findVisible, judgeMembers } from './policy/judge.queries.ts';
import { requireKeys } from './process/key-rotation.ts';
import { findService } from './process/running-service.queries.ts';
import type { Limits } from './provider/http.ts';
import { createProvider } from './provider/provider.ts';
import { createSso } from './provider/sso.ts';
import { openQueue } from './queue/queue.ts';
import { createRateLimit } from './rate-limit/rate-limit.ts';
import type { Services } from './services/services.ts';
import { type Clock, systemClock } from './shared/clock.ts';
import { createLastWork } from './shared/last-work.ts';
import { throttled } from './shared/throttle.ts';
import { untilAborted } from './shared/until-aborted.ts';
import { unasked } from './standing/rehearse.ts';
import { type Dispatch, startDispatch } from './webhook/dispatch.ts';

export interface AppOptions {
  readonly log: Logger;
  readonly clock?: Clock;
  /** Whether this process runs jobs. */
  readonly worker: boolean;
  /** For commands beside the service: outside production they use the settings that the service was started with. */
  readonly beside?: boolean;
  /** Ends the start by its reason once it is aborted, whatever that waits for; without effect on a started app. */
  readonly stopping?: AbortSignal;
  readonly database?: OpenOptions;
  /** Limits of one answer of the provider; default limits when undefined. */
  readonly providerLimits?: Limits;
  /** Size of the provider cache on disk in bytes; the default when undefined. */
  readonly providerCacheBytes?: number;
}

export interface App {
  readonly services: Services;
  /** Stops starting jobs and deliveries, and ends the active ones; requests can still be answered. */
  endJobs(): Promise<void>;
  /**
   * For a stop that is cut short: begins no more refreshes of the provider's tokens, and waits for those under way and
   * for our own token endpoint.
   */
  finishTokens(): Promise<void>;
  /** Ends active jobs, deliveries and work on tokens, then closes all resources in reverse order of opening. */
  close(): Promise<void>;
}

/** Milliseconds from the beginning of a stop for which it waits for work on tokens: as long as the sign-on has. */
const LAST_WITHIN = 10_000;

/**
 * Creates and connects all services; the only place that does so.
 *
 * @throws the reason of `stopping`
 */
export async function createApp(configured: CompleteSettings, options: AppOptions): Promise<App> {
  const { log, clock = systemClock, worker, beside = false, providerLimits: limits } = options;
  // What a stop gives up holds nothing but connections, which end with the process.
  const { stopping = new AbortController().signal } = options;
  const unlessStopped = <T>(work: Promise<T>) => untilAborted(work, stopping);
  const closers: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    const metrics = createMetrics();
    const around = measureStatements(metrics);
    const database = await openDatabase(
      configured.databaseUrl,
      log,
      { around, ...options.database },
      stopping,
    );
    closers.push(database.close);
    const { db } = database;
    const outages = createOutages(log, clock);
    const replica = configured.databaseReplicaUrl
      ? openReplica({ url: configured.databaseReplicaUrl, primary: db, log, outages, around })
      : undefined;
    closers.push(async () => replica?.close());
    // First, as the others ask the database when they are read, and would be counted as waiting.
    followPool(metrics, database.pool);
    if (replica !== undefined) followReplica(metrics, replica.examine);
    followBacklog(metrics, () => readBacklog(db, clock.now()));
    const settings = beside && !configured.production ? await asItRuns(db, configured) : configured;
    const keys = await loadSigningKeys(
      settings.tokenSigningKeys,
      settings.baseUrl,
      clock,
      tellUnknownKeys(log),
    );
    const vault = createVault(settings.encryptionKeys);
    await unlessStopped(ensureEventPartitions(db, clock.now(), log));
    await unlessStopped(requireKeys({ db, keys, vault, clock, log, settings }));
    const sealing = startSealing({ databaseUrl: database.url, log, outages });
    closers.push(() => sealing.close());
    const queue = await unlessStopped(openQueue({ databaseUrl: database.url, log, worker }));
    const sso = createSso({ settings, clock, ...(limits && { limits }) });
    const access = createAccessTokens({ db, vault, clock, sso, queue, log });
    const lastWork = createLastWork(log, 'sign-ins at applications');
    let lastUntil: number | undefined;
    const finishTokens = async () => {
      lastUntil ??= performance.now() + LAST_WITHIN;
      await Promise.all([access.finish(lastUntil), lastWork.finish(lastUntil)]);
    };
    // After requests and jobs, which they outlast.
    closers.push(finishTokens);
    let dispatch: Dispatch | undefined;
    let ending: Promise<unknown> | undefined;
    const endJobs = async () => {
      lastUntil ??= performance.now() + LAST_WITHIN;
      sealing.end();
      // At the same time: each of them may wait for seconds for receivers that are silent.
      ending ??= Promise.all([queue.stop(), dispatch?.close()]);
      await ending;
    };
    closers.push(endJobs);
    const provider = createProvider({
      settings: settings.extApi,
      db,
      clock,
      log,
      outages,
      access,
      limits,
      metrics,
      cacheBytes: options.providerCacheBytes,
    });
    provider.document.start();
    closers.push(() => provider.document.stop());
    const rateLimit = createRateLimit({ db, clock, log }, settings.rateLimit);
    closers.push(async () => rateLimit?.close());
    const services: Services = {
      settings,
      log,
      outages,
      clock,
      db,
      replica,
      keys,
      vault,
      sso,
      access,
      queue,
      events: sealing,
      metrics,
      rateLimit,
      lines: createLines(db),
      lookupTurns: createLookupTurns(),
      signInLimit: createSignInLimit(),
      lastWork,
      policies: { judge: judgeMembers, findVisible },
      touches: unasked,
      dryRun: async (job) => {
        const { dryRun } = await import('../jobs/worker.ts');
        return dryRun(services, job);
      },
      ...provider,
    };
    if (worker) {
      const { startWorker } = await import('../jobs/worker.ts');
      await startWorker(services);
      dispatch = startDispatch(services);
    }
    return { services, endJobs, finishTokens, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The settings with the base URL of the running service, which its tokens contain. */
async function asItRuns(db: Kysely<Database>, settings: CompleteSettings): Promise<CompleteSettings> {
  const service = await findService(db);
  return service === undefined ? settings : { ...settings, baseUrl: service.base_url };
}

const MINUTE = 60_000;

/**
 * Logs tokens with unknown keys at most once a minute, as anybody can send them. Usually it means that a new key is
 * missing in this process.
 */
function tellUnknownKeys(log: Logger): (kid: string | undefined) => void {
  return throttled(MINUTE, (kid, untold) =>
    log.warn(
      { kid, untold },
      'a token was signed with a key that is not in TOKEN_SIGNING_KEYS: has every process the same keys?',
    ),
  );
}

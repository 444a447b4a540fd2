import type { Logger } from 'pino';
import { openQueue } from '../jobs/queue.ts';
import { rehearse, startWorker } from '../jobs/worker.ts';
import { type Clock, systemClock } from './clock.ts';
import { type OpenOptions, openDatabase } from './database/open.ts';
import { createHttp } from './http/server.ts';
import { keyMaterial } from './local-keys.ts';
import { createMetrics } from './metrics.ts';
import { createOutages } from './outages.ts';
import type { Parts } from './parts.ts';
import type { Limits } from './provider/http.ts';
import { createProvider } from './provider/provider.ts';
import { createSso } from './provider/sso.ts';
import { createRateLimit } from './rate-limit/rate-limit.ts';
import type { Settings } from './settings.ts';
import type { SimulatedProvider } from './simulated/provider.ts';
import { requireKeys } from './token/key-rotation.ts';
import { loadSigningKeys } from './token/signing-keys.ts';
import { createVault } from './vault.ts';

export interface AppOptions {
  readonly log: Logger;
  readonly clock?: Clock;
  /** Whether this process runs the jobs, too. */
  readonly worker: boolean;
  /** For a process beside the service: the simulated provider, if one is used, is the service's. */
  readonly beside?: boolean;
  readonly database?: OpenOptions;
  /** How long, and how large, one answer of the provider may be; the usual limits when absent. */
  readonly providerLimits?: Limits;
}

export interface App {
  readonly parts: Parts;
  /** The simulated provider that took the place of one that was not configured. */
  readonly simulated: SimulatedProvider | undefined;
  createHttp(): ReturnType<typeof createHttp>;
  /** Ends running jobs, then closes everything that was opened, newest first. */
  close(): Promise<void>;
}

/** The one place where parts are put together. */
export async function createApp(configured: Settings, options: AppOptions): Promise<App> {
  const { log, clock = systemClock, worker, beside = false, providerLimits: limits } = options;
  const closers: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    const database = await openDatabase(configured, log, options.database);
    closers.push(database.close);
    const { settings, simulated } = await withProvider(configured, beside);
    if (simulated !== undefined) closers.push(() => simulated.stop());
    const material = await keyMaterial(settings);
    const keys = await loadSigningKeys(material.tokenSigningKeys, settings.baseUrl, clock);
    if (!settings.forceKeyRemoval) await requireKeys(database.db, keys, clock.now());
    const queue = await openQueue({
      databaseUrl: database.url,
      log,
      worker,
      schedules: settings.schedules,
    });
    closers.push(() => queue.stop());
    const { db } = database;
    const vault = createVault(material.encryptionKeys);
    const sso = createSso({ settings, clock, ...(limits && { limits }) });
    const outages = createOutages(log, clock);
    const provider = createProvider({
      settings: settings.extApi,
      db,
      clock,
      log,
      outages,
      vault,
      sso,
      limits,
    });
    provider.document.start();
    closers.push(() => provider.document.stop());
    const rateLimit = createRateLimit({ db, clock, log }, settings.rateLimit);
    closers.push(async () => rateLimit?.close());
    const parts: Parts = {
      settings,
      log,
      outages,
      clock,
      db,
      keys,
      vault,
      sso,
      queue,
      metrics: createMetrics(),
      rateLimit,
      rehearse: (job) => rehearse(parts, job),
      ...provider,
    };
    if (worker) await startWorker(parts);
    return { parts, simulated, createHttp: () => createHttp(parts), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Without a client id at a real provider, the simulated one takes its place: never in production (D61). */
async function withProvider(
  settings: Settings,
  beside: boolean,
): Promise<{ settings: Settings; simulated: SimulatedProvider | undefined }> {
  if (settings.sso.clientId !== undefined || settings.production) return { settings, simulated: undefined };
  const { joinForDevelopment, startForDevelopment } = await import('./simulated/development.ts');
  if (beside) return { settings: await joinForDevelopment(settings), simulated: undefined };
  return startForDevelopment(settings);
}

import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import type { Settings } from '../config/settings.ts';
import type { Database } from '../database/tables.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { Outages } from '../observability/outages.ts';
import type { Clock } from '../shared/clock.ts';
import type { AccessTokens } from './access-token-source.ts';
import { createGameApi, type GameApi } from './api.ts';
import { createProviderClient, type ProviderClient } from './client.ts';
import { createDocumentStore, type LiveDocumentStore } from './document-store.ts';
import type { Limits } from './http.ts';
import { createNames, type Names } from './names.ts';
import { createSendWithinLimits } from './send-within-limits.ts';

/** Limits of one call, retries included; a page of the largest lists has less than a MiB. */
const LIMITS: Limits = { milliseconds: 10_000, bytes: 8 * 1024 * 1024 };
/** The document is the provider's largest answer, and no request waits for it. */
const DOCUMENT_LIMITS: Limits = { milliseconds: 30_000, bytes: 32 * 1024 * 1024 };

/** Creates everything that is needed to call the game's API; `limits` apply to one call. */
export function createProvider(services: {
  readonly settings: Settings['extApi'];
  readonly db: Kysely<Database>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly outages: Outages;
  readonly metrics: Metrics;
  readonly access: AccessTokens;
  readonly limits: Limits | undefined;
  /** Size of the cache on disk; the default when undefined. */
  readonly cacheBytes?: number | undefined;
}): {
  readonly client: ProviderClient;
  readonly document: LiveDocumentStore;
  readonly api: GameApi;
  readonly names: Names;
} {
  const { settings, limits = LIMITS } = services;
  const headers = {
    accept: 'application/json',
    'user-agent': settings.userAgent,
    'x-compatibility-date': settings.compatibilityDate,
  };
  const sendWithinLimits = createSendWithinLimits(services);
  const document = createDocumentStore({
    ...services,
    sendWithinLimits,
    headers,
    limits: DOCUMENT_LIMITS,
    specUrl: settings.specUrl,
    compatibilityDate: settings.compatibilityDate,
    scopePrefix: settings.scopePrefix,
  });
  const client = createProviderClient({
    ...services,
    sendWithinLimits,
    headers,
    limits,
    cacheBytes: services.cacheBytes,
    document: document.known,
    url: settings.url,
    compatibilityDate: settings.compatibilityDate,
  });
  return { client, document, api: createGameApi(client), names: createNames({ ...services, client }) };
}

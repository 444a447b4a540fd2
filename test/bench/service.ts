import { BUILT_IN_USER } from '../../server/access/clearance-levels.ts';
import { createApi } from '../../server/api.ts';
import { createApp } from '../../server/app.ts';
import { readSettings, requireComplete } from '../../server/config/settings.ts';
import { listen } from '../../server/http/listen.ts';
import { createLog } from '../../server/observability/log.ts';
import type { Services } from '../../server/services/services.ts';
import { rootToken } from '../../server/token/root-token.ts';
import { newKeys } from '../harness/app.ts';
import { ACCESS_TOKEN, addRelyingParty } from './relying-party.ts';
import { makeWorld } from './world.ts';

/** Production's settings with keys of their own; `provider` are those of the game. */
export async function productionSettings(
  databaseUrl: string,
  provider: NodeJS.ProcessEnv,
): Promise<NodeJS.ProcessEnv> {
  return {
    NODE_ENV: 'production',
    BASE_URL: 'https://castellan.bench',
    DATABASE_URL: databaseUrl,
    METRICS_PORT: '0',
    ...provider,
    ...(await newKeys()),
    RATE_LIMIT: '0',
    LOG_LEVEL: 'warn',
    WORKERS: 'none',
  };
}

/** JWTs of the caller and of an application of the built-in user, and what a relying party asks about the caller with. */
export interface Tokens {
  readonly user: string;
  readonly application: string;
  readonly 'relying party': string;
}

export interface ObservedService {
  readonly origin: string;
  readonly tokens: Tokens;
  /** Statements sent so far, without those of the job queue. */
  readonly statements: readonly string[];
  stop(): Promise<void>;
}

/**
 * The service in this process, where its statements can be seen; it migrates the database and fills it.
 * @param made the tokens, where the database is filled already
 */
export async function startObserved(env: NodeJS.ProcessEnv, made?: Tokens): Promise<ObservedService> {
  const statements: string[] = [];
  const app = await createApp(requireComplete(readSettings(env)), {
    log: createLog('warn'),
    worker: false,
    database: { onStatement: (sql) => statements.push(sql) },
  });
  // Loaded in the background otherwise, and its statements would be taken for those of a request.
  await app.services.document.current();
  const tokens = made ?? (await fill(app.services));
  const http = await listen(createApi(app.services), '127.0.0.1', 0);
  const stop = async () => {
    await http.stop();
    await app.close();
  };
  return { origin: `http://127.0.0.1:${http.port}`, tokens, statements, stop };
}

async function fill(services: Services): Promise<Tokens> {
  const { db, keys, vault } = services;
  const user = await keys.sign(await makeWorld(db, keys.currentKid, vault));
  await addRelyingParty(services);
  const application = await rootToken(services, BUILT_IN_USER);
  return { user, application, 'relying party': ACCESS_TOKEN };
}

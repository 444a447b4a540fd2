import { randomBytes } from 'node:crypto';
import type { User } from '../../contract/user.ts';
import {
  type Choice,
  type SimulatedProvider,
  type SimulatedProviderOptions,
  startSimulatedProvider,
} from '../../dev/provider/provider.ts';
import { createClient } from '../../sdk/src/index.ts';
import { createApi } from '../../server/api.ts';
import { type App, type AppOptions, createApp } from '../../server/app.ts';
import { readSettings, requireComplete } from '../../server/config/settings.ts';
import { type Listening, listen } from '../../server/http/listen.ts';
import { createLog } from '../../server/observability/log.ts';
import { scheduledJobs } from '../../server/queue/job-catalogue.ts';
import { rootToken } from '../../server/token/root-token.ts';
import { TestClock } from './clock.ts';
import { createTestDatabase } from './database.ts';
import { expectDocumented } from './documented.ts';
import { farOff } from './far-off.ts';
import { newKeys, newSigningKey, RSA_KEY } from './keys.ts';

export { newKeys, newSigningKey, RSA_KEY };

/** The public address in tokens and redirects; tests reach the service at a local address instead. */
export const BASE_URL = 'https://castellan.test';

export interface TestAppOptions {
  /** URL of the test's database by way of a proxy or pooler. */
  readonly databaseBy?: (databaseUrl: string) => Promise<string>;
  /** Environment variables in addition to those for the test's own database and provider. */
  readonly env?: Readonly<Record<string, string>>;
  readonly provider?: Partial<SimulatedProviderOptions>;
  /** Whether to run the jobs as well. */
  readonly worker?: boolean;
  /** Shorter timeouts for answers of the provider. */
  readonly providerLimits?: AppOptions['providerLimits'];
  /** A smaller cache of the provider's answers. */
  readonly providerCacheBytes?: number;
  /** Database connections for requests that a test sends at once. */
  readonly connections?: number;
}

export type Client = ReturnType<typeof createClient>;

export interface TestApp {
  readonly app: App;
  readonly db: App['services']['db'];
  readonly provider: SimulatedProvider;
  readonly clock: TestClock;
  /** Local URL of the service. */
  readonly url: string;
  /** URL of the test's database. */
  readonly databaseUrl: string;
  /** Every line that was logged. */
  readonly logged: readonly string[];
  /** Statements sent to the database so far, without those of the job queue. */
  readonly statements: readonly string[];
  /** The permanent token of the built-in user. */
  readonly root: string;
  client(token?: string): Client;
  /** Follows a login URL as a player's browser does, up to the answer of the callback, which it does not follow. */
  browse(loginUrl: string, choice: Choice): Promise<Response>;
  /** Makes a dynamic app token and performs a whole sign-in with it; returns the user token. */
  dynamicToken(callback?: string): Promise<string>;
  signIn(
    characterId: number,
    options?: { dyn?: string; scopes?: string[]; stateCode?: string },
  ): Promise<SignedIn>;
  stop(): Promise<void>;
}

export interface SignedIn {
  readonly token: string;
  readonly user: User;
  readonly client: Client;
}

const CALLBACK = 'http://127.0.0.1:9/app?keep=%20this';

/** Each plans its statements anew, which takes longer than most tests need it. */
const FEW_CONNECTIONS = 4;

/** Unless a test is about outages, a slow machine is none. */
const PATIENT = { watched: false, connectedWithin: 60_000 };

/** Starts the whole service with its own database and simulated provider, on a free port. */
export async function startTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const clock = new TestClock();
  const database = await createTestDatabase();
  const client = { clientId: 'castellan-test', clientSecret: randomBytes(18).toString('base64url') };
  const provider = await startSimulatedProvider({ ...client, now: () => clock.now(), ...options.provider });
  const logged: string[] = [];
  const statements: string[] = [];
  const settings = readSettings({
    BASE_URL,
    DATABASE_URL: (await options.databaseBy?.(database.url)) ?? database.url,
    SSO_URL: provider.ssoUrl,
    SSO_CLIENT_ID: client.clientId,
    SSO_CLIENT_SECRET: client.clientSecret,
    EXT_API_URL: provider.apiUrl,
    EXT_API_SPEC_URL: provider.specUrl,
    ...(await newKeys(RSA_KEY)),
    // No rate limit, except in tests of it.
    RATE_LIMIT: '0',
    // No scheduled job starts while a test runs.
    JOB_SCHEDULES: scheduledJobs.map((job) => `${job}=${farOff()}`).join(';'),
    ...options.env,
  });
  const app = await createApp(requireComplete(settings), {
    log: createLog('debug', { write: (line) => logged.push(line) }),
    clock,
    worker: options.worker ?? false,
    ...(options.providerLimits && { providerLimits: options.providerLimits }),
    ...(options.providerCacheBytes && { providerCacheBytes: options.providerCacheBytes }),
    database: {
      onStatement: (sql) => statements.push(sql),
      poolSize: options.connections ?? FEW_CONNECTIONS,
      ...(!options.databaseBy && PATIENT),
    },
  });
  const http: Listening = await listen(createApi(app.services), '127.0.0.1', 0);
  const url = `http://127.0.0.1:${http.port}`;
  const root = await rootToken(app.services, 0);

  const testApp: TestApp = {
    app,
    db: app.services.db,
    provider,
    clock,
    url,
    databaseUrl: database.url,
    logged,
    statements,
    root,
    client: (token) => createClient({ baseUrl: url, token, retries: 0, fetch: documentedFetch }),
    async browse(loginUrl, choice) {
      const back = await provider.authorize(loginUrl, choice);
      return documentedFetch(back.replace(BASE_URL, url), { redirect: 'manual' });
    },
    async dynamicToken(callback = CALLBACK) {
      const answer = await testApp.client(root).token.createDynamic({ body: { callback } });
      if (answer.status !== 200) throw new Error(`no dynamic token: ${answer.status}`);
      return answer.body.tkn;
    },
    async signIn(characterId, { dyn, scopes, stateCode } = {}) {
      const appToken = dyn ?? (await testApp.dynamicToken());
      const login = await testApp.client(appToken).token.startLogin({
        body: { ...(scopes && { scopes: scopes as never }), ...(stateCode && { state_code: stateCode }) },
      });
      if (login.status !== 200) throw new Error(`the sign-in did not start: ${login.status}`);
      const answer = await testApp.browse(login.body.login_url, { characterId });
      const location = answer.headers.get('location');
      if (answer.status !== 302 || location === null) {
        throw new Error(`the sign-in ended with ${answer.status}: ${await answer.text()}`);
      }
      const token = new URL(location).searchParams.get('user_token') ?? '';
      const me = await testApp.client(token).token.current();
      if (me.status !== 200) throw new Error(`the user token does not work: ${JSON.stringify(me.body)}`);
      return { token, user: me.body.owner, client: testApp.client(token) };
    },
    async stop() {
      await http.stop(1_000);
      await app.close();
      await provider.stop();
      await database.drop();
    },
  };
  return testApp;
}

/** Checks every answer against the OpenAPI document. */
export const documentedFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  const { status, headers } = response;
  const path = new URL(String(input)).pathname;
  const text = await response.clone().text();
  expectDocumented({ method: init?.method ?? 'GET', path, status, type: headers.get('content-type'), text });
  return response;
};

/** Settings for other processes on the database and the provider of an app; the keys are the test's. */
export function envBeside({ app, databaseUrl }: Pick<TestApp, 'app' | 'databaseUrl'>) {
  const { baseUrl, sso, extApi } = app.services.settings;
  return {
    DATABASE_URL: databaseUrl,
    BASE_URL: baseUrl,
    SSO_URL: sso.url,
    SSO_CLIENT_ID: sso.clientId ?? '',
    SSO_CLIENT_SECRET: sso.clientSecret ?? '',
    EXT_API_URL: extApi.url,
    EXT_API_SPEC_URL: extApi.specUrl,
  };
}

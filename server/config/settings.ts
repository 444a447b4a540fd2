import { accessSync, constants } from 'node:fs';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { API_VERSION } from '../../contract/version.ts';
import { type EncryptionKey, EncryptionKeys, type JwkSet, JwkSetJson } from '../keys/formats.ts';
import { isTimeZone, readSchedules, ScheduleError, type Schedules } from '../queue/schedule.ts';
import { CannotStart } from '../shared/cannot-start.ts';
import { VoiceUrl } from '../voice-server/address.ts';
import { address, databaseUrl, flag, httpUrl, isHttpUrl, line, list, port } from './values.ts';
import { type MappedGroup, VoiceGroups } from './voice-groups.ts';

/** Settings (D61): all read from the environment; all problems are reported at once. */
export interface Settings {
  readonly production: boolean;
  /** Number of processes behind one port; more than one in production only. */
  readonly processes: number;
  readonly host: string;
  readonly port: number;
  /** URL under which clients reach the service, without a trailing slash; the `iss` of its tokens. */
  readonly baseUrl: string;
  /** Address on which metrics are served: loopback by default. */
  readonly metricsHost: string;
  readonly metricsPort: number;
  /** Commit of the build, for installations without the repository. */
  readonly commit: string | undefined;
  /** Undefined for the embedded PostgreSQL in dataDir. */
  readonly databaseUrl: string | undefined;
  /** A replica for reads that may lag; undefined when there is none. */
  readonly databaseReplicaUrl: string | undefined;
  readonly dataDir: string;
  /** Without a client id the simulated provider is started. */
  readonly sso: {
    readonly url: string;
    readonly clientId: string | undefined;
    readonly clientSecret: string;
  };
  readonly extApi: {
    readonly url: string;
    readonly specUrl: string;
    readonly scopePrefix: string;
    readonly userAgent: string;
    readonly compatibilityDate: string;
    /** URL of the provider's portraits. */
    readonly imageUrl: string;
  };
  /** Domain of the mail addresses in OpenID Connect claims; undefined for no such claim. */
  readonly oidcEmailDomain: string | undefined;
  /** Outside production it may be missing: keys are then created in dataDir, like the encryption keys. */
  readonly tokenSigningKeys: JwkSet | undefined;
  /** Start although a key was removed that valid tokens were signed with (D20b). */
  readonly forceKeyRemoval: boolean;
  readonly encryptionKeys: readonly EncryptionKey[] | undefined;
  /** Start although an encryption key was removed, and mark the grants invalid that only it can decrypt (D61). */
  readonly forceGrantLoss: boolean;
  readonly voice: {
    /** Undefined when there is no voice server (D42). */
    readonly url: string | undefined;
    readonly authGroup: string;
    readonly groups: readonly MappedGroup[];
  };
  /** Requests per minute for each token, or address without one (D60); 0 for no limit. */
  readonly rateLimit: number;
  readonly trustedProxies: readonly string[];
  readonly corsOrigins: readonly string[] | undefined;
  readonly callbackAllowPrivate: boolean;
  /** Whether traces are made; what else of OTEL_… holds (docs/operating.md), the OpenTelemetry SDK reads itself. */
  readonly tracing: boolean;
  readonly logLevel: string;
  /** Undefined for the default: text in a terminal outside production, else JSON lines. */
  readonly logFormat: 'json' | 'pretty' | undefined;
  /** Whether the web console is served below `/console/`. */
  readonly console: boolean;
  /** Seconds for which a process keeps serving after SIGTERM, so that load balancers notice. */
  readonly drainSeconds: number;
  readonly workers: 'embedded' | 'none';
  /** Schedules of the jobs. */
  readonly schedules: Schedules;
}

/**
 * Settings with everything that a running service needs, from the environment or filled in by the development start.
 */
export type CompleteSettings = Settings & {
  readonly databaseUrl: string;
  readonly tokenSigningKeys: JwkSet;
  readonly encryptionKeys: readonly EncryptionKey[];
  readonly sso: { readonly clientId: string };
};

/** Every problem of the configuration, one per line; never a value of a secret. */
export class SettingsError extends CannotStart {
  override name = 'SettingsError';
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(
      `The configuration has ${problems.length} problem(s):\n${problems.map((p) => `  - ${p}`).join('\n')}`,
    );
    this.problems = problems;
  }
}

/** Whether it is an origin as browsers send it: scheme, host, and port if not the default. */
function isOrigin(value: string): boolean {
  return isHttpUrl(value) && new URL(value).origin === value;
}

/** Whether it is an address, a CIDR network, or one of Express's names for networks. */
function isProxy(value: string): boolean {
  const [address = '', prefix, ...more] = value.split('/');
  if (['loopback', 'linklocal', 'uniquelocal'].includes(value)) return true;
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  // Every address cannot be a proxy, and Express takes no prefix of 0.
  const length = Number(prefix);
  const fits = prefix === undefined || (/^\d{1,3}$/.test(prefix) && length > 0 && length <= bits);
  return bits > 0 && fits && more.length === 0;
}

const schedules = z.string().transform((text, context) => {
  try {
    return readSchedules(text);
  } catch (error) {
    if (!(error instanceof ScheduleError)) throw error;
    for (const message of error.problems) context.addIssue({ code: 'custom', message });
    return z.NEVER;
  }
});

const environment = z.object({
  NODE_ENV: z
    .enum(['development', 'test', 'production'], { message: 'must be development, test or production' })
    .default('development'),
  PROCESSES: z
    .string()
    .regex(/^([1-9]|[1-5]\d|6[0-4])$/, 'must be a whole number from 1 to 64')
    .transform(Number)
    .default('1'),
  HOST: z.string().optional(),
  PORT: port.default('8080'),
  BASE_URL: httpUrl.optional(),
  METRICS_HOST: z.string().default('127.0.0.1'),
  METRICS_PORT: port.default('9464'),
  COMMIT: z
    .string()
    .regex(/^[0-9a-f]{7,64}$/, 'must be the hash of a commit')
    .optional(),
  DATABASE_URL: databaseUrl.optional(),
  DATABASE_REPLICA_URL: databaseUrl.optional(),
  DATA_DIR: z.string().default('.data'),
  SSO_URL: httpUrl.default('https://login.eveonline.com'),
  SSO_CLIENT_ID: line.optional(),
  SSO_CLIENT_SECRET: line.optional(),
  EXT_API_URL: httpUrl.default('https://esi.evetech.net'),
  EXT_API_SPEC_URL: address.optional(),
  EXT_SCOPE_PREFIX: z
    .string()
    .regex(/^[a-z]*-?$/, 'must be lower-case letters and a hyphen')
    .default('esi-'),
  EXT_USER_AGENT: z
    .string()
    .regex(/^[\x20-\x7e]+$/, 'must be printable ASCII')
    .default(`castellan/${API_VERSION} (contact not set)`),
  EXT_COMPATIBILITY_DATE: z.string().date('must be a date, YYYY-MM-DD').default('2026-08-04'),
  EXT_IMAGE_URL: httpUrl.default('https://images.evetech.net'),
  OIDC_EMAIL_DOMAIN: z
    .string()
    .regex(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/i, 'must be a domain, such as pilots.example')
    .optional(),
  TOKEN_SIGNING_KEYS: JwkSetJson.optional(),
  FORCE_KEY_REMOVAL: flag.default('false'),
  ENCRYPTION_KEYS: EncryptionKeys.optional(),
  FORCE_GRANT_LOSS: flag.default('false'),
  VOICE_URL: VoiceUrl.optional(),
  VOICE_AUTH_GROUP: z
    .string()
    .trim()
    .min(1, 'must not be blank')
    .max(30, 'has more than 30 characters')
    .default('Voice'),
  VOICE_GROUPS: VoiceGroups.default(''),
  RATE_LIMIT: z
    .string()
    .regex(/^\d+$/, 'must be a whole number of requests a minute')
    .transform(Number)
    .pipe(z.number().max(1_000_000, 'must be at most 1000000; 0 sets no limit'))
    .default('600'),
  TRUSTED_PROXIES: list
    .refine((values) => values.every(isProxy), 'must be addresses or networks, such as 10.0.0.0/8')
    .default(''),
  CORS_ORIGINS: list
    .refine((values) => values.every(isOrigin), 'must be origins, such as https://fleet.example')
    .optional(),
  CALLBACK_ALLOW_PRIVATE: flag.optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl.optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: httpUrl.optional(),
  OTEL_SDK_DISABLED: flag.default('false'),
  OTEL_TRACES_EXPORTER: z.string().optional(),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  LOG_FORMAT: z.enum(['json', 'pretty']).optional(),
  CONSOLE: flag.default('true'),
  DRAIN_SECONDS: z
    .string()
    .regex(/^\d{1,3}$/, 'must be a whole number of seconds')
    .transform(Number)
    .default('0'),
  WORKERS: z.enum(['embedded', 'none']).default('embedded'),
  JOB_SCHEDULES: schedules.default(''),
  JOB_TIME_ZONE: z
    .string()
    .refine(isTimeZone, 'must be a time zone, such as UTC or Europe/Berlin')
    .default('UTC'),
});
type Environment = z.infer<typeof environment>;

/** Settings without a default in production (D61). */
const NEEDED_IN_PRODUCTION = [
  'DATABASE_URL',
  'BASE_URL',
  'TOKEN_SIGNING_KEYS',
  'ENCRYPTION_KEYS',
  'SSO_CLIENT_ID',
  'SSO_CLIENT_SECRET',
] as const;

/** URLs over which tokens and secrets are sent. */
const SECURE_IN_PRODUCTION = [
  'BASE_URL',
  'SSO_URL',
  'EXT_API_URL',
  'EXT_API_SPEC_URL',
  'EXT_IMAGE_URL',
] as const;
const LISTENING = ['HOST', 'METRICS_HOST'] as const;

/**
 * Reads the settings.
 *
 * @throws SettingsError that lists all problems
 */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  // Compose files and shells set a variable to the empty string when it is not set.
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const parsed = environment.safeParse(given);
  const production = given.NODE_ENV === 'production';
  const problems = [
    ...(parsed.error?.issues.map((issue) => `${issue.path[0]}: ${issue.message}`) ?? []),
    ...(production ? problemsInProduction(given) : problemsOutsideProduction(given)),
  ];
  if (!parsed.success || problems.length > 0) throw new SettingsError(problems);
  return toSettings(parsed.data, production);
}

function problemsInProduction(given: NodeJS.ProcessEnv): string[] {
  const missing = NEEDED_IN_PRODUCTION.filter((name) => given[name] === undefined);
  const insecure = SECURE_IN_PRODUCTION.filter((name) => isInsecure(given[name] ?? ''));
  return [
    ...missing.map((name) => `${name}: must be given when NODE_ENV is production`),
    ...insecure.map((name) => `${name}: must be https when NODE_ENV is production, unless it is loopback`),
  ];
}

function problemsOutsideProduction(given: NodeJS.ProcessEnv): string[] {
  const open = LISTENING.filter((name) => !isLoopback(given[name] ?? 'localhost'));
  const problems = open.map(
    (name) => `${name}: only a loopback address is listened on unless NODE_ENV is production`,
  );
  if ((given.PROCESSES ?? '1') !== '1') problems.push('PROCESSES: must be 1 unless NODE_ENV is production');
  if (given.SSO_CLIENT_ID !== undefined && given.SSO_CLIENT_SECRET === undefined) {
    problems.push('SSO_CLIENT_SECRET: must be given together with SSO_CLIENT_ID');
  }
  return problems;
}

/** Whether the URL is unencrypted, and not loopback. */
function isInsecure(value: string): boolean {
  if (!isHttpUrl(value)) return false;
  const { protocol, hostname } = new URL(value);
  return protocol === 'http:' && !isLoopback(hostname.replace(/^\[(.*)\]$/, '$1'));
}

function toSettings(env: Environment, production: boolean): Settings {
  const host = env.HOST ?? (production ? '0.0.0.0' : '127.0.0.1');
  return {
    production,
    processes: env.PROCESSES,
    host,
    port: env.PORT,
    baseUrl: env.BASE_URL ?? `http://${host.includes(':') ? `[${host}]` : host}:${env.PORT}`,
    metricsHost: env.METRICS_HOST,
    metricsPort: env.METRICS_PORT,
    commit: env.COMMIT,
    databaseUrl: env.DATABASE_URL,
    databaseReplicaUrl: env.DATABASE_REPLICA_URL,
    dataDir: resolve(env.DATA_DIR),
    sso: { url: env.SSO_URL, clientId: env.SSO_CLIENT_ID, clientSecret: env.SSO_CLIENT_SECRET ?? '' },
    extApi: {
      url: env.EXT_API_URL,
      specUrl: env.EXT_API_SPEC_URL ?? `${env.EXT_API_URL}/meta/openapi.json`,
      scopePrefix: env.EXT_SCOPE_PREFIX,
      userAgent: env.EXT_USER_AGENT,
      compatibilityDate: env.EXT_COMPATIBILITY_DATE,
      imageUrl: env.EXT_IMAGE_URL,
    },
    oidcEmailDomain: env.OIDC_EMAIL_DOMAIN,
    tokenSigningKeys: env.TOKEN_SIGNING_KEYS,
    forceKeyRemoval: env.FORCE_KEY_REMOVAL,
    encryptionKeys: env.ENCRYPTION_KEYS,
    forceGrantLoss: env.FORCE_GRANT_LOSS,
    voice: { url: env.VOICE_URL, authGroup: env.VOICE_AUTH_GROUP, groups: env.VOICE_GROUPS },
    rateLimit: env.RATE_LIMIT,
    trustedProxies: env.TRUSTED_PROXIES,
    corsOrigins: env.CORS_ORIGINS,
    callbackAllowPrivate: env.CALLBACK_ALLOW_PRIVATE ?? !production,
    tracing:
      !env.OTEL_SDK_DISABLED &&
      env.OTEL_TRACES_EXPORTER !== 'none' &&
      (env.OTEL_EXPORTER_OTLP_ENDPOINT ?? env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT) !== undefined,
    logLevel: env.LOG_LEVEL,
    logFormat: env.LOG_FORMAT,
    console: env.CONSOLE,
    drainSeconds: env.DRAIN_SECONDS,
    workers: env.WORKERS,
    schedules: { timeZone: env.JOB_TIME_ZONE, cron: env.JOB_SCHEDULES },
  };
}

export function isLoopback(host: string): boolean {
  if (host === 'localhost') return true;
  try {
    return ipaddr.parse(host).range() === 'loopback';
  } catch {
    return false;
  }
}

/** Reads `.env` in the working directory, if it exists, and the environment, which takes precedence. */
export function loadSettings(): Settings {
  try {
    // `loadEnvFile` says of every file that it cannot read that there is none.
    accessSync('.env', constants.R_OK);
    process.loadEnvFile();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT') throw new CannotStart(`The file .env cannot be read: ${message}.`);
  }
  return readSettings(process.env);
}

/** Throws when a setting is missing that only the development start (`npm start`) fills in. */
export function requireComplete(settings: Settings): CompleteSettings {
  const missing = [
    ...(settings.databaseUrl === undefined ? ['DATABASE_URL'] : []),
    ...(settings.tokenSigningKeys === undefined ? ['TOKEN_SIGNING_KEYS'] : []),
    ...(settings.encryptionKeys === undefined ? ['ENCRYPTION_KEYS'] : []),
    ...(settings.sso.clientId === undefined ? ['SSO_CLIENT_ID'] : []),
  ];
  if (missing.length > 0) throw new SettingsError(missing.map((name) => `${name} is missing`));
  return settings as CompleteSettings;
}

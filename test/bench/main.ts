/**
 * `npm run bench`: the service against a handler of node:http and pg alone that runs the same statements on the
 * same database, in alternation, because only ratios bear a machine that others use too; where it forwards, against
 * asking the provider without it. Nothing is asserted about time; that both give the same answers by the same
 * statements is.
 */
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { request } from 'undici';
import { benchHistories } from './histories.ts';
import { benchIdle } from './idle.ts';
import { generateLoad, type Target } from './load.ts';
import {
  build,
  cpuTime,
  type Server,
  startBare,
  startDatabase,
  startProvider,
  startService,
} from './processes.ts';
import { benchRegistry } from './registry.ts';
import { type Pair, type Result, type Round, table } from './report.ts';
import { SCENARIO_HEADER, type Scenario } from './scenario.ts';
import { scenarios } from './scenarios/index.ts';
import { type ObservedService, productionSettings, startObserved } from './service.ts';
import { benchVoiceMute } from './voice-mute.ts';

const USAGE = `npm run bench                        every operation, at most 70 seconds each
npm run bench -- --quick             one short round each, to see that it runs
npm run bench -- --only tracking     only operations whose name contains the word, or is it; commas between words
npm run bench -- --rounds 9          more pairs of rounds than 5
npm run bench -- --profile FOLDER    leave a CPU profile of the service there
npm run bench -- --registry COUNT    what a sign-in writes instead, at 20 corporations and at these (2000: a minute)
npm run bench -- --voice-mute        GET /token while completions wait for a voice server that says nothing
npm run bench -- --idle SECONDS      the CPU of a server, a worker and PostgreSQL that nobody uses (300: all schedules)
npm run bench -- --histories ROWS    pages of histories instead, at 1,000 rows and at these (10000000: 10 minutes)
`;

const CONNECTIONS = 16;
const CONNECTIONS_SLOW = 2;
const COUNTED_REQUESTS = 100;
const COUNTED_REQUESTS_SLOW = 5;
/** Requests a minute that nobody makes here. */
const UNREACHED_LIMIT = '1000000';
/** After so many requests V8 has compiled what it will. */
const COMPILED_AFTER = 5_000;

interface Plan {
  readonly rounds: number;
  /** Seconds for which each may be asked before the first round, so that its code is compiled. */
  readonly start: number;
  /** Seconds before each round, and of the round itself. */
  readonly warmUp: number;
  readonly seconds: number;
}

interface Contest {
  readonly service: Server;
  /** The service with a rate limit. */
  readonly limited: Server;
  readonly bare: Server & { readonly statements: { readonly [scenario: string]: readonly string[] } };
  readonly provider: Server;
  readonly token: string;
  readonly plan: Plan;
}

function readOptions() {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      rounds: { type: 'string', default: '5' },
      profile: { type: 'string' },
      histories: { type: 'string' },
      idle: { type: 'string' },
      registry: { type: 'string' },
      'voice-mute': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1 || rounds > 100) throw new Error('--rounds wants 1 to 100.');
  const plan: Plan = values.quick
    ? { rounds: 1, start: 1, warmUp: 0.2, seconds: 0.5 }
    : { rounds, start: 15, warmUp: 1, seconds: 3 };
  const histories = size('--histories', values.histories, 1_000);
  const registry = size('--registry', values.registry, 20);
  const idle = size('--idle', values.idle, 1);
  return { ...values, histories, registry, idle, plan, chosen: choose(values.only) };
}

/** A multiple of `step`, where it is asked for. */
function size(option: string, text: string | undefined, step: number): number | undefined {
  const value = text === undefined ? undefined : Number(text);
  if (value !== undefined && !(value > 0 && value % step === 0))
    throw new Error(`${option} wants a multiple of ${step}.`);
  return value;
}

/** The scenarios that the words name; a word that is a whole name means that one alone. */
function choose(only: string | undefined): readonly Scenario[] {
  if (only === undefined) return scenarios;
  const named = only.split(',').flatMap((word) => {
    const exact = scenarios.filter(({ name }) => name === word);
    const found = exact.length > 0 ? exact : scenarios.filter(({ name }) => name.includes(word));
    if (word !== '' && found.length > 0) return found;
    throw new Error(`--only wants some of: ${scenarios.map(({ name }) => name).join(', ')}`);
  });
  return scenarios.filter((scenario) => named.includes(scenario));
}

async function main(): Promise<void> {
  const options = readOptions();
  if (options.help) return void process.stdout.write(USAGE);
  const { histories, registry, idle } = options;
  if (histories !== undefined) return onDatabase((url) => benchHistories(url, histories));
  if (registry !== undefined) return onDatabase((url) => benchRegistry(url, registry));
  if (idle !== undefined) return void process.stdout.write(await benchIdle(idle));
  if (options['voice-mute']) return void process.stdout.write(await benchVoiceMute(options.plan));
  const closers: (() => Promise<void>)[] = [];
  try {
    progress('starting PostgreSQL, filling the registry, building the service …\n');
    const database = await startDatabase();
    closers.push(database.stop);
    const provider = await startProvider();
    closers.push(provider.stop);
    const env = await productionSettings(database.url, provider.settings);
    const observed = await startObserved(env);
    closers.push(observed.stop);
    const bare = await startBare(database.url, provider.settings.EXT_API_URL);
    closers.push(bare.stop);
    build();
    const service = await startService(env, options.profile);
    closers.push(service.stop);
    const { token } = observed;
    const limitedEnv = { ...env, RATE_LIMIT: UNREACHED_LIMIT };
    const observedLimited = await startObserved(limitedEnv, token);
    closers.push(observedLimited.stop);
    const limited = await startService(limitedEnv, undefined);
    closers.push(limited.stop);

    const contest: Contest = { service, limited, bare, provider, token, plan: options.plan };
    const results: Result[] = [];
    for (const scenario of options.chosen) {
      const shown = scenario.other.is === 'without limit' ? observedLimited : observed;
      const statements = await inspect(scenario, shown, contest);
      results.push(await measure(scenario, statements, contest));
    }
    process.stdout.write(`\n${table(results)}`);
  } finally {
    for (const close of closers.reverse()) await close();
  }
}

async function onDatabase(bench: (serverUrl: string) => Promise<string>): Promise<void> {
  progress('starting PostgreSQL, filling two databases …\n');
  const database = await startDatabase();
  try {
    process.stdout.write(await bench(database.url));
  } finally {
    await database.stop();
  }
}

/** Makes sure that both give the same answer by the same statements, and counts the statements of a request. */
async function inspect(scenario: Scenario, observed: ObservedService, contest: Contest): Promise<number> {
  const { name, other, slow } = scenario;
  const ours = serviceTarget(scenario, observed.origin, observed.token);
  const theirs = otherSide(scenario, contest).target;
  // Once for the cache.
  await get(ours, 0);
  const before = observed.statements.length;
  const requests = slow ? COUNTED_REQUESTS_SLOW : COUNTED_REQUESTS;
  for (let n = 0; n < requests; n += 1) {
    const body = await get(ours, n);
    const whole = other.is === 'bare' || other.is === 'without limit';
    const same = whole ? body : (body as { data: unknown }).data;
    if (n < 3 && !isDeepStrictEqual(same, await get(theirs, n)))
      throw new Error(`${name}: the other side answers something else`);
  }
  const statements = observed.statements.slice(before);
  if (other.is === 'bare') requireSame(name, statements, contest.bare.statements[name] ?? []);
  return statements.length / requests;
}

function requireSame(name: string, statements: readonly string[], expected: readonly string[]): void {
  const different = [
    ...without(statements, expected).map((sql) => `  only the service: ${sql}`),
    ...without(expected, statements).map((sql) => `  only the bare handler: ${sql}`),
  ];
  if (different.length > 0) throw new Error(`${name}: other statements\n${different.join('\n')}`);
}

/** Each of the texts that is not among the others, once. */
function without(texts: readonly string[], others: readonly string[]): string[] {
  return [...new Set(texts)].filter((text) => !others.includes(text));
}

async function measure(scenario: Scenario, statements: number, contest: Contest): Promise<Result> {
  const { service, limited, token, plan } = contest;
  const server = scenario.other.is === 'without limit' ? limited : service;
  const ours: Side = { server, target: serviceTarget(scenario, server.origin, token) };
  const theirs = otherSide(scenario, contest);
  const connections = scenario.slow ? CONNECTIONS_SLOW : CONNECTIONS;
  const pairs: Pair[] = [];
  for (const { target } of [ours, theirs])
    await generateLoad(target, connections, plan.start, COMPILED_AFTER);
  for (let n = 1; n <= plan.rounds; n += 1) {
    const pair = {
      service: await round(ours, connections, plan),
      bare: await round(theirs, connections, plan),
    };
    pairs.push(pair);
    const [first, second] = [pair.service, pair.bare].map(({ load }) =>
      (load.requests / load.seconds).toFixed(1),
    );
    progress(`${scenario.name}  ${n}/${plan.rounds}: ${first} and ${second} requests/s\n`);
  }
  return { name: scenario.name, users: scenario.users, statements, pairs };
}

/** Who is asked, and how. */
interface Side {
  readonly server: Server;
  readonly target: Target;
}

async function round({ server, target }: Side, connections: number, plan: Plan): Promise<Round> {
  await generateLoad(target, connections, plan.warmUp);
  const before = cpuTime(server);
  const load = await generateLoad(target, connections, plan.seconds);
  const after = cpuTime(server);
  return { load, cpu: before === undefined || after === undefined ? undefined : after - before };
}

function serviceTarget({ path }: Scenario, origin: string, token: string): Target {
  return { origin, headers: { authorization: `Bearer ${token}` }, path };
}

function otherSide(scenario: Scenario, { service, bare, provider, token }: Contest): Side {
  const { name, path, other } = scenario;
  if (other.is === 'without limit')
    return { server: service, target: serviceTarget(scenario, service.origin, token) };
  const headers = { authorization: `Bearer ${token}`, [SCENARIO_HEADER]: name };
  return other.is === 'provider'
    ? { server: provider, target: { origin: provider.origin, headers: {}, path: other.path } }
    : { server: bare, target: { origin: bare.origin, headers, path } };
}

async function get({ origin, path, headers }: Target, n: number): Promise<unknown> {
  const { statusCode, body } = await request(`${origin}${path(n)}`, { headers });
  if (statusCode !== 200) throw new Error(`${path(n)}: status ${statusCode}: ${await body.text()}`);
  return body.json();
}

function progress(text: string): void {
  process.stderr.write(text);
}

// An exit by itself ends what hangs on this process; a signal's own ending would not.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
});

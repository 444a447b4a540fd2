/**
 * `npm run bench`: the service, asked by wrk, against a handler of node:http and pg alone that does the least that gives
 * the same answer, in alternation, because only ratios bear a machine that others use too; where it forwards, against
 * asking the provider without it. Nothing is asserted about time; that both give the same answers is.
 */
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { request } from 'undici';
import { benchHistories } from './histories.ts';
import { benchIdle } from './idle.ts';
import { generateLoad, type Target } from './load.ts';
import { comparable, type PeerRead, startPeers } from './peers.ts';
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
import { type ObservedService, productionSettings, startObserved, type Tokens } from './service.ts';
import { benchTokenEndpoint } from './token-endpoint.ts';
import { benchVoiceMute } from './voice-mute.ts';

const USAGE = `npm run bench                        every operation, a minute each
npm run bench -- --quick             one short round each, to see that it runs
npm run bench -- --only tracking     only operations whose name contains the word, or is it; commas between words
npm run bench -- --rounds 9          more pairs of rounds than 5
npm run bench -- --profile FOLDER    leave a CPU profile of the service there
npm run bench -- --registry COUNT    what a sign-in writes instead, at 20 corporations and at these (2000: a minute)
npm run bench -- --voice-mute        GET /token while completions wait for a voice server that says nothing
npm run bench -- --token-endpoint      exchanges of refresh tokens of OpenID Connect: how many a second, and what each costs
npm run bench -- --idle SECONDS      the CPU of a server, a worker and PostgreSQL that nobody uses (300: all schedules)
npm run bench:peers                    other services beside it, in the same run
npm run bench -- --histories ROWS    pages of histories instead, at 1,000 rows and at these (10000000: 10 minutes)
`;

const CONNECTIONS = 64;
const CONNECTIONS_SLOW = 2;
const COUNTED_REQUESTS = 100;
const COUNTED_REQUESTS_SLOW = 5;
/** Requests a minute that nobody makes here. */
const UNREACHED_LIMIT = '1000000';

interface Plan {
  readonly rounds: number;
  /** Seconds for which each is asked before the first round, so that its code is compiled. */
  readonly start: number;
  /** Seconds before each round, and of the round itself. */
  readonly warmUp: number;
  readonly seconds: number;
}

interface Contest {
  readonly service: Server;
  /** The service with a rate limit. */
  readonly limited: Server;
  readonly bare: Server;
  readonly provider: Server;
  readonly tokens: Tokens;
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
      'token-endpoint': { type: 'boolean', default: false },
      peers: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1 || rounds > 100) throw new Error('--rounds wants 1 to 100.');
  const plan: Plan = values.quick
    ? { rounds: 1, start: 1, warmUp: 1, seconds: 1 }
    : { rounds, start: 5, warmUp: 1, seconds: 3 };
  const histories = size('--histories', values.histories, 1_000);
  const registry = size('--registry', values.registry, 20);
  const idle = size('--idle', values.idle, 1);
  const chosen = values.peers ? comparable : choose(values.only);
  return { ...values, histories, registry, idle, plan, chosen };
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
  if (options['token-endpoint']) return void process.stdout.write(await benchTokenEndpoint(options.plan));
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
    const { tokens } = observed;
    const limitedEnv = { ...env, RATE_LIMIT: UNREACHED_LIMIT };
    const observedLimited = await startObserved(limitedEnv, tokens);
    closers.push(observedLimited.stop);
    const limited = await startService(limitedEnv, undefined);
    closers.push(limited.stop);

    const contest: Contest = { service, limited, bare, provider, tokens, plan: options.plan };
    const results: Result[] = [];
    for (const scenario of options.chosen) {
      const shown = scenario.other.is === 'without limit' ? observedLimited : observed;
      results.push(await measure(scenario, await inspect(scenario, shown, contest), contest));
    }
    if (options.peers) {
      for (const read of await startPeers(database.url, closers))
        results.push(await measurePeer(read, contest));
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

/** Makes sure that both give the same answer, and looks at what a request costs. */
async function inspect(
  scenario: Scenario,
  observed: ObservedService,
  contest: Contest,
): Promise<Pick<Result, 'statements' | 'bytes'>> {
  const { name, other, slow, changes = [] } = scenario;
  const ours = serviceTarget(scenario, observed.origin, observed.tokens);
  const theirs = otherSide(scenario, contest).target;
  // Once for the cache.
  await get(ours, 0);
  const before = observed.statements.length;
  const requests = slow ? COUNTED_REQUESTS_SLOW : COUNTED_REQUESTS;
  let bytes = 0;
  for (let n = 0; n < requests; n += 1) {
    const answer = await get(ours, n);
    bytes += Buffer.byteLength(JSON.stringify(answer));
    const whole = other.is === 'bare' || other.is === 'without limit';
    const same = whole ? answer : (answer as { data: unknown }).data;
    if (n < 3 && !isDeepStrictEqual(without(same, changes), without(await get(theirs, n), changes)))
      throw new Error(`${name}: the other side answers something else`);
  }
  return { statements: (observed.statements.length - before) / requests, bytes: bytes / requests };
}

function without(answer: unknown, fields: readonly string[]): unknown {
  if (fields.length === 0) return answer;
  return Object.fromEntries(Object.entries(answer as object).filter(([field]) => !fields.includes(field)));
}

async function measure(
  scenario: Scenario,
  cost: Pick<Result, 'statements' | 'bytes'>,
  contest: Contest,
): Promise<Result> {
  const { service, limited, tokens, plan } = contest;
  const server = scenario.other.is === 'without limit' ? limited : service;
  const ours: Side = { server, target: serviceTarget(scenario, server.origin, tokens) };
  const theirs = otherSide(scenario, contest);
  const connections = scenario.slow ? CONNECTIONS_SLOW : CONNECTIONS;
  const pairs = await alternate(scenario.name, [ours, theirs], connections, plan);
  return { name: scenario.name, users: scenario.users, ...cost, pairs };
}

/** What statements it sends is its own affair. */
async function measurePeer({ name, server, target, like }: PeerRead, contest: Contest): Promise<Result> {
  const bytes = Buffer.byteLength(JSON.stringify(await get(target, 0)));
  const sides = [{ server, target }, otherSide(like, contest)] as const;
  const pairs = await alternate(name, sides, CONNECTIONS, contest.plan);
  return { name, users: like.users, statements: Number.NaN, bytes, pairs };
}

async function alternate(
  name: string,
  [ours, theirs]: readonly [Side, Side],
  connections: number,
  plan: Plan,
): Promise<Pair[]> {
  const pairs: Pair[] = [];
  for (const { target } of [ours, theirs]) await generateLoad(target, connections, plan.start);
  for (let n = 1; n <= plan.rounds; n += 1) {
    const pair = {
      service: await round(ours, connections, plan),
      bare: await round(theirs, connections, plan),
    };
    pairs.push(pair);
    const [first, second] = [pair.service, pair.bare].map(({ load }) =>
      (load.requests / load.seconds).toFixed(1),
    );
    progress(`${name}  ${n}/${plan.rounds}: ${first} and ${second} requests/s\n`);
  }
  return pairs;
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

function serviceTarget(scenario: Scenario, origin: string, tokens: Tokens): Target {
  const token = tokens[scenario.by ?? 'user'];
  return { ...asked(scenario), origin, headers: { authorization: `Bearer ${token}` } };
}

function asked({ path, method, body }: Scenario): Pick<Target, 'path' | 'method' | 'body'> {
  return { path, ...(method && { method }), ...(body && { body }) };
}

function otherSide(scenario: Scenario, { service, bare, provider, tokens }: Contest): Side {
  const { name, other } = scenario;
  if (other.is === 'without limit')
    return { server: service, target: serviceTarget(scenario, service.origin, tokens) };
  const headers = { [SCENARIO_HEADER]: name };
  return other.is === 'provider'
    ? { server: provider, target: { origin: provider.origin, headers: {}, path: other.path } }
    : { server: bare, target: { ...asked(scenario), origin: bare.origin, headers } };
}

async function get({ origin, path, headers, method = 'GET', body }: Target, n: number): Promise<unknown> {
  const sent = body === undefined ? {} : { body: body(n) };
  const answer = await request(`${origin}${path(n)}`, { method, headers, ...sent });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`${path(n)}: status ${answer.statusCode}: ${text}`);
  return JSON.parse(text);
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

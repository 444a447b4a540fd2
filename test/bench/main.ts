/**
 * `npm run bench`: the service against a handler of node:http and pg alone that runs the same statements on the
 * same database, in alternation, because only ratios bear a machine that others use too. Nothing is asserted
 * about time; that both give the same answers by the same statements is.
 */
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { request } from 'undici';
import { benchHistories } from './histories.ts';
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
import { type Pair, type Result, type Round, table } from './report.ts';
import { SCENARIO_HEADER, type Scenario } from './scenario.ts';
import { scenarios } from './scenarios/index.ts';
import { type ObservedService, productionSettings, startObserved } from './service.ts';

const USAGE = `npm run bench                        every operation, at most 70 seconds each
npm run bench -- --quick             one short round each, to see that it runs
npm run bench -- --only tracking     only operations whose name contains the word, or is it; commas between words
npm run bench -- --rounds 9          more pairs of rounds than 5
npm run bench -- --profile FOLDER    leave a CPU profile of the service there
npm run bench -- --histories ROWS    pages of histories instead, at 1,000 rows and at these (10000000: 10 minutes)
`;

const CONNECTIONS = 16;
const COUNTED_REQUESTS = 100;
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
  readonly bare: Server;
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
      help: { type: 'boolean', default: false },
    },
  });
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1 || rounds > 100) throw new Error('--rounds wants 1 to 100.');
  const plan: Plan = values.quick
    ? { rounds: 1, start: 1, warmUp: 0.2, seconds: 0.5 }
    : { rounds, start: 15, warmUp: 1, seconds: 3 };
  const historyRows = values.histories === undefined ? undefined : Number(values.histories);
  if (historyRows !== undefined && !(historyRows > 0 && historyRows % 1000 === 0))
    throw new Error('--histories wants thousands of rows.');
  return { ...values, historyRows, plan, chosen: choose(values.only) };
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
  if (options.historyRows !== undefined) return compareHistories(options.historyRows);
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
    const bare = await startBare(database.url);
    closers.push(bare.stop);
    build();
    const service = await startService(env, options.profile);
    closers.push(service.stop);

    const contest: Contest = { service, bare, token: observed.token, plan: options.plan };
    const results: Result[] = [];
    for (const scenario of options.chosen) {
      const statements = await inspect(scenario, observed, bare.origin, bare.statements[scenario.name] ?? []);
      results.push(await measure(scenario, statements, contest));
    }
    process.stdout.write(`\n${table(results)}`);
  } finally {
    for (const close of closers.reverse()) await close();
  }
}

async function compareHistories(rows: number): Promise<void> {
  progress('starting PostgreSQL, filling the histories …\n');
  const database = await startDatabase();
  try {
    process.stdout.write(await benchHistories(database.url, rows));
  } finally {
    await database.stop();
  }
}

/** Makes sure that both give the same answer by the same statements, and counts the statements of a request. */
async function inspect(
  scenario: Scenario,
  observed: ObservedService,
  bareOrigin: string,
  expected: readonly string[],
): Promise<number> {
  const ours = targetOf(scenario, observed.origin, observed.token);
  const theirs = targetOf(scenario, bareOrigin, observed.token);
  const before = observed.statements.length;
  for (let n = 0; n < COUNTED_REQUESTS; n += 1) {
    const { status, body } = await get(ours, n);
    if (status !== 200) throw new Error(`${scenario.name}: status ${status}`);
    if (n < 3 && !isDeepStrictEqual(body, (await get(theirs, n)).body)) {
      throw new Error(`${scenario.name}: the bare handler answers something else`);
    }
  }
  const statements = observed.statements.slice(before);
  const different = [
    ...without(statements, expected).map((sql) => `  only the service: ${sql}`),
    ...without(expected, statements).map((sql) => `  only the bare handler: ${sql}`),
  ];
  if (different.length > 0) throw new Error(`${scenario.name}: other statements\n${different.join('\n')}`);
  return statements.length / COUNTED_REQUESTS;
}

/** Each of the texts that is not among the others, once. */
function without(texts: readonly string[], others: readonly string[]): string[] {
  return [...new Set(texts)].filter((text) => !others.includes(text));
}

async function measure(scenario: Scenario, statements: number, contest: Contest): Promise<Result> {
  const pairs: Pair[] = [];
  for (const { origin } of [contest.service, contest.bare]) {
    const target = targetOf(scenario, origin, contest.token);
    await generateLoad(target, CONNECTIONS, contest.plan.start, COMPILED_AFTER);
  }
  for (let n = 1; n <= contest.plan.rounds; n += 1) {
    const service = await round(scenario, contest.service, contest);
    const bare = await round(scenario, contest.bare, contest);
    pairs.push({ service, bare });
    const [ours, theirs] = [service, bare].map(({ load }) => Math.round(load.requests / load.seconds));
    progress(`${scenario.name}  ${n}/${contest.plan.rounds}: ${ours} and ${theirs} requests/s\n`);
  }
  return { name: scenario.name, users: scenario.users, statements, pairs };
}

async function round(scenario: Scenario, server: Server, { token, plan }: Contest): Promise<Round> {
  const target = targetOf(scenario, server.origin, token);
  await generateLoad(target, CONNECTIONS, plan.warmUp);
  const before = cpuTime(server);
  const load = await generateLoad(target, CONNECTIONS, plan.seconds);
  const after = cpuTime(server);
  return { load, cpu: before === undefined || after === undefined ? undefined : after - before };
}

function targetOf(scenario: Scenario, origin: string, token: string): Target {
  const headers = { authorization: `Bearer ${token}`, [SCENARIO_HEADER]: scenario.name };
  return { origin, headers, path: (n) => scenario.path(n) };
}

async function get({ origin, path, headers }: Target, n: number): Promise<{ status: number; body: unknown }> {
  const { statusCode, body } = await request(`${origin}${path(n)}`, { headers });
  return { status: statusCode, body: await body.json() };
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

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openApiDocument } from '../../contract/openapi.ts';
import { ensurePartitions } from '../../server/history/partitions.ts';
import { openApiYaml } from '../../server/http/openapi-yaml.ts';
import { letIn } from '../fixtures/registry.ts';
import { addCoalition, addHome } from '../fixtures/users.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { CONSUMERS, type Consumer, createConsumer, ROOT, source, TOOLS, typeCheck } from './consumer.ts';

const ALLIANCE = 99_000_001;
const COALITION_ID = '66f2a1b3c4d5e6f708192a3d';
const BALANCES = Array.from({ length: 120 }, (_, hour) => hour);

let app: TestApp;
let consumer: Consumer;
let env: Record<string, string>;
/** Where the game says that the character is. */
let system: unknown;
beforeAll(async () => {
  app = await startTestApp();
  await letIn(app, { alliances: [ALLIANCE] });
  await addHome(app);
  await addCoalition(app, COALITION_ID, { alliances: [ALLIANCE] });
  const character = app.provider.world.membersOf(
    app.provider.world.alliance(ALLIANCE)?.executorCorporationId ?? 0,
  )[1] as number;
  const person = await app.signIn(character, { scopes: ['publicData', 'ext-location.read_location.v1'] });
  const operator = app.client(app.root);
  await operator.user.update({ params: { character_id: character }, body: { clearance_level: 9 } });
  for (const group_name of ['Scouts', 'Archive']) await operator.group.create({ body: { group_name } });
  const now = app.clock.now();
  for (const days of [0, 7]) await ensurePartitions(app.db, new Date(now.getTime() - days * 86_400_000));
  const rows = BALANCES.map((balance) => ({
    character_id: character,
    timestamp: new Date(now.getTime() - balance * 3_600_000),
    balance,
  }));
  await app.db.insertInto('character_wallets').values(rows).execute();
  const esi_path = `characters/${character}/location`;
  const forwarded = await person.client.ext.forward({ params: { esi_path } });
  system = forwarded.status === 200 ? forwarded.body.data : undefined;

  env = { BASE_URL: app.url, TOKEN: person.token, COALITION_ID, CHARACTER_ID: String(character) };
  consumer = await createConsumer();
  await consumer.write({ 'openapi.yaml': openApiYaml(openApiDocument(app.url)) });
  await consumer.borrow(TOOLS, ...['openapi-fetch', 'openapi-typescript-helpers', '@tanstack/react-query']);
  await consumer.borrow(TOOLS, ...['@tanstack/query-core', '@types/react', 'csstype', 'zod', 'react']);
});
afterAll(async () => {
  await consumer?.remove();
  await app?.stop();
});

const tool = (path: string) => join(TOOLS, path);

it('openapi-typescript: generated, strictly typed, used', async () => {
  await consumer.run(
    'node',
    tool('openapi-typescript/bin/cli.js'),
    'openapi.yaml',
    '-o',
    'generated/openapi.d.ts',
  );
  await expectToWork('openapi-typescript', 'OATS');
});

it('hey-api, with its SDK, Zod and TanStack Query: generated, strictly typed, used', async () => {
  const plugins = [
    '@hey-api/client-fetch',
    '@hey-api/typescript',
    '@hey-api/sdk',
    'zod',
    '@tanstack/react-query',
  ];
  const options = ['-i', 'openapi.yaml', '-o', 'generated/hey', '--no-log-file', '-p', ...plugins];
  await consumer.run('node', tool('@hey-api/openapi-ts/bin/run.js'), ...options);
  await expectToWork('hey-api', 'HEYA');
});

it('orval, by fetch and by React Query: generated, strictly typed, used', async () => {
  const output = (name: string, client: string) => ({
    input: { target: './openapi.yaml' },
    output: { target: `./generated/${name}.ts`, client, httpClient: 'fetch', mode: 'single' },
  });
  const config = { fetch: output('orval-fetch', 'fetch'), query: output('orval-query', 'react-query') };
  await consumer.write({ 'orval.config.cjs': `module.exports = ${JSON.stringify(config)};` });
  await consumer.run('node', tool('orval/dist/bin/orval.js'), '--config', 'orval.config.cjs');
  await expectToWork('orval', 'ORVL');
});

it('openapi-generator, in Python by the document as OpenAPI 3.0: generated, strictly typed, used', async () => {
  const [document, client] = ['openapi-3.0.yaml', 'openapi_generator.py'];
  const converter = tool('@apiture/openapi-down-convert/lib/src/cli.js');
  await consumer.run('node', converter, '--input', 'openapi.yaml', '--output', document);
  // Later ones fetch the program when they run. The converter leaves two words of 3.1, which this one need not judge.
  const generator = tool('@openapitools/openapi-generator-cli/bin/openapi-generator.jar');
  const output = ['-g', 'python', '-o', 'generated/python', '--package-name', 'castellan_client'];
  await consumer.run(
    'java',
    '-jar',
    generator,
    'generate',
    '--skip-validate-spec',
    '-i',
    document,
    ...output,
  );
  const example = 'generated.py';
  await consumer.write({
    [client]: await source(join(CONSUMERS, 'generators', client)),
    [example]: await readFile(join(ROOT, 'examples/python', example), 'utf8'),
  });
  const paths = ['MYPYPATH=generated/python', 'PYTHONPATH=generated/python'];
  // What is generated has no types to look at; who uses it has, and may use nothing that is not there.
  const lenient = ['--implicit-reexport', '--allow-untyped-calls', '--ignore-missing-imports'];
  const flags = ['--strict', ...lenient, '--follow-imports=silent'];
  await consumer.run('env', ...paths, '/usr/bin/mypy', ...flags, client, example);
  const said = await consumer.run('env', ...paths, ...variables(), '/usr/bin/python3', client);
  expectDone(said, 'OAGP');

  const where = [`CASTELLAN_URL=${app.url}`, `CASTELLAN_TOKEN=${env['TOKEN']}`];
  const balance = ['/usr/bin/python3', example, env['CHARACTER_ID'] ?? ''];
  expect(await consumer.run('env', ...paths, ...where, ...balance)).toMatch(
    /^-119\.00 in 120 entries since 20/,
  );
});

/** Compiles what uses a generated client with every strict flag, and lets it do its task on the running service. */
async function expectToWork(client: string, ticker: string): Promise<void> {
  const folder = join(CONSUMERS, 'generators');
  await consumer.write({
    'task.ts': await source(join(folder, 'task.ts')),
    [`${client}.ts`]: await source(join(folder, `${client}.ts`)),
  });
  // Its generator's style is not ours to judge, nor are the libraries that it uses.
  const lenient = { noUnusedLocals: false, noUnusedParameters: false, skipLibCheck: true, jsx: 'preserve' };
  const lax = {
    exactOptionalPropertyTypes: false,
    noPropertyAccessFromIndexSignature: false,
    lib: ['ES2023', 'DOM', 'DOM.Iterable'],
  };
  const modules = { module: 'ESNext', moduleResolution: 'bundler' };
  await typeCheck(consumer, 'typescript', { ...modules, ...lenient, ...lax }, [`${client}.ts`]);
  await build({
    ...{
      entryPoints: [join(consumer.folder, `${client}.ts`)],
      outfile: join(consumer.folder, `${client}.mjs`),
    },
    ...{ bundle: true, format: 'esm', platform: 'node', nodePaths: [TOOLS], logLevel: 'error' },
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  });
  const said = await consumer.run('env', ...variables(), process.execPath, `${client}.mjs`);
  expectDone(said, ticker);
}

/** What a client says when it has done its task. A group of the ticker's name was deleted by the client that made it. */
function expectDone(said: string, ticker: string): void {
  const done = JSON.parse(said);
  expect(done).toEqual({
    ...{ ticker, balances: BALANCES, system },
    groups: expect.arrayContaining(['Archive', 'Scouts']),
  });
  expect(done.groups).not.toContain(ticker);
  expect(system).toHaveProperty('solar_system_id');
}

const variables = () => Object.entries(env).map(([name, value]) => `${name}=${value}`);

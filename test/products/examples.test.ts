import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { letIn } from '../fixtures/registry.ts';
import { addHome } from '../fixtures/users.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { type Consumer, createConsumer, pack, ROOT, source } from './consumer.ts';

const ALLIANCE = 99_000_001;

let app: TestApp;
let consumer: Consumer;
beforeAll(async () => {
  app = await startTestApp();
  consumer = await createConsumer();
  const tarball = await pack(consumer.folder);
  await consumer.run('npm', 'install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', tarball);
});
afterAll(async () => {
  await consumer?.remove();
  await app?.stop();
});

async function example(name: string, token: string): Promise<string> {
  await consumer.write({ [name]: await source(join(ROOT, 'examples', name)) });
  const variables = [`CASTELLAN_URL=${app.url}`, `CASTELLAN_TOKEN=${token}`];
  return consumer.run('env', ...variables, process.execPath, name);
}

it('lost-access.mjs lists who lost access, and says what a refusal is about', async () => {
  await letIn(app, { alliances: [ALLIANCE] });
  await addHome(app);
  const { world } = app.provider;
  const [, character = 0] = world.membersOf(world.alliance(ALLIANCE)?.executorCorporationId ?? 0);
  const { user } = await app.signIn(character);
  expect(await example('lost-access.mjs', app.root)).not.toContain(user.character_name);

  const body = { mandatory_ext_scopes: ['ext-mail.read_mail.v1' as const] };
  await app.client(app.root).alliance.update({ params: { alliance_id: ALLIANCE }, body });
  expect(await example('lost-access.mjs', app.root)).toContain(
    `  ${user.character_name}: no token with every scope\n`,
  );
  await expect(example('lost-access.mjs', 'no.token')).rejects.toThrow(/401: .+ \(request [\w-]+\)/);
});

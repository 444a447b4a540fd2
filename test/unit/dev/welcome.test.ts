import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startWelcome } from '../../../dev/welcome.ts';
import { startTestApp, type TestApp } from '../../harness/app.ts';

let app: TestApp;
let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'castellan-welcome-'));
  app = await startTestApp({ env: { DATA_DIR: dataDir, PORT: '0' } });
});
afterEach(async () => {
  await app.stop();
  await rm(dataDir, { recursive: true });
});

async function welcome(): Promise<void> {
  const { stop } = await startWelcome(app.app.services, app.provider);
  await stop();
}

async function coalitions() {
  const answer = await app.client(app.root).coalition.list();
  return answer.status === 200 ? answer.body : [];
}

describe('the development start', () => {
  it('lets the simulated alliances in as the API would: autogroups exist before the first sign-in', async () => {
    await welcome();
    const root = app.client(app.root);
    const [first] = await coalitions();
    const coalition = await root.coalition.get({ params: { coalition_id: first?.coalition_id ?? '' } });
    const alliances = app.provider.world.alliances.map(({ id, name }) => ({
      alliance_id: id,
      alliance_name: name,
    }));
    expect(coalition.body).toMatchObject({
      coalition_name: 'First Coalition',
      ticker: 'FIRST',
      authorized_to_login: true,
      member_alliances: expect.arrayContaining(alliances),
    });
    const groups = await root.group.list();
    const names = groups.status === 200 ? groups.body.map(({ group_name }) => group_name) : [];
    expect(names).toEqual(
      expect.arrayContaining(['First Coalition', ...alliances.map((alliance) => alliance.alliance_name)]),
    );
  });

  it('does so only once, so that later changes of an operator stay', async () => {
    const root = app.client(app.root);
    await root.coalition.create({ body: { coalition_name: 'Own', ticker: 'OWN' } });
    await welcome();
    expect(await coalitions()).toMatchObject([{ coalition_name: 'Own' }]);
  });
});

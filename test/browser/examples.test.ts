import { readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Castellan, createCastellan } from '../../sdk/src/index.ts';
import { type Browser, launchChromium } from '../harness/chromium.ts';
import { build, createInstance, type Instance, ROOT } from '../harness/instance.ts';
import { type Consumer, createConsumer, pack } from '../products/consumer.ts';

let instance: Instance;
let castellan: Castellan;
let token: string;
let consumer: Consumer;
let browser: Browser;
beforeAll(async () => {
  await build();
  instance = await createInstance();
  ({ token } = await instance.serve());
  castellan = createCastellan({ baseUrl: instance.url, token });
  consumer = await createConsumer();
  const tarball = await pack(consumer.folder);
  await consumer.run('npm', 'install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', tarball);
  await consumer.borrow(join(ROOT, 'node_modules'), 'express', 'jose');
  await symlink(join(ROOT, 'examples/browser'), join(consumer.folder, 'browser'));
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  await instance?.remove();
  await consumer?.remove();
});

it('the page says who signs in, and the back end shows its plan to the group alone', async () => {
  // Service, provider and demo application have the first three ports of the instance.
  const port = instance.port + 3;
  const page = `http://127.0.0.1:${port}/`;
  const { tkn } = await castellan.token.createDynamic({ body: { callback: page } });
  const { group_id } = await castellan.group.create({ body: { group_name: 'Keepers of the plan' } });
  await consumer.write({ 'server.mjs': await readFile(join(ROOT, 'examples/express/server.mjs'), 'utf8') });
  const server = instance.start([process.execPath, join(consumer.folder, 'server.mjs')], {
    ...{ CASTELLAN_URL: instance.url, CASTELLAN_APP_TOKEN: tkn, CASTELLAN_TOKEN: token, GROUP_ID: group_id },
    ...{ PAGE: join(consumer.folder, 'browser'), PORT: String(port) },
  });
  await server.printed(/^http:/);

  const tab = await browser.open();
  await tab.page.goto(page);
  await tab.page.getByText('Nobody.').waitFor();
  await tab.page.getByRole('button', { name: 'Sign in' }).click();
  await tab.page.getByRole('heading', { name: 'Choose a character' }).waitFor();
  const members = tab.page.getByRole('listitem').filter({ hasNotText: 'No alliance' });
  const somebody = members.locator('button[name=character_id]').first();
  const name = await somebody.innerText();
  await somebody.click();
  await tab.page.getByText(new RegExp(`^You are .*${name}\\.$`)).waitFor();
  await tab.page.getByText('You may not do this.').waitFor();
  expect(tab.page.url()).toBe(page);

  await castellan.group.update({ params: { group_id }, body: { add_members: [name] } });
  await tab.page.reload();
  await tab.page.getByText(`${name}, we hold the gate.`).waitFor();

  await tab.page.getByRole('button', { name: 'Sign out' }).click();
  await tab.page.getByText('Nobody.').waitFor();
  await tab.page.goto(`${page}?user_token=somebody.elses.token&state_code=begun-elsewhere`);
  await tab.page.getByText('This sign-in was not begun in this browser; begin again.').waitFor();
  expect(tab.complaints.filter((text) => !/status of 40[13]/.test(text))).toEqual([]);
});

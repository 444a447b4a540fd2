import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ok } from '../../../sdk/src/index.ts';
import { ADMINISTRATOR, button, focused, open, operator, PILOT, page, tab, tokenOf } from './stage.ts';

describe('a dialog gives the focus back to what it was opened by', () => {
  let administrator: string;
  let params: { group_id: string };
  const question = () => page.getByRole('dialog', { name: 'Before this is saved' });
  const dialog = () => page.getByRole('dialog', { name: 'Add members' });
  beforeAll(async () => {
    administrator = await tokenOf(ADMINISTRATOR);
    await tokenOf(PILOT);
    params = await ok(operator.group.create({ body: { group_name: 'In focus', description: '' } }));
    await ok(operator.group.update({ params, body: { authorized_to_login: false } }));
  });
  afterAll(() => operator.group.delete({ params }));
  const asks = async () => {
    await question().getByRole('button', { name: 'Save all the same' }).and(focused()).waitFor();
  };

  it('D121: a question about what was tried first, when it is left', async () => {
    await page.route(/dry_run=true/, (route) =>
      route.fulfill({
        json: {
          changes: [
            {
              about: 'login',
              effect: 'lost',
              group: null,
              from_level: null,
              to_level: null,
              count: 1,
              users: [],
            },
          ],
        },
      }),
    );
    await open(`/group/${params.group_id}`, administrator);
    const login = page.getByRole('region', { name: 'Logging in' });
    await login.getByText('Let in', { exact: true }).click();
    const save = login.getByRole('button', { name: 'Save' });
    await save.press('Enter');
    await asks();
    await page.keyboard.press('Escape');
    await question().waitFor({ state: 'detached' });
    await save.and(focused()).waitFor();
    await save.press('Enter');
    await asks();
    await question().getByRole('button', { name: 'Leave it' }).press('Enter');
    await question().waitFor({ state: 'detached' });
    await save.and(focused()).waitFor();
    expect(tab.complaints).toEqual([]);
  });

  it('D121: a question over another dialog, so that Tab goes on in that one', async () => {
    const { character_name } = await ok(operator.user.get({ params: { character_name: String(PILOT) } }));
    await open(`/group/${params.group_id}`, administrator);
    await button('Add members').press('Enter');
    await dialog().getByLabel('Names').fill(character_name);
    const add = dialog().getByRole('button', { name: 'Add 1 member' });
    await add.press('Enter');
    await asks();
    await page.keyboard.press('Escape');
    await question().waitFor({ state: 'detached' });
    await add.and(focused()).waitFor();
    for (let press = 0; press < 4; press++) {
      await page.keyboard.press('Tab');
      await dialog().locator(':focus').waitFor();
    }
    expect(tab.complaints).toEqual([]);
  });

  it('a dialog whose contents had to be loaded first: it begins at its first field', async () => {
    await open(`/group/${params.group_id}`, administrator);
    await page.route(/\/user$/, async (route) => {
      await dialog().getByRole('button', { name: 'Close' }).and(focused()).waitFor();
      await route.continue();
    });
    await Promise.all([page.waitForRequest(/\/user$/), button('Add members').press('Enter')]);
    await dialog().getByLabel('Names').and(focused()).waitFor();
    expect(tab.complaints).toEqual([]);
  });

  it('the palette over another dialog', async () => {
    await open(`/group/${params.group_id}`, administrator);
    await button('Add members').press('Enter');
    const names = dialog().getByLabel('Names');
    await names.focus();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').and(focused()).waitFor();
    await page.keyboard.press('Escape');
    await names.and(focused()).waitFor();
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    await button('Add members').and(focused()).waitFor();
    expect(tab.complaints).toEqual([]);
  });

  it('a key for one dialog closes no other: the palette, used before the dialog was there', async () => {
    await open(`/group/${params.group_id}`, administrator);
    await button('Add members').waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').and(focused()).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('combobox').waitFor({ state: 'detached' });
    await button('Add members').press('Enter');
    const names = dialog().getByLabel('Names');
    await names.and(focused()).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').and(focused()).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('combobox').waitFor({ state: 'detached' });
    await names.and(focused()).waitFor();
    expect(tab.complaints).toEqual([]);
  });

  it('a key for one dialog closes no other: Escape at the moment when the palette has the focus', async () => {
    await open(`/group/${params.group_id}`, administrator);
    await button('Add members').press('Enter');
    const names = dialog().getByLabel('Names');
    await names.and(focused()).waitFor();
    await page.evaluate(`addEventListener('focusin', function press({ target }) {
      if (target.role !== 'combobox') return;
      removeEventListener('focusin', press);
      target.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
    })`);
    await page.keyboard.press('Control+k');
    await names.and(focused()).waitFor();
    await page.getByRole('combobox').waitFor({ state: 'detached' });
    expect(tab.complaints).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import { ok } from '../../../sdk/src/index.ts';
import { PHONE } from '../../harness/chromium.ts';
import {
  button,
  heading,
  open,
  operator,
  PILOT,
  page,
  settled,
  signInAsAdministrator,
  tab,
  tabTo,
  tokenOf,
} from './stage.ts';

const focused = () => page.locator(':focus');

describe('by the keyboard alone', () => {
  it('the palette finds a screen and a person, and a group is made and changed', async () => {
    await signInAsAdministrator();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').and(focused()).waitFor();
    await page.keyboard.type('gro');
    await page.getByRole('option', { name: 'Groups' }).waitFor();
    await page.keyboard.press('Enter');
    await heading('Groups').and(focused()).waitFor();

    await tabTo('New group');
    await page.keyboard.press('Enter');
    await page.getByLabel('Name').and(focused()).waitFor();
    await page.keyboard.press('Escape');
    await button('New group').and(focused()).waitFor();
    await page.keyboard.press('Enter');
    await page.getByLabel('Name').and(focused()).waitFor();
    await page.keyboard.type('By keyboard');
    await page.keyboard.press('Enter');
    await heading('By keyboard').waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await heading('By keyboard').and(focused()).waitFor();

    await page.keyboard.press('/');
    const { ceo } = await ok(operator.alliance.get({ params: { alliance_id: 99000001 } }));
    await page.getByRole('combobox').and(focused()).waitFor();
    await page.keyboard.type(ceo.character_name);
    await page.getByRole('option', { name: ceo.character_name }).waitFor();
    await page.keyboard.press('Enter');
    await heading(ceo.character_name).and(focused()).waitFor();
    expect(tab.complaints).toEqual([]);
  });

  it('on a phone the links of the menu are there when it is open, and not before', async () => {
    await page.setViewportSize(PHONE);
    await open('/', await tokenOf(PILOT));
    await settled();
    const links = page.getByRole('navigation').getByRole('link');
    expect(await links.count()).toBe(0);
    await button('Menu').click();
    await links.filter({ hasText: 'Groups' }).click();
    await heading('Groups').and(focused()).waitFor();
    await links.first().waitFor({ state: 'hidden' });
  });
});

import { describe, expect, it } from 'vitest';
import { ok } from '../../../sdk/src/index.ts';
import { heading, operator, page, signInAsAdministrator, tab, tabTo } from './stage.ts';

describe('by the keyboard alone', () => {
  it('the palette finds a screen and a person, and a group is made and changed', async () => {
    await signInAsAdministrator();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').and(page.locator(':focus')).waitFor();
    await page.keyboard.type('gro');
    await page.getByRole('option', { name: 'Groups' }).waitFor();
    await page.keyboard.press('Enter');
    await heading('Groups').waitFor();

    await tabTo('New group');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.getByLabel('Name').and(page.locator(':focus')).waitFor();
    await page.keyboard.type('By keyboard');
    await page.keyboard.press('Enter');
    await heading('By keyboard').waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    await page.keyboard.press('/');
    const { ceo } = await ok(operator.alliance.get({ params: { alliance_id: 99000001 } }));
    await page.getByRole('combobox').and(page.locator(':focus')).waitFor();
    await page.keyboard.type(ceo.character_name);
    await page.getByRole('option', { name: ceo.character_name }).waitFor();
    await page.keyboard.press('Enter');
    await heading(ceo.character_name).waitFor();
    expect(tab.complaints).toEqual([]);
  });
});

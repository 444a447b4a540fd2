import { beforeAll, describe, expect, it } from 'vitest';
import { ok } from '../../../sdk/src/index.ts';
import { PHONE } from '../../harness/chromium.ts';
import { outOfReach, pressAll } from './by-tab.ts';
import {
  ADMINISTRATOR,
  at,
  become,
  button,
  focused,
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
import { go, PLACES } from './walk.ts';

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

  it('a tab is chosen by the arrows, a choice too, and the policy is saved', async () => {
    const group = await ok(operator.group.create({ body: { group_name: 'By arrows', description: '' } }));
    const params = { group_id: group.group_id };
    await open(`/group/${group.group_id}`, await tokenOf(ADMINISTRATOR));
    await page.getByRole('tab', { name: 'Members' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('tab', { name: 'Joining', selected: true }).and(focused()).waitFor();
    await settled();
    await tabTo('Joining', 'combobox');
    await page.keyboard.press('Enter');
    const choice = page.getByRole('option', { name: /^Open/ });
    await choice.waitFor();
    for (let press = 0; press < 5 && (await choice.getAttribute('data-combobox-selected')) === null; press++)
      await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await tabTo('Save policy');
    await page.keyboard.press('Enter');
    await page.getByText('The policy is saved.').waitFor();
    expect(await ok(operator.group.policy({ params }))).toMatchObject({ joining: 'open' });
    expect(tab.complaints).toEqual([]);
    await ok(operator.group.delete({ params }));
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

  it('the menu of a phone, open, has nothing out of reach', async () => {
    await page.setViewportSize(PHONE);
    await open('/', await tokenOf(PILOT));
    await settled();
    await button('Menu').press('Enter');
    await page.getByRole('navigation').getByRole('link').first().waitFor();
    expect(await outOfReach()).toEqual([]);
  });
});

describe('all that can be pressed, chosen or filled in can be so by the keyboard alone', () => {
  let administrator: string;
  beforeAll(async () => {
    administrator = await tokenOf(ADMINISTRATOR);
  });

  it('for whoever is not signed in', async () => {
    await page.goto(at('/'));
    await button('Sign in with the game').waitFor();
    expect(await outOfReach()).toEqual([]);
  });

  it.each(PLACES)('Tab and the arrows reach everything: $name', async (place) => {
    await become(administrator);
    await go(place);
    expect(await outOfReach()).toEqual([]);
  });

  it.each(PLACES)(
    'every button answers to Enter, and its dialog gives the focus back: $name',
    async (place) => {
      await become(administrator);
      expect(await pressAll(place)).toEqual([]);
    },
  );
});

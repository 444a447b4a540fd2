import { describe, expect, it } from 'vitest';
import { ok } from '../../../sdk/src/index.ts';
import { button, heading, message, operator, page, tab } from './stage.ts';

describe('a newcomer with the printed address alone, by the mouse', () => {
  it('lets an alliance sign in, gives a pilot level 2 and makes a group, in under two minutes', async () => {
    const began = performance.now();
    await page.goto(/Console\s+(http:\/\/\S+)/.exec(message)?.[1] ?? 'no address');
    await button('Sign in with the game').click();
    const marked = page.getByRole('listitem').filter({ hasText: 'Administrator here' });
    await marked.getByRole('button').click();
    await page.getByText('three steps').waitFor();

    const main = page.getByRole('main');
    await main.getByRole('link', { name: 'Registry' }).click();
    await button('Register alliance').click();
    await page.getByLabel('Alliance id').fill('99000001');
    await page.getByRole('dialog').getByRole('button', { name: 'Register alliance' }).click();
    const alliance = await ok(operator.alliance.get({ params: { alliance_id: 99000001 } }));
    const { ceo } = alliance;
    await heading(alliance.alliance_name).waitFor();
    await page.getByRole('navigation').getByRole('link', { name: 'Registry' }).click();
    await page.getByRole('tab', { name: 'Coalitions' }).click();
    await button('New coalition').click();
    await page.getByLabel('Name').fill('Northern Pact');
    await page.getByLabel('Ticker').fill('NP');
    await page.getByRole('dialog').getByRole('button', { name: 'New coalition' }).click();
    await heading('Northern Pact').waitFor();
    await page.getByRole('combobox', { name: 'Alliance or corporation to add' }).click();
    await page.getByRole('option', { name: alliance.alliance_name }).click();
    await button('Add').click();
    await page.getByText('The members are saved.').waitFor();
    await page.getByText('Lets its members in').waitFor();

    await page.getByRole('navigation').getByRole('link', { name: 'Users' }).click();
    await page.getByRole('searchbox').fill(ceo.character_name);
    await page.getByRole('link', { name: ceo.character_name }).click();
    await heading(ceo.character_name).waitFor();
    await page.getByRole('combobox', { name: 'New level' }).click();
    await page.getByRole('option', { name: /^2:/ }).click();
    await button('Set level').click();
    // A CEO's level comes with the office: what it takes is shown first (D121).
    await page.getByText('1 person from level 4 to 2').waitFor();
    await button('Save all the same').click();
    await page.getByText('Level 2', { exact: true }).waitFor();

    await page.getByRole('navigation').getByRole('link', { name: 'Groups' }).click();
    await button('New group').click();
    await page.getByLabel('Name').fill('Fleet commanders');
    await page.getByRole('dialog').getByRole('button', { name: 'New group' }).click();
    await heading('Fleet commanders').waitFor();
    await button('Add members').click();
    await page.getByLabel('Names').fill(`${ceo.character_name.toUpperCase()}\nNobody of that name`);
    await page.getByText('1 name is not known here').waitFor();
    await button('Add 1 member').click();
    await page.getByText('1 added.').waitFor();
    expect(performance.now() - began).toBeLessThan(120_000);

    const { clearance_level } = await ok(
      operator.user.get({ params: { character_name: ceo.character_name } }),
    );
    const groups = await ok(operator.group.list());
    const commanders = groups.find(({ group_name }) => group_name === 'Fleet commanders');
    const group = await ok(operator.group.get({ params: { group_id: commanders?.group_id ?? '' } }));
    expect(clearance_level).toBe(2);
    expect(group.members).toContainEqual(ceo);
    expect(tab.complaints).toEqual([]);
    expect(new Set(tab.requested.map(({ host }) => host)).size).toBe(2);
  });
});

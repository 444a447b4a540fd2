import { describe, expect, it, onTestFinished } from 'vitest';
import { ok } from '../../../sdk/src/index.ts';
import { violations } from '../../harness/axe.ts';
import { at, button, operator, PILOT, page, signIn, signInAsAdministrator, tab } from './stage.ts';

describe('reasons and previews', () => {
  it('D120: “Why?” beside one’s level says what decides, in the words of the API', async () => {
    await signIn(PILOT);
    const request = { params: { character: String(PILOT) }, query: { about: 'level' } };
    const { sentence } = await ok(operator.user.why(request));
    await button('Why this level?').click();
    await page.getByRole('dialog').getByText(sentence).waitFor();
    expect(await violations(page)).toEqual([]);
    await tab.screenshot('console-why');
    expect(tab.complaints).toEqual([]);
  });

  it('D120: beside each fact stands whose it is', async () => {
    await signIn(PILOT);
    const request = { params: { character: String(PILOT) }, query: { about: 'login' } };
    const { facts } = await ok(operator.user.why(request));
    await button('Why let in?').click();
    const shown = page.getByRole('dialog').getByRole('listitem');
    await shown.first().waitFor();
    const told = await shown.allInnerTexts();
    expect(told).toHaveLength(facts.length);
    expect(facts[0]?.source).toMatchObject({ type: 'coalition', name: 'First Coalition' });
    expect(told[0]).toContain('Coalition First Coalition: Lets its members in.');
    expect(tab.complaints).toEqual([]);
  });

  it('D121: who would lose access is shown before it is saved, and nothing is saved that is left', async () => {
    const params = { coalition_id: await firstCoalition() };
    onTestFinished(async () => {
      await ok(operator.coalition.update({ params, body: { authorized_to_login: true } }));
    });
    await signInAsAdministrator();
    await page.goto(at(`/coalition/${params.coalition_id}`));
    const login = page.getByRole('region', { name: 'Logging in' });
    await login.getByText('Keep out', { exact: true }).click();
    await login.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('may not log in any more').first().waitFor();
    expect(await violations(page)).toEqual([]);
    await tab.screenshot('console-preview');
    await dialog.getByRole('button', { name: 'Leave it' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect((await ok(operator.coalition.get({ params }))).authorized_to_login).toBe(true);
    await login.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('button', { name: 'Save all the same' }).click();
    await page.getByText('Keeps its members out').waitFor();
    await dialog.waitFor({ state: 'detached' });
    expect((await ok(operator.coalition.get({ params }))).authorized_to_login).toBe(false);
    expect(tab.complaints).toEqual([]);
  });
});

async function firstCoalition(): Promise<string> {
  const coalitions = await ok(operator.coalition.list());
  const first = coalitions.find(({ coalition_name }) => coalition_name === 'First Coalition');
  return first?.coalition_id ?? '';
}

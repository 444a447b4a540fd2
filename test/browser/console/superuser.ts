import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ok } from '../../../sdk/src/index.ts';
import { outOfReach, pressAll } from './by-tab.ts';
import {
  become,
  button,
  focused,
  goToPart,
  OFFICER,
  open,
  openLive,
  operator,
  page,
  settled,
  tab,
  tokenOf,
} from './stage.ts';
import { faultsOf, go, PLACES_OF_SUPERUSERS, TWO_LOOKS } from './walk.ts';

describe('what level 10 alone sees', () => {
  const params = { character_id: OFFICER };
  let superuser: string;
  beforeAll(async () => {
    superuser = await tokenOf(OFFICER);
    await operator.user.update({ params, body: { clearance_level: 10 } });
  });
  afterAll(() => operator.user.update({ params, body: { clearance_level: 0 } }));

  it.each(PLACES_OF_SUPERUSERS)('no barrier, no complaint, nothing out of reach: $name', async (place) => {
    await become(superuser);
    await go(place);
    expect(await faultsOf(place.name, TWO_LOOKS)).toEqual([]);
    expect(await outOfReach()).toEqual([]);
    expect(tab.complaints).toEqual([]);
  });

  it('D4: a permanent token that is refused ends no session, and loses nothing that was filled in', async () => {
    await open('/applications', superuser);
    await goToPart('Application tokens');
    await button('New dynamic token').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Callback').fill('https://wiki.example/signed-in');
    // A token, but none that makes tokens.
    await dialog.getByLabel('Your permanent token').fill(superuser);
    await dialog.getByRole('button', { name: 'New dynamic token' }).click();
    await dialog.getByRole('alert').getByText('Unauthorized').waitFor();
    expect(await dialog.getByLabel('Callback').inputValue()).toBe('https://wiki.example/signed-in');
    expect(await page.evaluate('localStorage.getItem("castellan.user-token")')).toBe(superuser);
  });

  it('a part that goes with the level, while it is open, leaves the first one open', async () => {
    await openLive('/system', superuser);
    await goToPart('Jobs');
    await settled();
    onTestFinished(async () => {
      await ok(operator.user.update({ params, body: { clearance_level: 10 } }));
    });
    await ok(operator.user.update({ params, body: { clearance_level: 9 } }));
    await page.getByRole('tab', { name: 'State', selected: true }).waitFor();
    await page.getByRole('tabpanel').getByText('Members, guests').waitFor();
  });

  it('every job can be run and tried by the keyboard alone', async () => {
    await become(superuser);
    const [jobs] = PLACES_OF_SUPERUSERS;
    if (jobs === undefined) throw new Error('there are no jobs');
    expect(await pressAll(jobs)).toEqual([]);
  });

  it('Escape closes a question, and not the dialog that it was asked in', async () => {
    await open('/system', superuser);
    await page.getByRole('tab', { name: 'Jobs' }).click();
    await button('What would it change? Judge memberships').press('Enter');
    const outer = page.getByRole('dialog', { name: 'What Judge memberships would change' });
    await outer.getByRole('button', { name: 'Let it through' }).press('Enter');
    const inner = page.getByRole('dialog', { name: 'Let it through' });
    await inner.getByRole('button', { name: 'Let it through' }).and(focused()).waitFor();
    await page.keyboard.press('Escape');
    await inner.waitFor({ state: 'detached' });
    await outer.getByRole('button', { name: 'Let it through' }).and(focused()).waitFor();
    await page.keyboard.press('Escape');
    await outer.waitFor({ state: 'detached' });
    await button('What would it change? Judge memberships').and(focused()).waitFor();
  });

  it('D121: what a job would change is looked at before it runs', async () => {
    await open('/system', superuser);
    await page.getByRole('tab', { name: 'Jobs' }).click();
    await page.getByRole('button', { name: 'What would it change? Judge memberships' }).click();
    const dialog = page.getByRole('dialog', { name: 'What Judge memberships would change' });
    await dialog.getByText(/^\d+ changes?$/).waitFor();
    await dialog.getByRole('button', { name: 'Run now' }).click();
    await page.getByText('Judge memberships begins.').waitFor();
    await dialog.waitFor({ state: 'detached' });
    expect(tab.complaints).toEqual([]);
  });
});

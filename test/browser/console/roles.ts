import { describe, expect, it } from 'vitest';
import { ok } from '../../../sdk/src/index.ts';
import {
  at,
  button,
  heading,
  OFFICER,
  open,
  operator,
  PILOT,
  page,
  STRANGER,
  tab,
  tokenOf,
} from './stage.ts';
import { ALL_LOOKS, faultsOf, go, type Place, places, TWO_LOOKS } from './walk.ts';

/** What only those may press who own a group, or have a level. */
const FOR_OTHERS = /^(New|Register|Delete|Edit|Add$|Add members|Remove|Save|Set level|Invite|Approve|Reject)/;

/** What administrators alone find in the menu. */
const NOT_FOR_PILOTS = ['audit', 'applications', 'system'];
const OF_OFFICERS = ['alliance', 'corporation', 'corporation-days', 'user', 'audit'];

async function faultsAt(those: readonly Place[], role: string): Promise<string[]> {
  const faults: string[] = [];
  for (const place of those) {
    await go(place);
    faults.push(...(await faultsOf(`${place.name}-${role}`, TWO_LOOKS)));
  }
  return faults;
}

describe('the same screens, as others see them', () => {
  it('a pilot of level 0: no barrier, no complaint, and no button that he may not press', async () => {
    await open('/', await tokenOf(PILOT));
    const those = (await places()).filter(({ name }) => !NOT_FOR_PILOTS.includes(name));
    const faults: string[] = [];
    for (const place of those) {
      faults.push(...(await faultsAt([place], 'pilot')));
      const found = page.getByRole('button', { name: FOR_OTHERS });
      expect(await found.count(), place.name).toBe(0);
    }
    expect(faults).toEqual([]);
    expect(tab.complaints).toEqual([]);
  });

  it('an officer of level 4: what he reads and changes of the alliance, and nothing of administrators', async () => {
    const token = await tokenOf(OFFICER);
    await ok(operator.user.update({ params: { character_id: OFFICER }, body: { clearance_level: 4 } }));
    await open('/', token);
    const those = (await places()).filter(({ name }) => OF_OFFICERS.includes(name));
    expect(await faultsAt(those, 'officer')).toEqual([]);
    await go({ name: 'alliance', path: '/alliance/99000001' });
    await button('Save').waitFor();
    expect(await page.getByRole('navigation').getByRole('link', { name: 'System' }).count()).toBe(0);
    expect(tab.complaints).toEqual([]);
  });

  it('D28: a guest, invited by a link, is told that there is nothing to see, and can sign out', async () => {
    const invited = await ok(
      operator.corporation.createGuestCode({ params: { corporation_id: 98_000_001 } }),
    );
    await page.goto(at(`/invitation/${invited.state_code}`));
    await button('Sign in with the game').click();
    await page.getByRole('searchbox').fill(STRANGER.name);
    await page.getByRole('button', { name: 'Search' }).click();
    await page.locator(`button[name=character_id][value="${STRANGER.id}"]`).click();
    await heading('You are a guest').waitFor();
    expect(await faultsOf('guest', ALL_LOOKS)).toEqual([]);
    await page.keyboard.press('Tab');
    await button('Sign out').click();
    await button('Sign in with the game').waitFor();
    // What the service answers a guest is a 403, which the browser writes to its console; nothing else is.
    expect(tab.complaints.filter((each) => !each.includes('403'))).toEqual([]);
  });
});

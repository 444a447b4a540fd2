import { describe, expect, it } from 'vitest';
import { at, button, page, signInAsAdministrator, tab } from './stage.ts';
import { ALL_LOOKS, faultsOf, go, places } from './walk.ts';

describe('every screen', () => {
  it('on a phone and at a desk, light and dark, as administrator: no barrier, no complaint, nothing sticks out', async () => {
    await page.goto(at('/'));
    await button('Sign in with the game').waitFor();
    const faults = await faultsOf('sign-in', ALL_LOOKS);
    await signInAsAdministrator();
    for (const place of await places()) {
      await go(place);
      faults.push(...(await faultsOf(place.name, ALL_LOOKS)));
    }
    expect(faults).toEqual([]);
    expect(tab.complaints).toEqual([]);
  });
});

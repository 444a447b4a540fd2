import { beforeAll, describe, expect, it } from 'vitest';
import { ADMINISTRATOR, at, become, button, page, tab, tokenOf } from './stage.ts';
import { ALL_LOOKS, faultsOf, go, PLACES, TWO_LOOKS } from './walk.ts';

describe('on a phone and at a desk, light and dark: no barrier, no complaint, nothing sticks out', () => {
  let administrator: string;
  beforeAll(async () => {
    administrator = await tokenOf(ADMINISTRATOR);
  });

  it('for whoever is not signed in', async () => {
    await page.goto(at('/'));
    await button('Sign in with the game').waitFor();
    expect(await faultsOf('sign-in', ALL_LOOKS)).toEqual([]);
    expect(tab.complaints).toEqual([]);
  });

  it.each(PLACES)('for an administrator: $name', async (place) => {
    await become(administrator);
    await go(place);
    // Parts are made of what whole screens are made of.
    expect(await faultsOf(place.name, place.part === undefined ? ALL_LOOKS : TWO_LOOKS)).toEqual([]);
    expect(tab.complaints).toEqual([]);
  });
});

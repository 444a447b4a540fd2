import { describe, expect, it } from 'vitest';
import { ok } from '../../../sdk/src/index.ts';
import { PHONE } from '../../harness/chromium.ts';
import {
  at,
  button,
  HOSTILE,
  instance,
  OTHER,
  open,
  operator,
  overflow,
  PILOT,
  page,
  settled,
  signInAsAdministrator,
  tab,
  tokenOf,
} from './stage.ts';
import { go, PLACES } from './walk.ts';

/** Fields that hold what people wrote, wherever they stand in an answer. */
const WRITTEN = /"(\w*name|ticker|description|message|reason|note|title)":"(?:[^"\\]|\\.)*"/g;
/** The service lets nobody have an empty name; the console draws it all the same. */
const SHOWN = [...HOSTILE, ''];

describe('hostile names', () => {
  it('that the service lets people choose run nothing and break no layout in any list', async () => {
    for (const group_name of HOSTILE) {
      await ok(operator.group.create({ body: { group_name, description: group_name } }));
      const ticker = group_name.slice(0, 10);
      await ok(operator.coalition.create({ body: { coalition_name: group_name, ticker } }));
    }
    await page.setViewportSize(PHONE);
    await signInAsAdministrator();
    for (const [path, part] of [
      ['/groups', 'All'],
      ['/registry', 'Coalitions'],
    ] as const) {
      await go({ name: part, path: () => path, part });
      await page.getByRole('searchbox').fill('onerror');
      await page.getByText('onerror').first().waitFor();
      expect(await overflow(), path).toBe(0);
    }
    await tab.screenshot('console-hostile-names');
    expect(await page.evaluate('window.taken')).toBeUndefined();
    expect(tab.complaints).toEqual([]);
  });

  it('D70: a character named with the digits of another’s id is not shown in its place', async () => {
    const taker = await ok(operator.user.get({ params: { character_name: String(OTHER) } }));
    await page.route(`${instance.url}/user/${PILOT}`, (route) =>
      route.fulfill({ json: { ...taker, character_name: String(PILOT) } }),
    );
    await open('/', await tokenOf(PILOT));
    const said = `Another character is named ${PILOT}`;
    for (const part of ['What is missing', 'My groups']) {
      await page.getByRole('region', { name: part }).getByText(said).waitFor();
    }
    await button('Why this level?').click();
    await page.getByRole('dialog').getByText(said).waitFor();
    await page.goto(at('/audit'));
    await page.getByRole('listitem').first().locator('summary').click();
    await page.getByText(`#${PILOT} (a user)`).first().waitFor();
    await page.goto(at(`/user/${PILOT}`));
    await page.getByRole('alert').getByText(said).waitFor();
  });

  it('in every field of every answer run nothing and break no layout on any screen', async () => {
    await page.setViewportSize(PHONE);
    await signInAsAdministrator();
    let turn = 0;
    await page.route(
      // What is waited for would still be on its way at the end.
      ({ pathname }) => !pathname.startsWith('/console/') && pathname !== '/event',
      async (route) => {
        const response = await route.fetch();
        const text = await response.text();
        const body = text.replace(WRITTEN, (_, field: string) => {
          turn += 1;
          return `"${field}":${JSON.stringify(SHOWN[turn % SHOWN.length])}`;
        });
        await route.fulfill({ response, body });
      },
    );
    for (const place of PLACES) {
      await go(place);
      expect(await overflow(), place.name).toBe(0);
    }
    await page.goto(at('/groups'));
    await settled();
    await page.keyboard.press('/');
    await page.getByRole('combobox').fill('onerror');
    await page.getByRole('option').filter({ hasText: 'onerror' }).first().waitFor();
    expect(await overflow()).toBe(0);
    await tab.screenshot('console-hostile-screens');
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    expect(turn).toBeGreaterThan(100);
    expect(await page.evaluate('window.taken')).toBeUndefined();
    expect(tab.complaints).toEqual([]);
  });
});

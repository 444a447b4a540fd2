import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient, ok } from '../../../sdk/src/index.ts';
import {
  at,
  become,
  button,
  heading,
  instance,
  MODERATOR,
  OFFICER,
  operator,
  PILOT,
  page,
  STRANGER,
  tab,
  tokenOf,
} from './stage.ts';
import { DESK_DARK, faultsOf, go, PHONE_LIGHT, PLACES, TWO_LOOKS } from './walk.ts';

/** What only those may press who own a group, or have a level. */
const FOR_OTHERS = /^(New|Register|Delete|Edit|Add$|Add members|Remove|Save|Set level|Invite|Approve|Reject)/;

/** What level 0 is not offered. */
const NOT_FOR_PILOTS = [
  ...['corporation-days', 'user-then', 'audit'],
  ...['applications', 'webhooks', 'system', 'held'],
];
const OF_PILOTS = PLACES.filter(({ name }) => !NOT_FOR_PILOTS.includes(name));
/** What a moderator may press besides. */
const FOR_DECIDING = /^(Approve|Reject)/;
const OF_OFFICERS = ['alliance', 'corporation', 'corporation-days', 'user', 'audit'];

describe('the same screens, as others see them', () => {
  let pilot: string;
  let officer: string;
  let moderator: string;
  let group_id: string;
  beforeAll(async () => {
    pilot = await tokenOf(PILOT);
    officer = await tokenOf(OFFICER);
    moderator = await tokenOf(MODERATOR);
    const made = await ok(operator.group.create({ body: { group_name: 'Watchers', description: '' } }));
    group_id = made.group_id;
    const body = { joining: 'application' as const, moderators: { users: [MODERATOR], groups: [] } };
    await ok(operator.group.setPolicy({ params: { group_id }, body }));
    const applicant = createClient({ baseUrl: instance.url, token: pilot });
    await ok(applicant.group.apply({ params: { group_id }, body: { message: 'Let me watch.' } }));
    await ok(operator.user.update({ params: { character_id: OFFICER }, body: { clearance_level: 4 } }));
  });

  afterAll(() => operator.group.delete({ params: { group_id } }));

  it.each(OF_PILOTS)(
    'a pilot of level 0: no barrier, no complaint, and no button that he may not press: $name',
    async (place) => {
      await become(pilot);
      await go(place);
      expect(await faultsOf(`${place.name}-pilot`, PHONE_LIGHT)).toEqual([]);
      expect(await page.getByRole('button', { name: FOR_OTHERS }).count()).toBe(0);
      expect(tab.complaints).toEqual([]);
    },
  );

  it.each(OF_PILOTS)(
    'a moderator of level 0: no barrier, no complaint, and no button but to decide: $name',
    async (place) => {
      await become(moderator);
      await go(place);
      expect(await faultsOf(`${place.name}-moderator`, DESK_DARK)).toEqual([]);
      const pressed = await page.getByRole('button', { name: FOR_OTHERS }).allInnerTexts();
      expect(pressed.filter((each) => !FOR_DECIDING.test(each))).toEqual([]);
      if (place.name === 'inbox') await page.getByText('Let me watch.').waitFor();
      expect(tab.complaints).toEqual([]);
    },
  );

  it.each(PLACES.filter(({ name }) => OF_OFFICERS.includes(name)))(
    'an officer of level 4: no barrier, no complaint, and nothing of administrators: $name',
    async (place) => {
      await become(officer);
      await go(place);
      expect(await faultsOf(`${place.name}-officer`, TWO_LOOKS)).toEqual([]);
      expect(await page.getByRole('link', { name: 'System' }).count()).toBe(0);
      expect(tab.complaints).toEqual([]);
    },
  );

  it('D14: level 6 is told beside the field whom it may add to a coalition of its own, level 8 is not', async () => {
    const { coalition_id } = await ok(
      operator.coalition.create({ body: { coalition_name: 'Theirs', ticker: 'TH' } }),
    );
    const own = { coalition_id };
    await ok(operator.coalition.update({ params: own, body: { add_member_alliances: [99_000_001] } }));
    const setLevel = (clearance_level: number) =>
      ok(operator.user.update({ params: { character_id: OFFICER }, body: { clearance_level } }));
    await become(officer);
    for (const [level, told] of [
      [6, 1],
      [8, 0],
    ] as const) {
      await setLevel(level);
      await page.goto(at(`/coalition/${coalition_id}`));
      await page.getByRole('combobox', { name: 'Alliance or corporation to add' }).waitFor();
      expect(await page.getByText('Below level 8').count(), `level ${level}`).toBe(told);
    }
    await setLevel(4);
    await operator.coalition.delete({ params: own });
    expect(tab.complaints).toEqual([]);
  });

  it('D28: a guest, invited by a link, is told that there is nothing to see, and can sign out', async () => {
    const invited = await ok(
      operator.corporation.createGuestCode({ params: { corporation_id: 98_000_001 } }),
    );
    await page.goto(at(`/invitation#${invited.state_code}`));
    await button('Sign in with the game').click();
    await page.getByRole('searchbox').fill(STRANGER.name);
    await page.getByRole('button', { name: 'Search' }).click();
    await page.locator(`button[name=character_id][value="${STRANGER.id}"]`).click();
    await heading('You are a guest').waitFor();
    expect(await faultsOf('guest', TWO_LOOKS)).toEqual([]);
    for (const place of PLACES) {
      await go({ name: place.name, path: place.path });
      // A screen without data, such as that of an unknown address, is shown until the service has answered.
      await heading('You are a guest').waitFor();
    }
    await page.keyboard.press('Tab');
    await button('Sign out').click();
    await button('Sign in with the game').waitFor();
    // What the service answers a guest is a 403, which the browser writes to its console; nothing else is.
    expect(tab.complaints.filter((each) => !each.includes('403'))).toEqual([]);
  });
});

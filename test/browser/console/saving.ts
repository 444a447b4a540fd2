import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ok } from '../../../sdk/src/index.ts';
import { drawn } from '../../harness/axe.ts';
import {
  ADMINISTRATOR,
  button,
  countChanges,
  focused,
  heading,
  OTHER,
  open,
  openLive,
  operator,
  PILOT,
  page,
  settled,
  tab,
  tokenOf,
} from './stage.ts';

/** What a screen saves: what was chosen there, all of it, and nothing else. */
describe('what is saved', () => {
  const dialog = () => page.getByRole('dialog');
  const part = (name: string) => page.getByRole('region', { name });
  const nameOf = async (id: number) =>
    (await ok(operator.user.get({ params: { character_name: String(id) } }))).character_name;
  let administrator: string;
  let params: { group_id: string };
  beforeAll(async () => {
    administrator = await tokenOf(ADMINISTRATOR);
    await Promise.all([tokenOf(PILOT), tokenOf(OTHER)]);
    params = await ok(operator.group.create({ body: { group_name: 'Savers', description: '' } }));
    const add_members = [await nameOf(PILOT), await nameOf(OTHER)];
    await ok(operator.group.update({ params, body: { add_members } }));
  });
  afterAll(() => operator.group.delete({ params }));
  const group = () => ok(operator.group.get({ params }));

  it('D3: a login permission is chosen first and saved by a button, since it cannot be unset afterwards', async () => {
    await open(`/group/${params.group_id}`, administrator);
    const login = part('Logging in');
    await login.getByRole('radio', { name: 'Says nothing' }).focus();
    await page.keyboard.press('ArrowRight');
    await login.getByRole('button', { name: 'Take back' }).click();
    expect(await login.getByRole('radio', { name: 'Says nothing' }).isChecked()).toBe(true);
    expect((await group()).authorized_to_login).toBeNull();
    await login.getByText('Let in', { exact: true }).click();
    await login.getByRole('button', { name: 'Save' }).click();
    await login.getByText('Lets its members in').waitFor();
    await expect.poll(async () => (await group()).authorized_to_login).toBe(true);
    expect(tab.complaints).toEqual([]);
  });

  it('of a group, whose owner somebody else changes meanwhile, is the description alone', async () => {
    await openLive(`/group/${params.group_id}`, administrator);
    await button('Edit').click();
    await dialog().getByLabel('Description').fill('They save.');
    const owner = await nameOf(PILOT);
    await ok(operator.group.update({ params, body: { owner } }));
    await part('About').getByText(owner).waitFor();
    await dialog().getByRole('button', { name: 'Edit' }).click();
    await dialog().waitFor({ state: 'detached' });
    expect(await group()).toMatchObject({ description: 'They save.', owner: { character_name: owner } });
    expect(tab.complaints).toEqual([]);
  });

  it('of a group is no emptied owner: it can only be replaced, and whoever empties it is told at once', async () => {
    await open(`/group/${params.group_id}`, administrator);
    await button('Edit').click();
    await dialog().getByLabel('Owner').fill('');
    await dialog().getByRole('button', { name: 'Edit' }).click();
    await dialog().locator('input[name=owner]:invalid').waitFor();
    expect((await group()).owner).not.toBeNull();
  });

  it('of required scopes, which somebody else changes meanwhile, is what was added here, to theirs', async () => {
    const made = await ok(operator.coalition.create({ body: { coalition_name: 'Both', ticker: 'BO' } }));
    const { coalition_id } = made;
    const own = { coalition_id };
    await openLive(`/coalition/${coalition_id}`, administrator);
    const scopes = part('Required scopes');
    await scopes.getByRole('combobox', { name: 'Required of members' }).fill('read_skills');
    await page.getByRole('option', { name: 'ext-skills.read_skills.v1' }).click();
    await page.keyboard.press('Escape');
    const mandatory_ext_scopes = ['ext-mail.read_mail.v1' as const];
    await ok(operator.coalition.update({ params: own, body: { mandatory_ext_scopes } }));
    await scopes.getByText('ext-mail.read_mail.v1').waitFor();
    await scopes.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The required scopes are saved.').waitFor();
    expect((await ok(operator.coalition.get({ params: own }))).mandatory_ext_scopes).toEqual([
      'ext-mail.read_mail.v1',
      'ext-skills.read_skills.v1',
    ]);
    await operator.coalition.delete({ params: own });
    expect(tab.complaints).toEqual([]);
  });

  it('of required scopes, which somebody else changes while it is found out whom this concerns, is added to theirs', async () => {
    const made = await ok(operator.coalition.create({ body: { coalition_name: 'Late', ticker: 'LA' } }));
    const own = { coalition_id: made.coalition_id };
    let answer: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route(/dry_run=true/, async (route) => {
      await held;
      await route.continue();
    });
    await openLive(`/coalition/${own.coalition_id}`, administrator);
    const scopes = part('Required scopes');
    await scopes.getByRole('combobox', { name: 'Required of members' }).fill('read_skills');
    await page.getByRole('option', { name: 'ext-skills.read_skills.v1' }).click();
    await page.keyboard.press('Escape');
    await scopes.getByRole('button', { name: 'Save' }).click();
    const mandatory_ext_scopes = ['ext-mail.read_mail.v1' as const];
    await ok(operator.coalition.update({ params: own, body: { mandatory_ext_scopes } }));
    await scopes.getByText('ext-mail.read_mail.v1').waitFor();
    answer();
    await page.getByText('The required scopes are saved.').waitFor();
    expect((await ok(operator.coalition.get({ params: own }))).mandatory_ext_scopes).toEqual([
      'ext-mail.read_mail.v1',
      'ext-skills.read_skills.v1',
    ]);
    await operator.coalition.delete({ params: own });
    expect(tab.complaints).toEqual([]);
  });

  it('D121: a policy that somebody else restricts while it is asked about is asked about anew, and stays restricted', async () => {
    const own = await ok(operator.group.create({ body: { group_name: 'Narrowed', description: '' } }));
    const add_members = [await nameOf(PILOT)];
    await ok(operator.group.update({ params: own, body: { add_members } }));
    const { alliance } = await ok(operator.user.get({ params: { character_name: String(PILOT) } }));
    const { eligible } = await ok(operator.group.policy({ params: own }));
    await openLive(`/group/${own.group_id}`, administrator);
    await page.getByRole('tab', { name: 'Joining' }).click();
    await page.getByRole('combobox', { name: 'Level' }).click();
    await page.getByRole('option', { name: '5 or more' }).click();
    await button('Save policy').click();
    const saving = dialog().getByRole('button', { name: 'Save all the same' });
    await saving.waitFor();
    const theirs = { ...eligible, alliances: [Number(alliance)] };
    await ok(operator.group.setPolicy({ params: own, body: { eligible: theirs } }));
    const { alliance_name } = await ok(operator.alliance.get({ params: { alliance_id: Number(alliance) } }));
    await page.locator('.mantine-MultiSelect-pill', { hasText: alliance_name }).waitFor();
    await saving.click();
    await dialog().getByText('Somebody else changed something here meanwhile.').waitFor();
    await dialog().getByText('1 person will no longer be in the group Narrowed').waitFor();
    expect((await ok(operator.group.policy({ params: own }))).eligible).toEqual(theirs);
    await saving.and(focused()).press('Enter');
    await page.getByText('The policy is saved.').waitFor();
    expect((await ok(operator.group.policy({ params: own }))).eligible).toEqual({ ...theirs, min_level: 5 });
    await operator.group.delete({ params: own });
    expect(tab.complaints).toEqual([]);
  });

  it('D121: nothing that deletes is confirmed while it is unknown whom it concerns', async () => {
    let fails = true;
    await page.route(/dry_run=true/, (route) =>
      fails
        ? route.fulfill({ status: 409, json: { detail: 'Not now.', code: 'conflict' } })
        : route.continue(),
    );
    await open(`/group/${params.group_id}`, administrator);
    await button('Delete group').click();
    await dialog().getByText('Not now.').waitFor();
    const confirming = dialog().getByRole('button', { name: 'Delete group' });
    expect(await confirming.getAttribute('aria-disabled')).toBe('true');
    await confirming.and(focused()).waitFor();
    await page.keyboard.press('Enter');
    fails = false;
    await dialog().getByRole('button', { name: 'Try again' }).click();
    await dialog().locator('button:not([aria-disabled=true])', { hasText: 'Delete group' }).waitFor();
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    expect((await group()).group_name).toBe('Savers');
  });

  it('a member that the service took another one for is not said to be gone, and the focus stays in the list', async () => {
    const [pilot, other] = [await nameOf(PILOT), await nameOf(OTHER)];
    // Of two of the same name the last seen one answers (D38).
    await page.route(new RegExp(`/group/${params.group_id}$`), async (route) =>
      route.request().method() === 'PUT' ? route.fulfill({ json: await group() }) : route.continue(),
    );
    await open(`/group/${params.group_id}`, administrator);
    await button(`Remove ${other}`).click();
    // It lets its members in, so it is asked about.
    await dialog().getByRole('button', { name: 'Save all the same' }).click();
    await page.getByText(`${other} is still a member`).waitFor();
    expect(await page.getByText('is no member any more').count()).toBe(0);
    await page.unroute(new RegExp(`/group/${params.group_id}$`));
    await ok(operator.group.update({ params, body: { owner: await nameOf(ADMINISTRATOR) } }));
    await button(`Remove ${pilot}`).press('Enter');
    await dialog().getByRole('button', { name: 'Save all the same' }).press('Enter');
    await page.getByText(`${pilot} is no member any more.`).waitFor();
    await page.getByRole('region', { name: 'List: Members' }).and(focused()).waitFor();
    expect(tab.complaints).toEqual([]);
  });

  it('D121: who gets in or out of a group with a say in logging in is asked for by what that does', async () => {
    const own = await ok(operator.group.create({ body: { group_name: 'Banned', description: '' } }));
    const name = await nameOf(OTHER);
    await ok(operator.group.update({ params: own, body: { authorized_to_login: false } }));
    const names = async () =>
      (await ok(operator.group.get({ params: own }))).members.map(({ character_name }) => character_name);
    const others = await names();
    const asks = async (title: string, effect: string, answer: string) => {
      const question = page.getByRole('dialog', { name: title });
      await question.getByText(effect).waitFor();
      await question.getByRole('button', { name: answer }).click();
      await question.waitFor({ state: 'detached' });
    };
    await open(`/group/${own.group_id}`, administrator);
    await button('Add members').click();
    await dialog().getByLabel('Names').fill(name);
    await dialog().getByRole('button', { name: 'Add 1 member' }).click();
    await asks('Before this is saved', '1 person may not log in any more', 'Leave it');
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    await dialog().waitFor({ state: 'detached' });
    await button('Edit').click();
    await dialog().getByLabel('Owner').fill(name);
    await dialog().getByRole('button', { name: 'Edit' }).click();
    await asks('Before this is saved', '1 person may not log in any more', 'Leave it');
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    await dialog().waitFor({ state: 'detached' });
    expect(await names()).toEqual(others);
    const body = { authorized_to_login: true, add_members: [name] };
    await ok(operator.group.update({ params: own, body }));
    await button(`Remove ${name}`).click();
    await asks(`Remove ${name}`, '1 person will no longer be in the group Banned', 'Save all the same');
    await page.getByText(`${name} is no member any more.`).waitFor();
    expect(await names()).toEqual(others);
    await operator.group.delete({ params: own });
    expect(tab.complaints).toEqual([]);
  });

  it('D121: of a group without a say, too, it is asked for by what others would lose by the policies of their groups', async () => {
    const [keys, vault] = [
      await ok(operator.group.create({ body: { group_name: 'Keys', description: '' } })),
      await ok(operator.group.create({ body: { group_name: 'Vault', description: '' } })),
    ];
    const name = await nameOf(OTHER);
    for (const made of [keys, vault])
      await ok(operator.group.update({ params: made, body: { add_members: [name] } }));
    const eligible = { groups_any: [keys.group_id] };
    await ok(operator.group.setPolicy({ params: vault, body: { eligible, grace_hours: 0 } }));
    await open(`/group/${keys.group_id}`, administrator);
    await button(`Remove ${name}`).click();
    const question = page.getByRole('dialog', { name: `Remove ${name}` });
    await question.getByText('1 person will no longer be in the group Vault').waitFor();
    expect(await question.getByText('in the group Keys').count()).toBe(0);
    await question.getByRole('button', { name: 'Leave it' }).click();
    await question.waitFor({ state: 'detached' });
    await ok(operator.group.setPolicy({ params: vault, body: { eligible: {} } }));
    // Now nobody loses anything but what the button says.
    await button(`Remove ${name}`).click();
    await page.getByText(`${name} is no member any more.`).waitFor();
    for (const made of [vault, keys]) await operator.group.delete({ params: made });
    expect(tab.complaints).toEqual([]);
  });

  it('a second click on Remove removes nobody else', async () => {
    const add_members = [await nameOf(PILOT), await nameOf(OTHER)];
    const own = await ok(operator.group.create({ body: { group_name: 'Two', description: '' } }));
    await ok(operator.group.update({ params: own, body: { add_members } }));
    await open(`/group/${own.group_id}`, administrator);
    // Focusing it scrolls, as a removal does.
    await page.getByRole('region', { name: 'List: Members' }).focus();
    const first = page.getByRole('button', { name: /^Remove / }).first();
    const { x, y } = (await first.boundingBox()) ?? {};
    const click = () => page.mouse.click((x ?? 0) + 10, (y ?? 0) + 10);
    const changes = countChanges();
    await click();
    await page.getByText('is no member any more.').waitFor();
    await click();
    await drawn(page);
    expect(changes()).toBe(1);
    await page.getByText('2 of 2').waitFor();
    await settled();
    // Its owner, and one of two.
    expect((await ok(operator.group.get({ params: own }))).members).toHaveLength(2);
    await operator.group.delete({ params: own });
    expect(tab.complaints).toEqual([]);
  });

  it('what was confirmed is sent once, and its dialog stays until the answer', async () => {
    let answer: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    let tries = 0;
    await page.route(new RegExp(`/group/${params.group_id}$`), async (route) => {
      if (route.request().method() !== 'DELETE') return route.continue();
      tries += 1;
      await held;
      const headers = { 'retry-after': '0' };
      return route.fulfill({ status: 429, headers, json: { detail: 'Wait.', code: 'rate_limited' } });
    });
    await open(`/group/${params.group_id}`, administrator);
    await button('Delete group').click();
    await dialog().locator('button:not([aria-disabled=true])', { hasText: 'Delete group' }).click();
    const cancel = dialog().getByRole('button', { name: 'Cancel' });
    await cancel.and(page.locator(':disabled')).waitFor();
    await page.keyboard.press('Escape');
    answer();
    await dialog().getByText('Wait.').waitFor();
    expect(tries).toBe(1);
    await cancel.click();
    await dialog().waitFor({ state: 'detached' });
  });

  const created = {
    group: async () => {
      const body = { group_name: 'Deleted', description: '' };
      return (await ok(operator.group.create({ body }))).group_id;
    },
    coalition: async () => {
      const body = { coalition_name: 'Deleted', ticker: 'DEL' };
      return (await ok(operator.coalition.create({ body }))).coalition_id;
    },
  };
  it.each([
    { of: 'group', list: 'Groups' },
    { of: 'coalition', list: 'Registry' },
  ] as const)('of a $of is nothing once that is deleted, nor is it asked about', async ({ of, list }) => {
    await open(`/${of}/${await created[of]()}`, administrator);
    await part('Logging in').getByText('Keep out', { exact: true }).click();
    await button(`Delete ${of}`).click();
    await dialog()
      .locator('button:not([aria-disabled=true])', { hasText: `Delete ${of}` })
      .click();
    await heading(list).waitFor();
    await dialog().waitFor({ state: 'detached' });
  });

  it('D121: while it is found out what a removal does, this is seen, and no other one begins', async () => {
    const made = await ok(operator.coalition.create({ body: { coalition_name: 'Pair', ticker: 'PA' } }));
    const own = { coalition_id: made.coalition_id };
    const [one, two] = await ok(operator.alliance.list());
    const ids = [one?.alliance_id ?? 0, two?.alliance_id ?? 0];
    await ok(operator.coalition.update({ params: own, body: { add_member_alliances: ids } }));
    let answer: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const users = [{ character_id: PILOT, character_name: 'A pilot' }];
    const lost = { about: 'login', effect: 'lost', group: null, from_level: null, to_level: null };
    await page.route(/dry_run=true/, async (route) => {
      await held;
      await route.fulfill({ json: { changes: [{ ...lost, count: 1, users }] } });
    });
    await open(`/coalition/${own.coalition_id}`, administrator);
    const remove = button(`Remove ${one?.alliance_name}`);
    await remove.click();
    await remove.and(page.locator('[data-loading]')).waitFor();
    expect(await button(`Remove ${two?.alliance_name}`).isDisabled()).toBe(true);
    answer();
    const question = page.getByRole('dialog', { name: `Remove ${one?.alliance_name}` });
    await question.getByText('1 person may not log in any more').waitFor();
    await question.getByRole('button', { name: 'Leave it' }).click();
    await question.waitFor({ state: 'detached' });
    expect((await ok(operator.coalition.get({ params: own }))).member_alliances).toHaveLength(2);
    await operator.coalition.delete({ params: own });
    expect(tab.complaints).toEqual([]);
  });

  it('D28: a guest can be added by its name, though the list of users knows none', async () => {
    const guest = { ...(await ok(operator.user.get({ params: { character_name: String(PILOT) } }))) };
    await page.route(/\/user\/Invited%20Guest$/i, (route) =>
      route.fulfill({ json: { ...guest, character_id: 2_112_999_999, character_name: 'Invited Guest' } }),
    );
    await open(`/group/${params.group_id}`, administrator);
    await button('Add members').click();
    await dialog().getByLabel('Names').fill('Invited Guest\nNobody of that name');
    await dialog().getByRole('button', { name: 'Look among guests' }).click();
    await dialog().getByText('1 name is not known here').waitFor();
    await dialog().getByRole('button', { name: 'Add 1 member' }).waitFor();
    expect(await dialog().getByRole('listitem').allInnerTexts()).toEqual([
      'Invited Guest',
      'Nobody of that name',
    ]);
  });

  it('D28: what is too long for a name is nobody’s, and the others are looked for', async () => {
    const guest = { ...(await ok(operator.user.get({ params: { character_name: String(PILOT) } }))) };
    await page.route(/\/user\/Invited%20Guest$/i, (route) =>
      route.fulfill({ json: { ...guest, character_id: 2_112_999_999, character_name: 'Invited Guest' } }),
    );
    await open(`/group/${params.group_id}`, administrator);
    await button('Add members').click();
    const pasted = `${'A line of something else '.repeat(20)}\nInvited Guest`;
    await dialog().getByLabel('Names').fill(pasted);
    await dialog().getByRole('button', { name: 'Look among guests' }).click();
    await dialog().getByRole('button', { name: 'Add 1 member' }).waitFor();
    await dialog().getByRole('button', { name: 'Look among guests' }).waitFor({ state: 'detached' });
    expect(await dialog().getByRole('alert').count()).toBe(0);
  });

  it('D28: who is looked for among guests is fifty at a time, and who was found stays', async () => {
    const guest = { ...(await ok(operator.user.get({ params: { character_name: String(PILOT) } }))) };
    const asked = new Set<string>();
    await page.route(/\/user\/(Stranger|Invited)%20/, (route) => {
      const name = decodeURIComponent(new URL(route.request().url()).pathname.split('/').at(-1) ?? '');
      asked.add(name);
      if (name === 'Stranger 60') return route.fulfill({ status: 429, json: { detail: 'Too many.' } });
      if (name.startsWith('Stranger')) return route.fulfill({ status: 404, json: { detail: 'Unknown.' } });
      return route.fulfill({ json: { ...guest, character_id: 2_112_999_999, character_name: name } });
    });
    const strangers = Array.from({ length: 120 }, (_, n) => `Stranger ${n}`);
    await open(`/group/${params.group_id}`, administrator);
    await button('Add members').click();
    await dialog()
      .getByLabel('Names')
      .fill(['Invited Guest', ...strangers].join('\n'));
    const look = dialog().getByRole('button', { name: 'Look for the first 50 among guests' });
    await look.click();
    await dialog().getByRole('button', { name: 'Add 1 member' }).waitFor();
    await expect.poll(() => asked.size).toBe(50);
    await look.click();
    await dialog().getByText('Too many.').waitFor();
    await dialog().getByRole('button', { name: 'Add 1 member' }).waitFor();
    expect(asked.size).toBe(62);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  it('what a badge says is read whole on a narrow phone', async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    await open('/', await tokenOf(PILOT));
    const badges = page.getByRole('region', { name: 'My groups' }).locator('.mantine-Badge-label');
    await badges.first().waitFor();
    const cut = await badges.evaluateAll(
      (all) => all.filter((one) => one.scrollWidth > one.clientWidth).length,
    );
    expect(cut).toBe(0);
  });

  it('D91: who opens the screen of a user reads none of its histories, and is not on record', async () => {
    const reads = async () =>
      (await ok(operator.audit.list({ query: { target: `user:${OTHER}`, type: 'history.read' } }))).length;
    const before = await reads();
    await open(`/user/${encodeURIComponent(await nameOf(OTHER))}`, administrator);
    await page.getByRole('tab', { name: 'Timeline', selected: true }).waitFor();
    await settled();
    expect(await reads()).toBe(before);
    expect(tab.complaints).toEqual([]);
  });
});

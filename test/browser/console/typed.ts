import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ok } from '../../../sdk/src/index.ts';
import {
  ADMINISTRATOR,
  button,
  focused,
  goToPart,
  heading,
  open,
  openLive,
  operator,
  page,
  settled,
  tab,
  tokenOf,
} from './stage.ts';

/** What a preview says. */
const LOST = {
  ...{ about: 'login', effect: 'lost', group: null, from_level: null, to_level: null },
  ...{ count: 1, users: [] },
};

/** What becomes of what somebody types. */
describe('what is typed', () => {
  const dialog = () => page.getByRole('dialog');
  /** Whether the browser asks before the page is loaded again or closed. */
  const asksBeforeUnload = () =>
    page.evaluate(`!window.dispatchEvent(new Event('beforeunload', { cancelable: true }))`);
  const pills = () => page.locator('.mantine-MultiSelect-pill');
  let administrator: string;
  const groups: { group_id: string; group_name: string }[] = [];
  beforeAll(async () => {
    administrator = await tokenOf(ADMINISTRATOR);
    for (const group_name of ['Typed first', 'Typed second'])
      groups.push(await ok(operator.group.create({ body: { group_name, description: '' } })));
  });
  afterAll(() => Promise.all(groups.map(({ group_id }) => operator.group.delete({ params: { group_id } }))));

  it('in search of a group is taken by Enter, which sends the form only when nothing is typed any more', async () => {
    await open('/applications', administrator);
    await button('New client').click();
    await dialog().getByLabel('Name').fill('Typed');
    await dialog().getByLabel('Redirect URIs').fill('https://typed.example/callback');
    await dialog().getByLabel('Only members of some groups').check();
    const search = dialog().getByRole('combobox', { name: 'Allowed groups' });
    for (const { group_name } of groups) {
      await search.pressSequentially(group_name);
      await page.getByRole('option', { name: group_name }).waitFor();
      await search.press('Enter');
      await pills().filter({ hasText: group_name }).waitFor();
    }
    await search.pressSequentially('Of no such name');
    await search.press('Enter');
    await search.fill('');
    await search.press('Enter');
    await page.getByText('The secret of Typed').waitFor();
    const clients = await ok(operator.oidc.listClients());
    const { client_id, allowed_groups } = clients.find(({ client_name }) => client_name === 'Typed') ?? {};
    expect(allowed_groups?.toSorted()).toEqual(groups.map(({ group_id }) => group_id).toSorted());
    await operator.oidc.deleteClient({ params: { client_id: client_id ?? '' } });
    expect(tab.complaints).toEqual([]);
  });

  it('in search of a person is taken by Enter, when the service has found it', async () => {
    const { character_name } = await ok(
      operator.user.get({ params: { character_name: String(ADMINISTRATOR) } }),
    );
    await open(`/group/${groups[0]?.group_id}`, administrator);
    await goToPart('Joining');
    const search = page.getByRole('combobox', { name: 'People' });
    await search.pressSequentially(character_name);
    await page
      .getByRole('option', { name: character_name })
      .and(page.locator('[data-combobox-selected]'))
      .waitFor();
    await search.press('Enter');
    await pills().filter({ hasText: character_name }).waitFor();
    expect(await search.inputValue()).toBe('');
    expect(tab.complaints).toEqual([]);
  });

  it('in a dialog is thrown away by neither Escape nor a click beside it, unless that is confirmed', async () => {
    await open(`/group/${groups[0]?.group_id}`, administrator);
    const form = page.getByRole('dialog', { name: 'Edit' });
    const question = page.getByRole('dialog', { name: 'Throw away what you typed?' });
    await button('Edit').click();
    await form.getByLabel('Description').fill('An hour of writing');
    await page.keyboard.press('Escape');
    await question.getByRole('button', { name: 'Keep it' }).click();
    await question.waitFor({ state: 'detached' });
    await page.mouse.click(5, 5);
    await question.waitFor();
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'detached' });
    expect(await form.getByLabel('Description').inputValue()).toBe('An hour of writing');
    await page.keyboard.press('Escape');
    await question.getByRole('button', { name: 'Throw it away' }).click();
    await form.waitFor({ state: 'detached' });
    // What was not typed in is closed at once.
    await button('Edit').click();
    await form.getByLabel('Description').waitFor();
    expect(await form.getByLabel('Description').inputValue()).toBe('');
    await page.keyboard.press('Escape');
    await form.waitFor({ state: 'detached' });
    expect(tab.complaints).toEqual([]);
  });

  it('in a dialog is left with its screen, or for a new page, only when that is confirmed', async () => {
    const { group_name = '' } = groups[0] ?? {};
    await open('/groups', administrator);
    await page.getByRole('link', { name: group_name }).click();
    await heading(group_name).waitFor();
    const form = page.getByRole('dialog', { name: 'Edit' });
    const question = page.getByRole('dialog', { name: 'Leave without saving?' });
    await button('Edit').click();
    await form.getByLabel('Description').fill('An hour of writing');
    await expect.poll(asksBeforeUnload).toBe(true);
    await page.goBack();
    await question.getByRole('button', { name: 'Stay' }).click();
    await question.waitFor({ state: 'detached' });
    expect(await form.getByLabel('Description').inputValue()).toBe('An hour of writing');
    await page.keyboard.press('Escape');
    const throwing = page.getByRole('dialog', { name: 'Throw away what you typed?' });
    await throwing.waitFor();
    await page.goBack();
    await question.getByRole('button', { name: 'Stay' }).click();
    await question.waitFor({ state: 'detached' });
    await throwing.getByRole('button', { name: 'Keep it' }).click();
    await throwing.waitFor({ state: 'detached' });
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').and(focused()).waitFor();
    await page.keyboard.type('Users');
    await page.getByRole('option', { name: 'Users' }).waitFor();
    await page.keyboard.press('Enter');
    await question.getByRole('button', { name: 'Leave' }).click();
    await heading('Users').waitFor();
    await expect.poll(asksBeforeUnload).toBe(false);
    expect(tab.complaints).toEqual([]);
  });

  it('in a dialog is also what was chosen from a list', async () => {
    const { client_id } = await ok(
      operator.oidc.createClient({
        body: {
          client_name: 'Chosen',
          redirect_uris: ['https://chosen.example/callback'],
          allowed_groups: [groups[0]?.group_id ?? ''],
        },
      }),
    );
    await open('/applications', administrator);
    await page.getByRole('region', { name: 'Chosen' }).getByRole('button', { name: 'Edit' }).click();
    await dialog().getByRole('combobox', { name: 'Allowed groups' }).click();
    await page.getByRole('option', { name: 'Typed second' }).click();
    await pills().filter({ hasText: 'Typed second' }).waitFor();
    await dialog().getByLabel('Name').focus();
    await page.keyboard.press('Escape');
    const question = page.getByRole('dialog', { name: 'Throw away what you typed?' });
    await question.getByRole('button', { name: 'Throw it away' }).click();
    await dialog().first().waitFor({ state: 'detached' });
    await ok(operator.oidc.deleteClient({ params: { client_id } }));
    expect(tab.complaints).toEqual([]);
  });

  it('in a policy is left with its screen only when that is confirmed', async () => {
    await open(`/group/${groups[0]?.group_id}`, administrator);
    await goToPart('Joining');
    const question = page.getByRole('dialog', { name: 'Leave without saving?' });
    const users = page.getByRole('navigation').getByRole('link', { name: 'Users' });
    const asked = page.getByLabel('Questions');
    await asked.fill('Which ships?');
    await users.click();
    await question.getByRole('button', { name: 'Stay' }).click();
    await question.waitFor({ state: 'detached' });
    expect(await asked.inputValue()).toBe('Which ships?');
    await users.click();
    await question.getByRole('button', { name: 'Leave' }).click();
    await heading('Users').waitFor();
    expect(tab.complaints).toEqual([]);
  });

  it('in a policy is left only when that is confirmed, also while it is asked who loses by it', async () => {
    const { group_name = '', group_id = '' } = groups[0] ?? {};
    await page.route(/dry_run=true/, (route) => route.fulfill({ json: { changes: [LOST] } }));
    await open('/groups', administrator);
    await page.getByRole('link', { name: group_name }).click();
    await heading(group_name).waitFor();
    await goToPart('Joining');
    await page.getByLabel('Questions').fill('Which ships?');
    await button('Save policy').click();
    const saving = page.getByRole('dialog', { name: 'Before this is saved' });
    const leaving = page.getByRole('dialog', { name: 'Leave without saving?' });
    await saving.waitFor();
    await page.goBack();
    await leaving.getByRole('button', { name: 'Stay' }).click();
    await leaving.waitFor({ state: 'detached' });
    await saving.getByRole('button', { name: 'Leave it' }).click();
    await saving.waitFor({ state: 'detached' });
    expect(await page.getByLabel('Questions').inputValue()).toBe('Which ships?');
    expect((await ok(operator.group.policy({ params: { group_id } }))).questions).toEqual([]);
    expect(tab.complaints).toEqual([]);
  });

  it('in a policy is left only when that is confirmed, also from another part of its screen', async () => {
    await open(`/group/${groups[0]?.group_id}`, administrator);
    await goToPart('Joining');
    await page.getByLabel('Questions').fill('Which ships?');
    await goToPart('Members');
    await button('Add members').waitFor();
    await expect.poll(asksBeforeUnload).toBe(true);
    const users = page.getByRole('navigation').getByRole('link', { name: 'Users' });
    await users.click();
    const question = page.getByRole('dialog', { name: 'Leave without saving?' });
    await question.getByRole('button', { name: 'Stay' }).click();
    await question.waitFor({ state: 'detached' });
    await goToPart('Joining');
    expect(await page.getByLabel('Questions').inputValue()).toBe('Which ships?');
    await button('Take back').click();
    await users.click();
    await heading('Users').waitFor();
    expect(tab.complaints).toEqual([]);
  });

  it('in a policy is there again after a look at the members, with what others changed meanwhile', async () => {
    const params = { group_id: groups[1]?.group_id ?? '' };
    await openLive(`/group/${params.group_id}`, administrator);
    await goToPart('Joining');
    await page.getByLabel('Questions').fill('Why?');
    await goToPart('Members');
    await button('Add members').waitFor();
    await ok(operator.group.setPolicy({ params, body: { grace_hours: 7 } }));
    await goToPart('Joining');
    await settled();
    expect(await page.getByLabel('Questions').inputValue()).toBe('Why?');
    await expect.poll(() => page.getByLabel('Grace in hours').inputValue()).toBe('7');
    await button('Save policy').click();
    await page.getByText('The policy is saved.').waitFor();
    expect(await ok(operator.group.policy({ params }))).toMatchObject({
      questions: ['Why?'],
      grace_hours: 7,
    });
    expect(tab.complaints).toEqual([]);
  });

  it('and refused is not said to be wrong any more when it was taken back', async () => {
    await open(`/group/${groups[0]?.group_id}`, administrator);
    await goToPart('Joining');
    const policy = page.getByRole('region', { name: 'Policy' });
    await policy.getByLabel('Grace in hours').fill('99999999');
    await button('Save policy').click();
    await policy.getByRole('alert').waitFor();
    await policy.getByRole('button', { name: 'Take back' }).click();
    await policy.getByRole('alert').waitFor({ state: 'detached' });
    expect(await button('Save policy').isDisabled()).toBe(true);
  });

  it('D121: and left before it was known that somebody loses by it is said not to be saved', async () => {
    let answer: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route(/dry_run=true/, async (route) => {
      await held;
      await route.fulfill({ json: { changes: [LOST] } });
    });
    await open(`/group/${groups[0]?.group_id}`, administrator);
    const login = page.getByRole('region', { name: 'Logging in' });
    await login.getByText('Keep out', { exact: true }).click();
    await login.getByRole('button', { name: 'Save' }).click();
    await login.locator('button[data-loading]').waitFor();
    await page.getByRole('navigation').getByRole('link', { name: 'Users' }).click();
    await heading('Users').waitFor();
    answer();
    await page.getByText('What you left was not saved').waitFor();
    const { authorized_to_login } = await ok(
      operator.group.get({ params: { group_id: groups[0]?.group_id ?? '' } }),
    );
    expect(authorized_to_login).toBeNull();
    expect(tab.complaints).toEqual([]);
  });

  it('and left before the service refused it is said not to be saved, and why', async () => {
    let answer: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route(/dry_run=true/, async (route) => {
      await held;
      await route.fulfill({ status: 409, json: { detail: 'Not now.', code: 'conflict' } });
    });
    await open(`/group/${groups[0]?.group_id}`, administrator);
    await goToPart('Joining');
    await page.getByLabel('Questions').fill('Who?');
    await button('Save policy').click();
    await page.locator('button[data-loading]').waitFor();
    // What was left stays in sight for as long as this is loaded.
    await page.route(/\/audit\?/, () => undefined);
    await Promise.all([page.waitForRequest(/\/audit\?/), goToPart('History')]);
    answer();
    await page.getByText('What you left was not saved: Not now.').waitFor();
    await goToPart('Joining');
    await button('Save policy').waitFor();
    expect(await page.getByLabel('Questions').inputValue()).toBe('Who?');
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PutApplication } from '../../../contract/application.ts';
import { createClient, ok } from '../../../sdk/src/index.ts';
import { drawn } from '../../harness/axe.ts';
import {
  ADMINISTRATOR,
  at,
  button,
  countChanges,
  focused,
  goToPart,
  heading,
  instance,
  MODERATOR,
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
import { faultsOf, TWO_LOOKS } from './walk.ts';

let groupId: string;
let pilot: string;
let moderator: string;
let administrator: string;
const dialog = () => page.getByRole('dialog');
const isMember = async () => {
  const { members } = await ok(operator.group.get({ params: { group_id: groupId } }));
  return members.some(({ character_id }) => character_id === PILOT);
};
const apply = (token = pilot) =>
  ok(
    createClient({ baseUrl: instance.url, token }).group.apply({
      params: { group_id: groupId },
      body: { message: 'Once more.', answers: ['Since 2019.'] },
    }),
  );

describe('D110, D111: into a group and out of it', () => {
  beforeAll(async () => {
    pilot = await tokenOf(PILOT);
    moderator = await tokenOf(MODERATOR);
    administrator = await tokenOf(ADMINISTRATOR);
    const group = await ok(operator.group.create({ body: { group_name: 'Wardens', description: '' } }));
    groupId = group.group_id;
  });
  afterAll(() => operator.group.delete({ params: { group_id: groupId } }));

  it('an administrator says who may join, who decides and what is asked', async () => {
    const { character_name } = await ok(operator.user.get({ params: { character_name: String(MODERATOR) } }));
    await open(`/group/${groupId}`, administrator);
    await goToPart('Joining');
    await page.getByRole('combobox', { name: 'Joining' }).click();
    await page.getByRole('option', { name: /^By application/ }).click();
    await page.getByRole('combobox', { name: 'People' }).fill(character_name);
    await page.getByRole('option', { name: character_name }).click();
    await page.getByLabel('Questions').fill('Since when do you fly?\n\n  ');
    await page.getByLabel('Days that an application is open').fill('7');
    expect(await faultsOf('policy-edited', TWO_LOOKS)).toEqual([]);
    await button('Save policy').click();
    await page.getByText('The policy is saved.').waitFor();
    expect(await ok(operator.group.policy({ params: { group_id: groupId } }))).toMatchObject({
      joining: 'application',
      moderators: { users: [MODERATOR], groups: [] },
      questions: ['Since when do you fly?'],
      expire_days: 7,
      grace_hours: 24,
    });
    expect(tab.complaints).toEqual([]);
  });

  it('a pilot is told that he may apply, answers what is asked, and may take it back', async () => {
    await open('/groups', pilot);
    await goToPart('To join');
    await page.getByText('You may apply.').waitFor();
    await button('Apply to Wardens').click();
    await dialog().getByLabel('Since when do you fly?').fill('Since 2019.');
    await dialog().getByLabel('What you want to tell').fill('I know the way.');
    await dialog().getByRole('button', { name: 'Apply', exact: true }).click();
    await page.getByText('Your application is pending.').waitFor();
    expect(await faultsOf('groups-applied', TWO_LOOKS)).toEqual([]);
    await button('Withdraw the application to Wardens').click();
    await page.getByText('You may apply.').waitFor();
    expect(tab.complaints).toEqual([]);
  });

  it('what was typed stays with its question while the owner changes them, and new ones are asked', async () => {
    // Of a change the console hears by the feed, too, but later than somebody may press a button.
    await page.route(/\/event\?/, (route) => route.abort());
    const ask = (...questions: string[]) =>
      operator.group.setPolicy({ params: { group_id: groupId }, body: { questions } }).then(ok);
    await ask('Since when do you fly?', 'Where?');
    await open('/groups', pilot);
    await goToPart('To join');
    await button('Apply to Wardens').click();
    await dialog().getByLabel('Since when do you fly?').fill('Since 2019.');
    await dialog().getByLabel('Where?').fill('In the north.');
    await ask('Where?', 'Since when do you fly?', 'Why?');
    const send = dialog().getByRole('button', { name: 'Apply', exact: true });
    await send.click();
    await dialog().getByText('asks other questions by now').waitFor();
    await dialog().getByLabel('Why?').fill('To help.');
    await send.click();
    await page.getByText('Your application is pending.').waitFor();
    const [made] = await ok(createClient({ baseUrl: instance.url, token: pilot }).application.list());
    expect(made).toMatchObject({
      questions: ['Where?', 'Since when do you fly?', 'Why?'],
      answers: ['In the north.', 'Since 2019.', 'To help.'],
    });
    await button('Withdraw the application to Wardens').click();
    await page.getByText('You may apply.').waitFor();
    await ask('Since when do you fly?');
  });

  it('the moderator finds in the menu that somebody waits, and decides by the keyboard alone', async () => {
    await apply();
    await open('/inbox', moderator);
    await page.getByRole('link', { name: /^Inbox 1/ }).waitFor();
    await page.getByText('Once more.').waitFor();
    expect(await faultsOf('inbox-moderator', TWO_LOOKS)).toEqual([]);
    const article = page.getByRole('article');
    await article.getByRole('button', { name: /^Approve with words/ }).focus();
    await page.keyboard.press('a');
    await dialog().getByLabel('Reason').and(focused()).waitFor();
    await page.keyboard.type('Welcome aboard.');
    await page.keyboard.press('Enter');
    await page.getByText('is a member of Wardens now.').waitFor();
    await page.getByText('Nobody waits for an answer of yours.').waitFor();
    expect(await page.getByRole('link', { name: /^Inbox 1/ }).count()).toBe(0);
    expect(await isMember()).toBe(true);
    expect(tab.complaints).toEqual([]);
  });

  it('the pilot reads the reason, and leaves', async () => {
    await open('/groups', pilot);
    await goToPart('My applications');
    await page.getByText('Welcome aboard.').waitFor();
    await page.goto(at(`/group/${groupId}`));
    await button('Leave group').click();
    await dialog().getByRole('button', { name: 'Leave group' }).click();
    await dialog().waitFor({ state: 'detached' });
    await button('Leave group').waitFor({ state: 'detached' });
    expect(await isMember()).toBe(false);
    expect(tab.complaints).toEqual([]);
  });

  it('what is decided waits in its place for the answer, and says why where the service refuses', async () => {
    await apply();
    await open('/inbox', moderator);
    await page.getByText('Once more.').waitFor();
    let answer: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const detail = 'The applicant is not eligible any more.';
    await page.route(/\/application\/[0-9a-f]{24}$/, async (route) => {
      await held;
      await route.fulfill({ status: 409, json: { detail, code: 'not_eligible' } });
    });
    const card = page.getByRole('article');
    const approve = card.getByRole('button', { name: /^Approve (?!with)/ });
    await approve.click();
    await approve.and(page.locator(':disabled')).waitFor();
    expect(await card.getByRole('button', { name: /^Reject/ }).isDisabled()).toBe(true);
    answer();
    await card.getByText(detail).waitFor();
    expect(await approve.isEnabled()).toBe(true);
    expect(await faultsOf('inbox-refused', TWO_LOOKS)).toEqual([]);
    expect(await isMember()).toBe(false);
  });

  it('D111: a reason and a note can be as long as the service takes them', async () => {
    const takes = (said: object) => PutApplication.safeParse({ decision: 'rejected', ...said }).success;
    await open('/inbox', moderator);
    await page.getByRole('button', { name: /^Reject/ }).click();
    for (const field of ['Reason', 'Note']) {
      const longest = await dialog().getByLabel(field).getAttribute('maxlength');
      const said = (length: number) => ({ [field.toLowerCase()]: 'x'.repeat(length) });
      expect(takes(said(Number(longest))), field).toBe(true);
      expect(takes(said(Number(longest) + 1)), field).toBe(false);
    }
  });

  it('a second click, or one as another application comes, decides nothing about somebody else', async () => {
    const other = await tokenOf(OTHER);
    // Its feed tells of all applicants, that of a moderator only of those within its read authority.
    await openLive('/inbox', administrator);
    const approve = page.getByRole('button', { name: /^Approve (?!with).* to Wardens/ });
    const { x, y } = (await approve.boundingBox()) ?? { x: 0, y: 0 };
    const click = () => page.mouse.click(x + 10, y + 10);
    const { application_id } = await apply(other);
    await expect.poll(() => approve.count()).toBe(2);
    const changes = countChanges();
    await click();
    // The focus goes to the one that still waits, and the answered one tells what became of it.
    await page.getByRole('article').nth(1).and(focused()).waitFor();
    await click();
    await drawn(page);
    expect(changes()).toBe(1);
    expect(await isMember()).toBe(true);
    await page.getByRole('article').first().getByText('Approved').waitFor();
    const waiting = await ok(operator.group.applications({ params: { group_id: groupId } }));
    expect(waiting.find((each) => each.application_id === application_id)?.state).toBe('pending');
    const applicant = createClient({ baseUrl: instance.url, token: other });
    await applicant.application.withdraw({ params: { application_id } });
    const { character_name } = await ok(operator.user.get({ params: { character_name: String(PILOT) } }));
    const remove_members = [character_name];
    await ok(operator.group.update({ params: { group_id: groupId }, body: { remove_members } }));
    expect(tab.complaints).toEqual([]);
  });

  it('D111: who waits beyond the first page is shown and counted, too', async () => {
    const waiting = (n: number) => ({
      application_id: n.toString(16).padStart(24, '0'),
      group: { group_id: groupId, group_name: 'Wardens' },
      applicant: { character_id: PILOT, character_name: 'A pilot' },
      ...{ state: 'pending', message: `Number ${n} waits.`, questions: ['Since when?'], answers: [''] },
      ...{ created_on: '2026-03-02T07:05:30.125Z', expires_on: '2026-04-01T07:05:30.125Z' },
      ...{ decided_on: null, decided_by: null, reason: null, note: null },
    });
    const first = Array.from({ length: 50 }, (_, n) => waiting(n));
    await page.route(/\/application\?/, (route) =>
      new URL(route.request().url()).searchParams.has('after')
        ? route.fulfill({ json: [waiting(50)] })
        : route.fulfill({ json: first, headers: { 'x-next': 'the-next-page' } }),
    );
    await open('/inbox', moderator);
    await page.getByRole('link', { name: /^Inbox 50\+/ }).waitFor();
    await page.getByText('No answer.').first().waitFor();
    await button('Show more').click();
    await page.getByText('Number 50 waits.').waitFor();
    await page.getByRole('link', { name: /^Inbox 51 / }).waitFor();
    expect(tab.complaints).toEqual([]);
  });

  it('D110: an owner is told what administrators alone may set, and is offered nothing that would be refused', async () => {
    const params = { group_id: groupId };
    const { character_name: owner } = await ok(
      operator.user.get({ params: { character_name: String(PILOT) } }),
    );
    const former = (await ok(operator.group.get({ params }))).owner?.character_name;
    await ok(operator.group.update({ params, body: { owner } }));
    await open(`/group/${groupId}`, pilot);
    await goToPart('Joining');
    await page.getByText('administrators alone may set that').waitFor();
    expect(await page.getByRole('combobox', { name: 'Judged' }).count()).toBe(0);
    expect(await button('Save policy').count()).toBe(1);
    await ok(operator.group.setPolicy({ params, body: { reach: 'person' } }));
    await open(`/group/${groupId}`, pilot);
    await goToPart('Joining');
    await page.getByText('It reaches persons').waitFor();
    expect(await button('Save policy').count()).toBe(0);
    await open(`/group/${groupId}`, administrator);
    await goToPart('Joining');
    await page.getByRole('combobox', { name: 'Judged' }).click();
    await page.getByRole('option', { name: 'Each character for itself' }).click();
    await button('Save policy').click();
    await page.getByText('The policy is saved.').waitFor();
    expect((await ok(operator.group.policy({ params }))).reach).toBe('character');
    await ok(operator.group.update({ params, body: { owner: former } }));
    expect(tab.complaints).toEqual([]);
  });

  it('D110: what an owner set before a group got a say in logging in is closed, and counts once it is saved', async () => {
    const made = await ok(operator.group.create({ body: { group_name: 'Gate', description: '' } }));
    const { character_name: owner } = await ok(
      operator.user.get({ params: { character_name: String(PILOT) } }),
    );
    await ok(operator.group.update({ params: made, body: { owner } }));
    const client = createClient({ baseUrl: instance.url, token: pilot });
    await ok(client.group.setPolicy({ params: made, body: { joining: 'open' } }));
    await open(`/group/${made.group_id}`, administrator);
    await goToPart('Joining');
    const joining = page.getByRole('combobox', { name: 'Joining' });
    await expect.poll(() => joining.inputValue()).toBe('Open: whoever is eligible may join');
    expect(await button('Save policy').isDisabled()).toBe(true);
    const login = page.getByRole('region', { name: 'Logging in' });
    await login.getByText('Let in', { exact: true }).click();
    await login.getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => joining.inputValue()).toBe('The owner adds members');
    await page.getByText('What its owner had set before counts as closed').waitFor();
    await button('Save policy').click();
    await page.getByText('The policy is saved.').waitFor();
    const told = await ok(operator.audit.list({ query: { target: `group:${made.group_id}` } }));
    const counts = { field: 'by_administrator', before: false, after: true };
    expect(told.flatMap(({ changes }) => changes)).toContainEqual(counts);
    await joining.click();
    await page.getByRole('option', { name: /^Open/ }).click();
    await button('Save policy').click();
    await expect.poll(async () => (await ok(operator.group.policy({ params: made }))).joining).toBe('open');
    await operator.group.delete({ params: made });
    expect(tab.complaints).toEqual([]);
  });

  it('D111: what was applied for can be withdrawn after the group was hidden', async () => {
    const hidden = await ok(operator.group.create({ body: { group_name: 'Hidden', description: '' } }));
    await ok(operator.group.setPolicy({ params: hidden, body: { joining: 'application' } }));
    const client = createClient({ baseUrl: instance.url, token: pilot });
    const { application_id } = await ok(client.group.apply({ params: hidden, body: { message: 'Let me.' } }));
    await ok(operator.group.setPolicy({ params: hidden, body: { visible_to: 'members' } }));
    await open('/groups', pilot);
    await goToPart('My applications');
    await button('Withdraw the application to Hidden').click();
    await button('Withdraw the application to Hidden').waitFor({ state: 'detached' });
    const mine = await ok(client.application.list({ query: { role: 'applicant' } }));
    expect(mine.find((each) => each.application_id === application_id)?.state).toBe('withdrawn');
    expect(await faultsOf('my-applications', TWO_LOOKS)).toEqual([]);
    await operator.group.delete({ params: hidden });
    expect(tab.complaints).toEqual([]);
  });

  it('the focus stays in the list when the button that had it goes', async () => {
    const open_group = await ok(
      operator.group.create({ body: { group_name: 'Open to all', description: '' } }),
    );
    await ok(operator.group.setPolicy({ params: open_group, body: { joining: 'open' } }));
    await open('/groups', pilot);
    await goToPart('To join');
    await button('Join Open to all').press('Enter');
    await page.getByText('You are a member of Open to all now.').waitFor();
    await page.getByRole('region', { name: 'List: Groups to join' }).and(focused()).waitFor();
    await operator.group.delete({ params: open_group });
  });

  it('a number of more digits than can be told apart is cut, and not changed', async () => {
    await open(`/group/${groupId}`, administrator);
    await goToPart('Joining');
    await page.getByLabel('Days that an application is open').fill('9'.repeat(24));
    expect(await page.getByLabel('Days that an application is open').inputValue()).toBe('999999999');
  });

  it('D110: what is typed while a policy is saved stays, and so does what others set meanwhile', async () => {
    const params = { group_id: groupId };
    let answer: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route(/\/policy$/, async (route) => {
      if (route.request().method() === 'PUT') await held;
      await route.continue();
    });
    await openLive(`/group/${groupId}`, administrator);
    await goToPart('Joining');
    await page.getByRole('combobox', { name: 'Members of these groups' }).click();
    await page.getByRole('option', { name: 'Wardens' }).click();
    await page.keyboard.press('Escape');
    const users = [OTHER, MODERATOR];
    await ok(operator.group.setPolicy({ params, body: { moderators: { users, groups: [] } } }));
    const { character_name } = await ok(operator.user.get({ params: { character_name: String(OTHER) } }));
    await page
      .getByRole('group', { name: /^Who decides/ })
      .getByText(character_name)
      .waitFor();
    await button('Save policy').click();
    await page.getByLabel('Questions').fill('Who knows you?');
    answer();
    await page.getByText('The policy is saved.').waitFor();
    expect(await page.getByLabel('Questions').inputValue()).toBe('Who knows you?');
    expect((await ok(operator.group.policy({ params }))).moderators).toEqual({ users, groups: [groupId] });
    await button('Take back').click();
    expect(await page.getByLabel('Questions').inputValue()).toBe('Since when do you fly?');
    expect(tab.complaints).toEqual([]);
  });

  it('D121: who would have to leave by a policy is named before it is saved', async () => {
    const params = { group_id: groupId };
    const { character_name } = await ok(operator.user.get({ params: { character_name: String(PILOT) } }));
    await ok(operator.group.update({ params, body: { add_members: [character_name] } }));
    await open(`/group/${groupId}`, administrator);
    await goToPart('Joining');
    await page.getByRole('combobox', { name: 'Level' }).click();
    await page.getByRole('option', { name: '1 or more' }).click();
    await button('Save policy').click();
    await dialog().getByText('1 person will no longer be in the group Wardens').waitFor();
    await dialog().getByText(character_name).waitFor();
    await dialog().getByRole('button', { name: 'Leave it' }).click();
    await dialog().waitFor({ state: 'detached' });
    expect((await ok(operator.group.policy({ params }))).eligible.min_level).toBe(0);
    await settled();
    await heading('Wardens').waitFor();
    expect(tab.complaints).toEqual([]);
  });
});

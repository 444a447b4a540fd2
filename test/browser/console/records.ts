import { describe, expect, it, onTestFinished } from 'vitest';
import { createClient, ok } from '../../../sdk/src/index.ts';
import { violations } from '../../harness/axe.ts';
import { PHONE } from '../../harness/chromium.ts';
import {
  ADMINISTRATOR,
  at,
  button,
  focused,
  heading,
  instance,
  MODERATOR,
  OTHER,
  open,
  openLive,
  operator,
  PILOT,
  page,
  requireScopes,
  settled,
  signIn,
  signInAsAdministrator,
  tab,
  tokenOf,
} from './stage.ts';

describe('D101: my characters', () => {
  it('another one is proven by signing in with it, and one stays signed in as one is', async () => {
    await signIn(PILOT);
    await page.getByRole('navigation').getByRole('link', { name: 'My characters' }).click();
    await button('Add a character').click();
    await page.locator(`button[name=character_id][value="${OTHER}"]`).click();
    await page.getByText('The character is yours here, too.').waitFor();
    expect(page.url()).toBe(at('/characters'));
    await page.getByRole('button', { name: /^Take out \S/ }).waitFor();
    await page.getByRole('button', { name: /^Make main: / }).press('Enter');
    await heading('My characters').and(focused()).waitFor();
    await button('Add a character').click();
    await page.locator(`button[name=character_id][value="${PILOT}"]`).click();
    const alert = page.getByRole('alert');
    await alert.getByText('It is of the very character that asks.').waitFor();
    expect(await alert.getByText('user_token').count()).toBe(0);
    await page.reload();
    await page.getByRole('button', { name: /^Take out \S/ }).waitFor();
    const { characters } = await ok(operator.user.person({ params: { character: String(PILOT) } }));
    expect(characters.map(({ user }) => user.character_id).sort()).toEqual([OTHER, PILOT].sort());
    expect(await violations(page)).toEqual([]);
    await tab.screenshot('console-my-characters');
    const token = await page.evaluate('localStorage.getItem("castellan.user-token")');
    const me = createClient({ baseUrl: instance.url, token: String(token) });
    expect((await ok(me.token.current())).owner.character_id).toBe(PILOT);
    expect(tab.complaints).toEqual([expect.stringContaining('422')]);
  });

  it('D101: while one is made the main character, this is seen, and no other one is', async () => {
    let answer: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route(/\/person\/current$/, async (route) => {
      if (route.request().method() === 'PUT') {
        await held;
        return route.fulfill({ status: 409, json: { detail: 'Not now.', code: 'conflict' } });
      }
      const person = await (await route.fetch()).json();
      const [one] = person.characters;
      const named = (id: number, character_name: string) => ({
        ...one,
        user: { ...one.user, character_id: id, character_name },
      });
      const characters = [...person.characters, named(2_112_999_998, 'One'), named(2_112_999_999, 'Two')];
      return route.fulfill({ json: { ...person, characters } });
    });
    await open('/characters', await tokenOf(PILOT));
    const pressed = button('Make main: One');
    await pressed.click();
    await pressed.and(page.locator('[data-loading]')).waitFor();
    expect(await button('Make main: Two').isDisabled()).toBe(true);
    answer();
    await page.getByRole('alert').getByText('Not now.').waitFor();
    expect(await pressed.isEnabled()).toBe(true);
    expect(await button('Make main: Two').isEnabled()).toBe(true);
  });

  it('D101: the built-in user is offered none, as the service refuses it', async () => {
    const { user_token } = await ok(operator.token.createUserToken());
    await open('/characters', user_token);
    await settled();
    await page.getByText('The built-in user has no other characters.').waitFor();
    expect(await button('Add a character').count()).toBe(0);
  });
});

describe('from the screen of one record to that of another', () => {
  /** Other records may be named alike: an autogroup is named as its corporation. */
  const find = async (name: string, kind: string) => {
    await page.keyboard.press('Control+k');
    // In the dialog: until it is there, the focus may be on another combobox.
    await page.getByRole('dialog', { name: 'Find' }).getByRole('combobox').fill(name);
    const ofKind = { has: page.getByText(kind, { exact: true }) };
    await page.getByRole('option', { name }).filter(ofKind).first().click();
    await heading(name).waitFor();
    await settled();
  };

  it('D16: the level that was chosen for one user is not offered for the next one', async () => {
    await Promise.all([tokenOf(PILOT), tokenOf(OTHER)]);
    const one = await ok(operator.user.get({ params: { character_name: String(PILOT) } }));
    const other = await ok(operator.user.get({ params: { character_name: String(OTHER) } }));
    await signInAsAdministrator();
    await page.goto(at(`/user/${encodeURIComponent(one.character_name)}`));
    const level = page.getByRole('combobox', { name: 'New level' });
    await level.click();
    await page.getByRole('option', { name: /^6:/ }).click();
    await find(other.character_name, 'User');
    expect(await level.inputValue()).toMatch(new RegExp(`^${other.clearance_level}:`));
    expect(await button('Set level').isDisabled()).toBe(true);
    expect(tab.complaints).toEqual([]);
  });

  it('D70: a user whose id is in the address is shown by name', async () => {
    await tokenOf(PILOT);
    const { character_name } = await ok(operator.user.get({ params: { character_name: String(PILOT) } }));
    await open(`/user/${PILOT}`, await tokenOf(ADMINISTRATOR));
    await heading(character_name).waitFor();
    await expect.poll(() => page.title()).toBe(`${character_name} · castellan`);
  });

  it('D38: of two users with one name the one is opened that was chosen, from a list and by the palette', async () => {
    await Promise.all([tokenOf(PILOT), tokenOf(OTHER)]);
    const nameOf = async (id: number) =>
      (await ok(operator.user.get({ params: { character_name: String(id) } }))).character_name;
    const [own, name] = [await nameOf(PILOT), await nameOf(OTHER)];
    const { group_id } = await ok(
      operator.group.create({ body: { group_name: 'Namesakes', description: '' } }),
    );
    onTestFinished(async () => {
      await operator.group.delete({ params: { group_id } });
    });
    const add_members = [own, name];
    await ok(operator.group.update({ params: { group_id }, body: { add_members } }));
    // The one has the name of the other one, who was seen last: by that name the service gives the other one.
    const records = new RegExp(`^${instance.url}/(group/${group_id}|user/${PILOT})$`);
    await page.route(records, async (route) => {
      const text = await (await route.fetch()).text();
      await route.fulfill({ json: JSON.parse(text.replaceAll(own, name)) });
    });
    const namesakes = [OTHER, PILOT].map((character_id) => ({ character_id, character_name: name }));
    await page.route(/\/user\?/, (route) => route.fulfill({ json: namesakes }));
    const shown = async () => {
      await heading(name).waitFor();
      await expect.poll(() => page.title()).toBe(`${name} · castellan`);
      const record = page.getByRole('region', { name: 'Record' });
      return Number(await record.locator('dd').first().innerText());
    };
    await open(`/group/${group_id}`, await tokenOf(ADMINISTRATOR));
    const links = page.getByRole('region', { name: 'List: Members' }).getByRole('link', { name });
    await expect.poll(() => links.count()).toBe(2);
    const opened: number[] = [];
    for (const n of [0, 1]) {
      await links.nth(n).click();
      opened.push(await shown());
      await page.goBack();
      await heading('Namesakes').waitFor();
    }
    expect(opened.toSorted()).toEqual([OTHER, PILOT]);
    for (const [n, id] of [OTHER, PILOT].entries()) {
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog', { name: 'Find' }).getByRole('combobox').fill(name);
      const user = { has: page.getByText('User', { exact: true }) };
      const options = page.getByRole('option', { name }).filter(user);
      await expect.poll(() => options.count()).toBe(2);
      await options.nth(n).click();
      expect(await shown()).toBe(id);
      await page.goBack();
      await heading('Namesakes').waitFor();
    }
    expect(tab.complaints).toEqual([]);
  });

  it('D28: the invitation of one corporation is not shown as that of the next one', async () => {
    const [one, other] = await ok(operator.corporation.list());
    await signInAsAdministrator();
    await page.goto(at(`/corporation/${one?.corporation_id}`));
    await button('Invite a guest').click();
    await page.getByText('/invitation#').waitFor();
    await find(other?.corporation_name ?? '', 'Corporation');
    expect(await page.getByText('/invitation#').count()).toBe(0);
    expect(tab.complaints).toEqual([]);
  });
});

describe('D71: whoever is called exactly what is typed', () => {
  const NAME = 'Bo';
  const others = (n: number) =>
    Array.from({ length: n }, (_, at) => ({
      character_id: 2_112_999_000 + at,
      character_name: `${NAME} Carter ${at}`,
    }));
  const exact = { character_id: 2_112_999_999, character_name: NAME };
  /** The page of names that contain it; by its name the service gives the one itself. */
  const call = async (listed: readonly object[]) => {
    const user = await ok(operator.user.get({ params: { character_name: '0' } }));
    await page.route(/\/user\?/, (route) => route.fulfill({ json: listed }));
    await page.route(new RegExp(`/user/(${NAME}|${exact.character_id})$`), (route) =>
      route.fulfill({ json: { ...user, ...exact } }),
    );
  };
  const lists = (limit: number) => [
    { where: 'beyond a full page', listed: others(limit) },
    { where: 'last on a full page', listed: [...others(limit - 1), exact] },
  ];

  it.each(lists(12))('comes first in the palette, and once: $where', async ({ listed }) => {
    await call(listed);
    await open('/', await tokenOf(ADMINISTRATOR));
    await settled();
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Find' }).getByRole('combobox').fill(NAME);
    await page.getByRole('option').first().getByText(NAME, { exact: true }).waitFor();
    expect(await page.getByRole('option').getByText(NAME, { exact: true }).count()).toBe(1);
    expect(tab.complaints).toEqual([]);
  });

  it.each(lists(20))('comes first among those who may decide, and once: $where', async ({ listed }) => {
    const params = await ok(operator.group.create({ body: { group_name: 'Of many', description: '' } }));
    onTestFinished(async () => {
      await operator.group.delete({ params });
    });
    await call(listed);
    await open(`/group/${params.group_id}`, await tokenOf(ADMINISTRATOR));
    await page.getByRole('tab', { name: 'Joining' }).click();
    const search = page.getByRole('combobox', { name: 'People' });
    await search.fill(NAME);
    await page
      .getByRole('option', { name: NAME, exact: true })
      .and(page.locator('[data-combobox-selected]'))
      .waitFor();
    expect(await page.getByRole('option', { name: NAME, exact: true }).count()).toBe(1);
    expect(await page.getByRole('option').first().innerText()).toBe(NAME);
    await search.press('Enter');
    await page.locator('.mantine-MultiSelect-pill', { hasText: NAME }).waitFor();
    expect(tab.complaints).toEqual([]);
  });
});

describe('D121: a deletion that is asked for by the keyboard', () => {
  it('is not confirmed by a second Enter before it is shown whom it concerns', async () => {
    const { group_id } = await ok(operator.group.create({ body: { group_name: 'Soon Gone' } }));
    const find = () => operator.group.get({ params: { group_id } });
    await signInAsAdministrator();
    let answer = () => {};
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route(/dry_run=true/, async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(at(`/group/${group_id}`));
    await button('Delete group').press('Enter');
    const confirming = page.getByRole('dialog').getByRole('button', { name: 'Delete group' });
    await confirming.and(focused()).waitFor();
    await page.keyboard.press('Enter');
    expect(await confirming.getAttribute('aria-disabled')).toBe('true');
    answer();
    await page
      .getByRole('dialog')
      .getByRole('status')
      .filter({ hasText: 'in the group Soon Gone' })
      .waitFor();
    await page
      .locator('[role=dialog] button:not([aria-disabled=true])', { hasText: 'Delete group' })
      .waitFor();
    expect((await ok(find())).group_name).toBe('Soon Gone');
    await page.keyboard.press('Enter');
    await expect.poll(async () => (await find()).status).toBe(404);
    await page.unroute(/dry_run=true/);
    expect(tab.complaints).toEqual([]);
  });
});

describe('what happens elsewhere', () => {
  it('is seen by whom it is about: the level on the own screen follows', async () => {
    const setLevel = async (clearance_level: 0 | 1) => {
      await ok(operator.user.update({ params: { character_id: PILOT }, body: { clearance_level } }));
    };
    await openLive('/', await tokenOf(PILOT));
    await settled();
    onTestFinished(() => setLevel(0));
    await setLevel(1);
    await page.getByText('Level 1', { exact: true }).waitFor();
    await setLevel(0);
    await page.getByText('Level 0', { exact: true }).waitFor();
    expect(tab.complaints).toEqual([]);
  });

  const ofGroup = async (group_name: string) => {
    const params = await ok(operator.group.create({ body: { group_name, description: '' } }));
    const remove = () => ok(operator.group.delete({ params }));
    return { path: `/group/${params.group_id}`, name: group_name, remove };
  };
  const ofCoalition = async (coalition_name: string) => {
    const params = await ok(operator.coalition.create({ body: { coalition_name, ticker: 'GONE' } }));
    const remove = () => ok(operator.coalition.delete({ params }));
    return { path: `/coalition/${params.coalition_id}`, name: coalition_name, remove };
  };
  const ofUser = async () => {
    await tokenOf(MODERATOR);
    const character = { character_name: String(MODERATOR) };
    const { character_name: name } = await ok(operator.user.get({ params: character }));
    const remove = () => ok(operator.user.delete({ params: { character_id: MODERATOR } }));
    return { path: `/user/${encodeURIComponent(name)}`, name, remove };
  };

  it.each([
    { of: 'group', make: ofGroup },
    { of: 'coalition', make: ofCoalition },
    { of: 'user', make: ofUser },
  ])('is seen: the screen of a $of that was deleted shows it no longer', async ({ make }) => {
    const { path, name, remove } = await make('Deleted elsewhere');
    await openLive(path, await tokenOf(ADMINISTRATOR));
    await heading(name).waitFor();
    await remove();
    await heading('This cannot be shown').waitFor();
  });

  it('is seen: a record that was said to be gone is shown when it is asked for again and is there', async () => {
    const { path, name, remove } = await ofGroup('Gone and back');
    let isGone = false;
    await page.route(`${instance.url}${path}`, (route) =>
      isGone
        ? route.fulfill({ status: 404, json: { detail: 'It is gone.', code: 'not_found' } })
        : route.continue(),
    );
    await openLive(path, await tokenOf(ADMINISTRATOR));
    await heading(name).waitFor();
    isGone = true;
    const other = await ofGroup('Beside it');
    await page.getByRole('alert').getByText('It is gone.').waitFor();
    isGone = false;
    await button('Try again').click();
    await heading(name).waitFor();
    await remove();
    await other.remove();
  });

  it('is no error to whoever deletes a group: the list of groups follows', async () => {
    const { path, name } = await ofGroup('Deleted here');
    await page.addInitScript(`(() => {
      window.titles = new Set();
      const note = () => titles.add(document.querySelector('h1')?.textContent);
      new MutationObserver(note).observe(document, { subtree: true, childList: true });
    })()`);
    await openLive(path, await tokenOf(ADMINISTRATOR));
    await heading(name).waitFor();
    await button('Delete group').click();
    const confirming = page.locator('[role=dialog] button:not([aria-disabled=true])', {
      hasText: 'Delete group',
    });
    await confirming.waitFor();
    const gone = page
      .waitForResponse((response) => response.url().endsWith(path) && response.status() === 404)
      .catch(() => undefined);
    const list = heading('Groups').waitFor();
    // The list is late, so that the group is seen to be gone before.
    await page.route(`${instance.url}/group`, async (route) => {
      await Promise.race([gone, list]);
      await route.continue();
    });
    await confirming.click();
    await list;
    expect(await page.evaluate('[...titles]')).not.toContain('This cannot be shown');
  });

  it('is seen: whom the game renamed is a member of a group by the new name', async () => {
    await tokenOf(PILOT);
    const { character_name } = await ok(operator.user.get({ params: { character_name: String(PILOT) } }));
    const { path, remove } = await ofGroup('Of one who is renamed');
    const params = { group_id: path.split('/').at(-1) ?? '' };
    await ok(operator.group.update({ params, body: { add_members: [character_name] } }));
    let isRenamed = false;
    let rename: () => void = () => undefined;
    const renamed = new Promise<void>((resolve) => {
      rename = () => {
        isRenamed = true;
        resolve();
      };
    });
    await page.route(/\/event\?/, async (route) => {
      await renamed;
      const cursor = new URL(route.request().url()).searchParams.get('after');
      await route.fulfill({ json: { events: [{ type: 'user.renamed' }], cursor, more: false } });
    });
    await page.route(`${instance.url}${path}`, async (route) => {
      const text = await (await route.fetch()).text();
      const json = JSON.parse(isRenamed ? text.replaceAll(character_name, 'Anew') : text);
      await route.fulfill({ json });
    });
    await openLive(path, await tokenOf(ADMINISTRATOR));
    await button(`Remove ${character_name}`).waitFor();
    rename();
    await button('Remove Anew').waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await remove();
    expect(tab.complaints).toEqual([]);
  });

  it('is asked for every two seconds at most, however many events there are', async () => {
    let cursor = 1;
    let asked = 0;
    await page.route(/\/event\?/, (route) => {
      cursor += 1;
      return route.fulfill({
        json: { events: [{ type: 'group.updated' }], cursor: String(cursor), more: false },
      });
    });
    await page.route(/\/group$/, (route) => {
      asked += 1;
      return route.continue();
    });
    await signInAsAdministrator();
    await page.goto(at('/groups'));
    await settled();
    const before = asked;
    await new Promise((resolve) => setTimeout(resolve, 6_000));
    expect(asked - before).toBeGreaterThan(0);
    expect(asked - before).toBeLessThan(5);
    expect(tab.complaints).toEqual([]);
  });
});

describe('D40: the voice server', () => {
  it('a nickname whose time is over is not offered to be confirmed', async () => {
    await page.route(/\/voice\/auth\/start$/, (route) =>
      route.fulfill({
        json: {
          challenge_nickname: 'abcdefghijklmnopqrst',
          expiration_datetime: '2026-03-02T07:05:30.125Z',
          user: { character_id: PILOT, character_name: 'A pilot' },
        },
      }),
    );
    await signIn(PILOT);
    await button('Begin').click();
    await page.getByText('The time for that nickname is over').waitFor();
    expect(await button('I have that nickname').count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    await button('Another nickname').waitFor();
  });

  it('a nickname lasts by the clock of the service, which that of the browser may be far ahead of', async () => {
    const HOUR = 3_600_000;
    await page.route(/\/voice\/auth\/start$/, async (route) => {
      const response = await route.fetch();
      const sent = Date.parse(String(response.headers().date));
      const { expiration_datetime, ...challenge } = await response.json();
      const anHourAgo = new Date(Date.parse(expiration_datetime) - HOUR).toISOString();
      await route.fulfill({
        headers: { ...response.headers(), date: new Date(sent - HOUR).toUTCString() },
        json: { ...challenge, expiration_datetime: anHourAgo },
      });
    });
    await signIn(PILOT);
    await button('Begin').click();
    await button('I have that nickname').waitFor();
    await page.getByText(/^Until .* EVE \(in \d minutes?\)$/).waitFor();
    expect(tab.complaints).toEqual([]);
  });
});

describe('required scopes', () => {
  it('that somebody else sets are shown, and not offered to be taken back by a save', async () => {
    await openLive('/corporation/98000001', await tokenOf(ADMINISTRATOR));
    await button('Save').waitFor();
    await settled();
    await requireScopes(98_000_001, ['ext-mail.read_mail.v1']);
    await page.getByText('ext-mail.read_mail.v1').first().waitFor();
    expect(await button('Save').isDisabled()).toBe(true);
    expect(await button('Take back').count()).toBe(0);
    expect(tab.complaints).toEqual([]);
  });
});

describe('D94: the audit', () => {
  it('tells an administrator who made a group, and what is on the screen follows what happens elsewhere', async () => {
    await openLive('/groups', await tokenOf(ADMINISTRATOR));
    await page.getByRole('searchbox').fill('Made elsewhere');
    await ok(operator.group.create({ body: { group_name: 'Made elsewhere', description: '' } }));
    await page.getByRole('link', { name: 'Made elsewhere' }).waitFor();
    await page.goto(at('/audit'));
    await page.getByLabel('Types').fill('group.created, coalition.created,');
    await button('Look up').click();
    const entry = page.getByRole('listitem').filter({ hasText: 'Made elsewhere' });
    // Until the answer is there the list shows what it showed before: that somebody is its member.
    await expect.poll(() => entry.count()).toBe(1);
    await entry.locator('summary').click();
    await entry.getByText('(built-in)').waitFor();
    expect(await violations(page)).toEqual([]);
    expect(tab.complaints).toEqual([]);
  });
});

describe('D94: an entry of the audit', () => {
  it('asks for whom it names when it is opened, by the keyboard too, and stays open as others come', async () => {
    await openLive('/audit', await tokenOf(ADMINISTRATOR));
    await settled();
    const asked = () => tab.requested.filter(({ pathname }) => /^\/user\/[0-9]+$/.test(pathname));
    const entry = page.getByRole('listitem').filter({ hasText: '(a user)' });
    const summary = page.getByRole('listitem').locator('summary').first();
    await summary.waitFor();
    expect(asked()).toEqual([]);
    expect(await entry.count()).toBe(0);
    await summary.press('Enter');
    await entry.getByRole('link').first().waitFor();
    expect(asked()).not.toEqual([]);
    await ok(operator.group.create({ body: { group_name: 'Beside it', description: '' } }));
    const fresh = page
      .getByRole('listitem')
      .filter({ hasText: 'Group created' })
      .filter({ hasText: 'Beside it' });
    await fresh.waitFor();
    await entry.getByRole('link').first().waitFor();
    expect(await fresh.locator('dl').count()).toBe(0);
    expect(tab.complaints).toEqual([]);
  });
});

describe('D28: invitations of guests', () => {
  it('each stays in sight when another one is made', async () => {
    await open('/corporation/98000001', await tokenOf(ADMINISTRATOR));
    const links = page.getByText('/console/invitation#');
    for (const made of [1, 2]) {
      await button('Invite a guest').click();
      await expect.poll(() => links.count()).toBe(made);
      await button(`Copy invitation ${made}`).waitFor();
    }
    const [one, two] = await links.allInnerTexts();
    expect(one).not.toBe(two);
    expect(tab.complaints).toEqual([]);
  });
});

describe('D91: the history of a group', () => {
  it('names who came and who left', async () => {
    const { group_id } = await ok(
      operator.group.create({ body: { group_name: 'Comings', description: '' } }),
    );
    await tokenOf(OTHER);
    const { character_name } = await ok(operator.user.get({ params: { character_name: String(OTHER) } }));
    const change = (body: object) => ok(operator.group.update({ params: { group_id }, body }));
    await change({ add_members: [character_name] });
    await change({ remove_members: [character_name] });
    await signInAsAdministrator();
    await page.goto(at(`/group/${group_id}`));
    await page.getByRole('tab', { name: 'History' }).click();
    const summaries = page.getByRole('listitem').locator('summary', { hasText: 'members changed' });
    // With whoever made it.
    await expect.poll(() => summaries.count()).toBe(3);
    for (const summary of await summaries.all()) await summary.click();
    for (const words of ['Came:', 'Left:']) {
      const entry = page.locator('details', { hasText: `${words} ${character_name}` });
      await entry.getByRole('link', { name: character_name }).waitFor();
    }
    await ok(operator.group.delete({ params: { group_id } }));
    expect(tab.complaints).toEqual([]);
  });
});

describe('D81: applications of OpenID Connect', () => {
  it('one is registered, its secret is shown once, and it is changed and deleted', async () => {
    await signInAsAdministrator();
    await page.goto(at('/applications'));
    await button('New client').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Wiki');
    await dialog.getByLabel('Redirect URIs').fill('http://wiki.example/callback');
    await dialog.getByRole('button', { name: 'New client' }).click();
    await dialog.getByText('Must be https, unless it leads to localhost').waitFor();
    await dialog.getByLabel('Redirect URIs').fill('https://wiki.example/callback');
    await dialog.getByRole('button', { name: 'New client' }).click();
    await page.getByText('The secret of Wiki').waitFor();
    const [client] = await ok(operator.oidc.listClients());
    expect(client).toMatchObject({ client_name: 'Wiki', redirect_uris: ['https://wiki.example/callback'] });
    expect(await violations(page)).toEqual([]);
    await page.reload();
    await page.getByRole('heading', { name: 'Wiki' }).waitFor();
    expect(await page.getByText('It is shown this once').count()).toBe(0);
    await button('Delete client').click();
    await dialog.getByRole('button', { name: 'Delete client' }).click();
    await page.getByText('There is no client yet.').waitFor();
    expect(await ok(operator.oidc.listClients())).toEqual([]);
  });

  it('the secret of the last of many, renewed on a phone, is shown where it was renewed, and by its name', async () => {
    const clients: string[] = [];
    for (let n = 0; n < 9; n++) {
      const body = { client_name: `Wiki ${n}`, redirect_uris: ['https://wiki.example/callback'] };
      clients.push((await ok(operator.oidc.createClient({ body }))).client_id);
    }
    await page.setViewportSize(PHONE);
    await signInAsAdministrator();
    await page.goto(at('/applications'));
    const card = page.locator('section.card').last();
    const name = await card.getByRole('heading').innerText();
    await card.getByRole('button', { name: 'Renew secret' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Renew secret' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const secret = page.getByRole('status').filter({ hasText: `The secret of ${name}` });
    await secret.waitFor();
    const { y = -1, height = 0 } = (await secret.boundingBox()) ?? {};
    expect(y).toBeGreaterThanOrEqual(0);
    expect(Math.floor(y + height)).toBeLessThanOrEqual(PHONE.height);
    expect(await violations(page)).toEqual([]);
    for (const client_id of clients) await operator.oidc.deleteClient({ params: { client_id } });
    expect(tab.complaints).toEqual([]);
  });

  it('one that somebody else restricts while it is edited stays restricted', async () => {
    const { group_id } = await ok(operator.group.create({ body: { group_name: 'Let in', description: '' } }));
    const one = 'https://wiki.example/callback';
    const two = 'https://wiki.example/second';
    const made = await ok(
      operator.oidc.createClient({ body: { client_name: 'Open', redirect_uris: [one] } }),
    );
    const params = { client_id: made.client_id };
    await openLive('/applications', await tokenOf(ADMINISTRATOR));
    await page.getByRole('region', { name: 'Open' }).getByRole('button', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Closed');
    const body = { allowed_groups: [group_id], redirect_uris: [one, two] };
    await ok(operator.oidc.updateClient({ params, body }));
    await page.locator('dl').getByText(two).waitFor();
    await dialog.getByRole('button', { name: 'Edit' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await ok(operator.oidc.getClient({ params }))).toMatchObject({ client_name: 'Closed', ...body });
    await operator.oidc.deleteClient({ params });
    await operator.group.delete({ params: { group_id } });
    expect(tab.complaints).toEqual([]);
  });

  it('one whose groups were all deleted says so, and does not offer to let in everybody by a save', async () => {
    const { group_id } = await ok(operator.group.create({ body: { group_name: 'Gone', description: '' } }));
    const body = { redirect_uris: ['https://wiki.example/callback'], allowed_groups: [group_id] };
    const { client_id } = await ok(operator.oidc.createClient({ body: { client_name: 'Lonely', ...body } }));
    await ok(operator.group.delete({ params: { group_id } }));
    await signInAsAdministrator();
    await page.goto(at('/applications'));
    await page.getByRole('region', { name: 'Lonely' }).getByRole('button', { name: 'Edit' }).click();
    const box = page.getByRole('dialog').getByLabel('Only members of some groups');
    await page.getByText('The groups that it let in were deleted').waitFor();
    expect([await box.isChecked(), await box.isDisabled()]).toEqual([true, true]);
    expect(await violations(page)).toEqual([]);
    await operator.oidc.deleteClient({ params: { client_id } });
    expect(tab.complaints).toEqual([]);
  });
});

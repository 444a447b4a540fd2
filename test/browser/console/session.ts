import { describe, expect, it, onTestFinished } from 'vitest';
import { createClient, ok } from '../../../sdk/src/index.ts';
import {
  ADMINISTRATOR,
  at,
  browser,
  button,
  goToPart,
  heading,
  instance,
  OTHER,
  open,
  operator,
  PILOT,
  page,
  requireScopes,
  settled,
  signIn,
  tab,
  tokenOf,
} from './stage.ts';

describe('D130: the session', () => {
  it('leaves no token in the address or the history, survives a reload, and ends in every tab', async () => {
    await signIn(OTHER);
    expect(page.url()).toBe(at('/'));
    await page.reload();
    await heading('My standing').waitFor();
    const token = (await page.evaluate('localStorage.getItem("castellan.user-token")')) as string;
    const other = await browser.open();
    await other.page.goto(at('/groups'));
    await other.page.getByRole('heading', { name: 'Groups', level: 1 }).waitFor();
    await button('Sign out').click();
    await button('Sign in with the game').waitFor();
    await other.page.getByRole('button', { name: 'Sign in with the game' }).waitFor();
    const answer = await fetch(`${instance.url}/token`, { headers: { authorization: `Bearer ${token}` } });
    expect(answer.status).toBe(401);
    await page.goBack();
    expect(page.url()).not.toContain('user_token');
    await other.page.close();
  });

  it.each([
    { width: 640, height: 360 },
    { width: 1280, height: 400 },
  ])('can be ended in a window of $width x $height, which is lower than the menu', async (size) => {
    await page.setViewportSize(size);
    await open('/', await tokenOf(PILOT));
    await settled();
    if (await button('Menu').isVisible()) await button('Menu').click();
    await page.getByRole('navigation').hover();
    await page.mouse.wheel(0, 1_000);
    // A click would scroll even what cannot be scrolled by hand.
    await expect.poll(async () => (await button('Sign out').boundingBox())?.y).toBeLessThan(size.height - 40);
    await button('Sign out').click();
    await button('Sign in with the game').waitFor();
  });

  it('says what is missing where the browser lets the page store nothing, and takes a token out of the address', async () => {
    await page.addInitScript(`for (const storage of ['localStorage', 'sessionStorage'])
      Object.defineProperty(window, storage, { get() { throw new DOMException('', 'SecurityError'); } });`);
    await page.goto(at('/signed-in?state_code=0b7c8f7e-6f5d-4c3b-9a21-0f1e2d3c4b5a&user_token=eyJ.x.y'));
    await page.getByRole('alert').getByText('does not let the page store anything').waitFor();
    expect(page.url()).toBe(at('/'));
    expect(tab.complaints).toEqual([]);
    await page.goto('about:blank');
  });

  it('a sign-in that another browser began is refused, and its token is taken out of the address', async () => {
    await page.goto(at('/signed-in?state_code=0b7c8f7e-6f5d-4c3b-9a21-0f1e2d3c4b5a&user_token=eyJ.x.y'));
    await page.getByText('This sign-in was not begun in this browser').waitFor();
    expect(page.url()).toBe(at('/'));
    expect(await page.evaluate('localStorage.getItem("castellan.user-token")')).toBeNull();
    await tab.screenshot('console-refused');
  });

  const choose = (characterId: number) =>
    page.locator(`button[name=character_id][value="${characterId}"]`).click();
  const kept = async () => String(await page.evaluate('localStorage.getItem("castellan.user-token")'));
  const statusOf = async (token: string) =>
    (await fetch(`${instance.url}/token`, { headers: { authorization: `Bearer ${token}` } })).status;
  const revoke = (token: string) => ok(createClient({ baseUrl: instance.url, token }).token.logout());
  const makeGroup = async (group_name: string) => {
    const params = await ok(operator.group.create({ body: { group_name, description: '' } }));
    onTestFinished(async () => {
      await operator.group.delete({ params });
    });
    return params;
  };
  /** Another tab begins a session with this token; the page asks with it from then on. */
  const replaceElsewhere = async (token: string) => {
    const other = await browser.open();
    await other.page.goto(at('/'));
    await Promise.all([
      page.waitForRequest((request) => request.headers().authorization === `Bearer ${token}`),
      other.page.evaluate(`localStorage.setItem('castellan.user-token', ${JSON.stringify(token)})`),
    ]);
    await other.page.close();
  };

  it('goes on where a sign-in that another browser began is refused, and that is said then, not when it ends', async () => {
    await signIn(PILOT);
    const token = await kept();
    await page.goto(at('/signed-in?state_code=0b7c8f7e-6f5d-4c3b-9a21-0f1e2d3c4b5a&user_token=eyJ.x.y'));
    const refusal = 'This sign-in was not begun in this browser';
    await page.getByRole('status').getByText(refusal).waitFor();
    expect(await kept()).toBe(token);
    await page.route(/\/token\/current$/, (route) =>
      route.fulfill({ status: 503, json: { detail: 'No database.', code: 'database_unavailable' } }),
    );
    await button('Sign out').click();
    await page.getByRole('alert').getByText('Your token may be valid for up to a day').waitFor();
    expect(await page.getByText(refusal).count()).toBe(0);
  });

  it('of whom another character was chosen for, when it asked to grant what is missing, is over, and that is said', async () => {
    await signIn(PILOT);
    const replaced = await kept();
    const user = await ok(operator.user.get({ params: { character_name: String(PILOT) } }));
    await requireScopes(Number(user.corporation), ['ext-wallet.read_character_wallet.v1']);
    await page.reload();
    await button('Grant what is missing').click();
    await choose(OTHER);
    const alert = page.getByRole('alert').filter({ hasText: 'You chose another character' });
    await alert.getByText(user.character_name).waitFor();
    await expect.poll(() => statusOf(replaced)).toBe(401);
    expect(await statusOf(await kept())).toBe(200);
  });

  it('that another character’s replaces in another tab shows nothing of whom it was of', async () => {
    const nameOf = async (token: string) =>
      (await ok(createClient({ baseUrl: instance.url, token }).token.current())).owner.character_name;
    const [before, after] = [await tokenOf(PILOT), await tokenOf(OTHER)];
    const [former, present] = [await nameOf(before), await nameOf(after)];
    await signIn(PILOT);
    const menu = page.getByRole('navigation');
    await menu.getByText(former).waitFor();
    await settled();
    await page.evaluate(`window.drawn = [];
      new MutationObserver((changes) => {
        for (const { addedNodes } of changes) for (const node of addedNodes) drawn.push(node.textContent);
      }).observe(document.body, { subtree: true, childList: true })`);
    const other = await browser.open();
    await other.page.goto(at('/'));
    await other.page.evaluate(`localStorage.setItem('castellan.user-token', ${JSON.stringify(after)})`);
    await menu.getByText(present).waitFor();
    await settled();
    await other.page.close();
    const drawn = (await page.evaluate('window.drawn')) as string[];
    expect(drawn.filter((text) => text.includes(former))).toEqual([]);
  });

  it('of a token that another tab replaced is not ended by a refusal of the former one that comes late', async () => {
    const [former, present] = [await tokenOf(ADMINISTRATOR), await tokenOf(ADMINISTRATOR)];
    const params = await makeGroup('Of two tokens');
    let answer: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route(/dry_run=true/, async (route) => {
      await held;
      await route.continue();
    });
    await open(`/group/${params.group_id}`, former);
    await settled();
    const login = page.getByRole('region', { name: 'Logging in' });
    await login.getByText('Keep out', { exact: true }).click();
    await Promise.all([
      page.waitForRequest(/dry_run=true/),
      login.getByRole('button', { name: 'Save' }).click(),
    ]);
    await replaceElsewhere(present);
    await revoke(former);
    answer();
    await page.getByText('The token was revoked').waitFor();
    expect(await kept()).toBe(present);
  });

  it('that the same character began anew in another tab keeps what is typed, and saves it with the new token', async () => {
    const [former, present] = [await tokenOf(ADMINISTRATOR), await tokenOf(ADMINISTRATOR)];
    const params = await makeGroup('Of one character');
    await open(`/group/${params.group_id}`, former);
    await goToPart('Joining');
    await page.getByLabel('Questions').fill('Why?');
    await replaceElsewhere(present);
    await revoke(former);
    await settled();
    await button('Save policy').click();
    await page.getByText('The policy is saved.').waitFor();
    expect((await ok(operator.group.policy({ params }))).questions).toEqual(['Why?']);
    expect(await kept()).toBe(present);
  });

  it('D73: goes on where a proxy before the service answers 401, and what was typed stays', async () => {
    const token = await tokenOf(ADMINISTRATOR);
    const params = await makeGroup('Behind a proxy');
    await open(`/group/${params.group_id}`, token);
    await goToPart('Joining');
    await page.getByLabel('Questions').fill('Why?');
    const ofProxy = { status: 401, contentType: 'text/html', body: '<h1>Sign in to the proxy</h1>' };
    await page.route(/\/policy\?dry_run=true$/, (route) => route.fulfill(ofProxy));
    await button('Save policy').click();
    await page.getByRole('alert').getByText('HTTP status 401').waitFor();
    expect(await page.getByLabel('Questions').inputValue()).toBe('Why?');
    expect(await kept()).toBe(token);
    await page.route(/\/token\/current$/, (route) => route.fulfill(ofProxy));
    await button('Sign out').click();
    await page.getByRole('alert').getByText('Your token may be valid for up to a day').waitFor();
  });

  it('D73: is that of no guest where a proxy before the service answers 403, and goes on when it is tried again', async () => {
    await page.route(/\/token$/, (route) =>
      route.fulfill({ status: 403, contentType: 'text/html', body: '<h1>Not from here</h1>' }),
    );
    await open('/', await tokenOf(PILOT));
    const alert = page.getByRole('main').getByRole('alert').first();
    await alert.getByText('HTTP status 403').waitFor();
    expect(await page.getByText('You are a guest').count()).toBe(0);
    await page.unroute(/\/token$/);
    await alert.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('region', { name: 'My groups' }).waitFor();
  });

  it('that was ended elsewhere while another character was to be added is not begun as that one', async () => {
    await signIn(PILOT);
    await page.goto(at('/characters'));
    await button('Add a character').click();
    await page.locator('button[name=character_id]').first().waitFor();
    const other = await browser.open();
    await other.page.goto(at('/'));
    await other.page.getByRole('button', { name: 'Sign out' }).click();
    await other.page.getByRole('button', { name: 'Sign in with the game' }).waitFor();
    await other.page.close();
    await choose(OTHER);
    await page.getByRole('alert').getByText('was not added').waitFor();
    expect(await page.evaluate('localStorage.getItem("castellan.user-token")')).toBeNull();
  });

  it('that became another character’s while one was to be added says once why that was not', async () => {
    await signIn(PILOT);
    await page.goto(at('/characters'));
    await button('Add a character').click();
    await page.locator('button[name=character_id]').first().waitFor();
    const other = await browser.open();
    await other.page.goto(at('/'));
    const token = JSON.stringify(await tokenOf(OTHER));
    await other.page.evaluate(`localStorage.setItem('castellan.user-token', ${token})`);
    await other.page.close();
    await choose(OTHER);
    await page.getByRole('alert').getByText('was not added').waitFor();
    expect(await page.getByText('was not added').count()).toBe(1);
  });

  it('D28: an invitation opened by somebody who is signed in says so, and waits for whom it is for', async () => {
    await open('/invitation#a-code', await tokenOf(PILOT));
    await heading('An invitation').waitFor();
    await page.getByRole('main').getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You were invited as a guest.').waitFor();
  });

  it('D28: an invitation that was used, or is too old, is no dead end for whoever was let in before', async () => {
    await page.goto(at('/invitation#0b7c8f7e-6f5d-4c3b-9a21-0f1e2d3c4b5a'));
    await button('Sign in with the game').click();
    await page.getByText('It was used, or is older than 24 hours').waitFor();
    await button('Sign in without it').click();
    await page.locator(`button[name=character_id][value="${PILOT}"]`).click();
    await heading('My standing').waitFor();
  });

  it('a token that was revoked asks to sign in again, in the words of the API', async () => {
    await signIn(OTHER);
    await page.getByText('Ends').waitFor();
    const token = (await page.evaluate('localStorage.getItem("castellan.user-token")')) as string;
    // While a page is open, its feed may hear of it first, and what that says is gone with that page.
    await page.goto('about:blank');
    await fetch(`${instance.url}/token/current`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${token}` },
    });
    await page.goto(at('/'));
    await page.getByText('The token was revoked').waitFor();
  });

  it('whose end is near says so until it is dismissed, as what is not saved then is lost', async () => {
    let expires_on = new Date(Date.now() + 3_600_000).toISOString();
    await page.route(/\/token$/, async (route) => {
      const token = await (await route.fetch()).json();
      await route.fulfill({ json: { ...token, expires_on } });
    });
    const warning = page.getByRole('status').getByText(/^Your session ends at .* EVE\./);
    await open('/groups', await tokenOf(PILOT));
    await settled();
    expect(await warning.count()).toBe(0);
    expires_on = new Date(Date.now() + 60_000).toISOString();
    await page.reload();
    await warning.waitFor();
    await button('Dismiss').click();
    await warning.waitFor({ state: 'detached' });
    expect(tab.complaints).toEqual([]);
  });

  it('ends as soon as the feed refuses the token, so that nothing stays on the screen', async () => {
    await signIn(OTHER);
    await settled();
    await page.route(/\/event\?/, (route) =>
      route.fulfill({ status: 401, json: { detail: 'The token was revoked.', code: 'token_revoked' } }),
    );
    // Ends the request that waits for the next event, of which a pilot is shown only the own ones.
    const params = { character_id: OTHER };
    onTestFinished(async () => {
      await ok(operator.user.update({ params, body: { clearance_level: 0 } }));
    });
    await ok(operator.user.update({ params, body: { clearance_level: 1 } }));
    await page.getByText('The token was revoked').waitFor();
  });
});

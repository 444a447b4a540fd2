import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ok } from '../../../sdk/src/index.ts';
import {
  ADMINISTRATOR,
  at,
  button,
  goToPart,
  heading,
  open,
  operator,
  page,
  settled,
  tab,
  tokenOf,
} from './stage.ts';

const DETAIL = 'The database cannot be reached.';
const REQUEST = '5d0f6d4e-0d0c-4a53-8d5f-0a5f4f6f2b11';
const SCREENS = ['/', '/groups', '/group/0123456789abcdef01234567', '/user/Somebody', '/audit', '/system'];

describe('at night, when the service is in trouble', () => {
  let administrator: string;
  beforeAll(async () => {
    administrator = await tokenOf(ADMINISTRATOR);
  });
  const fail = (path: RegExp) =>
    page.route(path, (route) =>
      route.fulfill({
        status: 503,
        json: { detail: DETAIL, code: 'database_unavailable' },
        headers: { 'x-request-id': REQUEST, 'retry-after': '0' },
      }),
    );
  const alert = () => page.getByRole('main').getByRole('alert').first();

  it.each(SCREENS)('%s says so in the words of the API, names the request, and tries again', async (path) => {
    const answers = /:\d+\/(?!console|event)/;
    await fail(answers);
    await open(path, administrator);
    await alert().getByText(DETAIL).waitFor();
    await alert().getByText(REQUEST).waitFor();
    const [again] = await Promise.all([
      page.waitForRequest(answers),
      alert().getByRole('button', { name: 'Try again' }).click(),
    ]);
    expect(again.method()).toBe('GET');
  });

  it.each([
    { part: 'State', answers: /\/system\/status$/, told: 'Members, guests' },
    { part: 'Jobs', answers: /\/system\/job$/, told: 'Schedule' },
    { part: 'Held back', answers: /\/system\/held$/, told: 'Nothing is held back' },
  ])(
    '$part is asked for again while it is looked at, and beside the former answer stands what failed',
    async (of) => {
      await page.clock.install();
      await open('/system', (await ok(operator.token.createUserToken())).user_token);
      await goToPart(of.part);
      await page.getByText(of.told).first().waitFor();
      await fail(of.answers);
      await page.clock.runFor(10_000);
      await alert().getByText(DETAIL).waitFor();
      await page.getByText(of.told).first().waitFor();
      await page.unroute(of.answers);
      await page.clock.runFor(10_000);
      await page.getByText(DETAIL).waitFor({ state: 'detached' });
    },
  );

  it('nothing is said of a service that was not asked: what is no id is not sent, and no address of a record', async () => {
    await open('/registry', administrator);
    await settled();
    await button('Register alliance').click();
    const id = page.getByRole('dialog').getByLabel('Alliance id');
    for (const none of ['The Ivory', '99 000 001', '   ']) {
      await id.fill(none);
      await id.press('Enter');
      await page.locator('input[name=id]:invalid').waitFor();
    }
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.goto(at('/alliance/abc'));
    await heading('There is nothing here').waitFor();
    await page.goto(at('/corporation/98000001x'));
    await heading('There is nothing here').waitFor();
  });

  it('a token pasted with the quotation marks of a text is found faulty before it is sent', async () => {
    await page.goto(at('/'));
    await page.getByText('I run this service').click();
    await page.getByLabel('Permanent token').fill('“eyJ.x.y”');
    await button('Sign in as the service').click();
    await page.locator('input[name=token]:invalid').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('a request that got no answer says that the service cannot be reached', async () => {
    await page.route(/\/group$/, (route) => route.abort('connectionrefused'));
    await open('/groups', administrator);
    await alert().getByText('The service cannot be reached.').waitFor();
  });

  it('what is looked for says so, too, instead of that there is nothing', async () => {
    await open('/', administrator);
    await settled();
    await fail(/\/user\?/);
    await page.keyboard.press('/');
    await page.getByRole('combobox').fill('Nobody is called that');
    await page.getByRole('dialog').getByText(DETAIL).waitFor();
    expect(await page.getByText('Nothing is called that.').count()).toBe(0);
  });

  it('without a network what is done or looked for says so at once, and is not sent later', async () => {
    await open('/', administrator);
    await settled();
    // All pages have one context.
    onTestFinished(() => page.context().setOffline(false));
    await page.context().setOffline(true);
    await button('Begin').click();
    await page.getByRole('main').getByText('The service cannot be reached.').waitFor();
    expect(await button('Begin').isEnabled()).toBe(true);
    await page.context().setOffline(false);
    await page.keyboard.press('/');
    await page.getByRole('combobox').waitFor();
    await page.context().setOffline(true);
    await page.getByRole('combobox').fill('Nobody is called that');
    await page.getByRole('dialog').getByText('The service cannot be reached.').waitFor();
  });

  it('what cannot be signed out of at the service is forgotten here, and said', async () => {
    await open('/', administrator);
    await settled();
    await fail(/\/token\/current$/);
    await button('Sign out').click();
    await page.getByRole('alert').getByText(`${DETAIL} Your token may be valid for up to a day`).waitFor();
    await button('Sign in with the game').waitFor();
    expect(await page.evaluate('localStorage.getItem("castellan.user-token")')).toBeNull();
  });

  it('what happens is followed anew where the answer about it never came', async () => {
    // The browser's own timers: those of the console's other requests are at most 30 seconds.
    await page.addInitScript(`(() => {
      const { timeout } = AbortSignal;
      AbortSignal.timeout = (time) => timeout.call(AbortSignal, time > 30_000 ? 100 : time);
    })()`);
    let lost = 0;
    await page.route(/\/event\?/, async (route) => {
      if (lost > 0) return route.continue();
      lost += 1;
    });
    await open('/groups', administrator);
    await settled();
    await expect.poll(() => lost).toBe(1);
    await page.waitForRequest(/\/event\?/);
  });

  it('D92: what happens is followed from the present on, after a pause, where its position was no answer', async () => {
    await page.clock.install();
    let failed = 0;
    await page.route(/:\d+\/group$/, (route) => {
      failed += 1;
      return route.fulfill({
        status: 503,
        json: { detail: DETAIL, code: 'database_unavailable' },
        headers: { 'retry-after': '0' },
      });
    });
    const followed = () => tab.requested.filter(({ pathname }) => pathname === '/event');
    await open('/', administrator);
    await settled();
    // The client tries once more by itself.
    await expect.poll(() => failed).toBe(2);
    await page.unroute(/:\d+\/group$/);
    await expect
      .poll(async () => {
        await page.clock.runFor(1_000);
        return followed().length;
      })
      .toBeGreaterThan(0);
    expect(Number(followed()[0]?.searchParams.get('after'))).toBeGreaterThan(0);
  });

  it('what was typed stays where code of what opens beside it cannot be loaded, which can be tried again', async () => {
    let fails = true;
    await page.route(/\/assets\/modal-/, (route) => (fails ? route.abort() : route.continue()));
    await open('/users', administrator);
    await settled();
    await page.getByRole('searchbox').fill('Typed');
    await page.keyboard.press('Control+k');
    await alert().getByText('This part of the page could not be loaded.').waitFor();
    fails = false;
    await alert().getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('dialog', { name: 'Find' }).getByRole('combobox').waitFor();
    expect(await page.getByRole('searchbox', { includeHidden: true }).inputValue()).toBe('Typed');
  });

  it('a screen whose code cannot be loaded is tried again, and no page given up that cannot be loaded anew', async () => {
    // A browser that saves data loads no code before it is needed.
    await page.addInitScript(`Object.defineProperty(navigator, 'connection', { value: { saveData: true } })`);
    await open('/groups', administrator);
    await settled();
    await page.evaluate('window.isTheFormerPage = true');
    await page.route(/\/console\//, (route) => route.abort('connectionrefused'));
    await page.getByRole('navigation').getByRole('link', { name: 'Registry' }).click();
    await alert().getByText('This part of the page could not be loaded.').waitFor();
    await page.unroute(/\/console\//);
    await alert().getByRole('button', { name: 'Try again' }).click();
    await heading('Registry').waitFor();
    expect(await page.evaluate('window.isTheFormerPage')).toBe(true);
  });

  it('a screen whose code is gone, as there is a newer one, takes the newer page', async () => {
    let isGone = true;
    await page.route(/\/assets\/registry-/, (route) =>
      isGone ? route.fulfill({ status: 404 }) : route.continue(),
    );
    await page.addInitScript(`Object.defineProperty(navigator, 'connection', { value: { saveData: true } })`);
    await open('/groups', administrator);
    await settled();
    page.on('request', (request) => {
      if (request.isNavigationRequest()) isGone = false;
    });
    await page.getByRole('navigation').getByRole('link', { name: 'Registry' }).click();
    await heading('Registry').waitFor();
  });

  it('a token that had its time asks to sign in, and names the request', async () => {
    await open('/groups', administrator);
    await settled();
    await page.route(/\/alliance$/, (route) =>
      route.fulfill({
        status: 401,
        json: { detail: 'The token expired.', code: 'token_expired' },
        headers: { 'x-request-id': REQUEST },
      }),
    );
    await page.getByRole('navigation').getByRole('link', { name: 'Registry' }).click();
    await page.getByRole('alert').getByText('The token expired.').waitFor();
    await page.getByRole('alert').getByText(REQUEST).waitFor();
  });
});

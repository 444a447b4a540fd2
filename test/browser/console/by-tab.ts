import { drawn } from '../../harness/axe.ts';
import { focused, page, settled } from './stage.ts';
import { go, type Place } from './walk.ts';

/** What people press, choose or fill in, by its elements and roles. */
const CONTROLS = [
  'a[href], button, input:not([type=hidden]), select, textarea, summary',
  '[role=button], [role=link], [role=tab], [role=switch], [role=checkbox], [role=radio], [role=combobox]',
].join();
const DISABLED = ':disabled, [data-disabled]';
const MOST_STOPS = 800;
/** Times in a row that the focus stays where it is: a date has so many parts. */
const MOST_PARTS = 9;
/** Times in a row that the focus comes back to what it left: after the last element there is none, then the first. */
const ROUND = 2;

/**
 * Notes whatever gets the focus, and tells what can be acted on: controls, and every element that React calls when it
 * is clicked. One that acts for others (a row around its link) needs no focus of its own where one of these gets it.
 */
const WATCH = `(() => {
  const stops = new Set();
  let walked = new Set();
  let last;
  window.begin = () => {
    walked = new Set();
    last = undefined;
  };
  const shown = (element) =>
    element.checkVisibility({ visibilityProperty: true }) &&
    element.getBoundingClientRect().width > 1 &&
    element.closest('[inert], [aria-hidden=true]') === null;
  const takesClicks = (element) => {
    const key = Object.keys(element).find((name) => name.startsWith('__reactProps$'));
    return key !== undefined && typeof element[key].onClick === 'function';
  };
  // Among the radio buttons of one name the browser itself lets the arrows choose.
  const isOfRow = (element, stop) => element.type === 'radio' && stop.type === 'radio' && element.name === stop.name;
  const isReached = (element) =>
    [...stops].some((stop) => element.contains(stop) || isOfRow(element, stop) || (stop.matches('${CONTROLS}') && stop.contains(element)));
  const acts = (element) =>
    (element.matches('${CONTROLS}') || takesClicks(element)) && !element.matches('${DISABLED}');
  const root = () => [...document.querySelectorAll('[role=dialog]')].find(shown) ?? document.body;
  window.arrive = () => {
    const stop = document.activeElement;
    const isNew = stop !== document.body && !walked.has(stop);
    const isBack = !isNew && stop !== last;
    last = stop;
    walked.add(stop);
    stops.add(stop);
    const row = isNew && stop.role === 'tab' ? stop.closest('[role=tablist]') : null;
    return { isNew, isBack, neighbours: row?.querySelectorAll('[role=tab]').length ?? 0 };
  };
  window.outOfReach = () =>
    [...root().querySelectorAll('*')]
      .filter((element) => acts(element) && shown(element) && !isReached(element))
      .map((element) => (element.getAttribute('aria-label') ?? element.innerText) + ': ' + element.outerHTML.slice(0, 120));
})()`;

/** Whatever can be acted on, on the page or in its dialog, but is reached neither by Tab nor by arrows. */
export async function outOfReach(): Promise<string[]> {
  await page.evaluate(WATCH);
  await walkByTab();
  // Once more for what came while it walked.
  if ((await left()).length > 0) await walkByTab();
  return left();
}

const left = async () => {
  await settled();
  return (await page.evaluate('window.outOfReach()')) as string[];
};

interface Arrival {
  /** Whether this walk has not been there. */
  readonly isNew: boolean;
  /** Whether it has, and came from elsewhere. */
  readonly isBack: boolean;
  /** How many tabs there are in the row that it came to. */
  readonly neighbours: number;
}

/** Presses Tab until the focus has come round, and in each row of tabs the arrow likewise. */
async function walkByTab(): Promise<void> {
  const arrive = () => page.evaluate('window.arrive()') as Promise<Arrival>;
  await page.evaluate('window.begin()');
  let known = 0;
  let back = 0;
  for (let stop = 0; stop < MOST_STOPS && known < MOST_PARTS && back < ROUND; stop++) {
    await page.keyboard.press('Tab');
    const { isNew, isBack, neighbours } = await arrive();
    known = isNew ? 0 : known + 1;
    back = isBack ? back + 1 : 0;
    for (let arrow = 0; arrow < neighbours; arrow++) {
      await page.keyboard.press('ArrowRight');
      await arrive();
      await settled();
    }
  }
}

const ENABLED_BUTTONS = `main button:not(:disabled, [data-disabled], [role=tab])`;
/** The buttons of the screen, as far as they differ by more than whom they are about. */
const BUTTONS = `(() => {
  const kinds = new Map();
  [...document.querySelectorAll('${ENABLED_BUTTONS}')].forEach((button, index) => {
    const name = button.getAttribute('aria-label') ?? button.innerText;
    const kind = button.className + ' ' + name.split(' ')[0];
    if (button.checkVisibility() && !kinds.has(kind)) kinds.set(kind, { name, index });
  });
  return [...kinds.values()];
})()`;
interface Pressed {
  readonly name: string;
  readonly index: number;
}
/** What the other buttons are pressed in: the address, what is stored, and the buttons themselves. */
const STATE = `JSON.stringify([location.href, { ...localStorage }, ${BUTTONS}])`;
/** Answers all changes instead of the service. In the page, because a browser with routes keeps no file of a page. */
const REFUSE = `(() => {
  const { fetch } = window;
  window.fetch = async (input, init) => {
    const method = init?.method ?? input.method ?? 'GET';
    if (method.toUpperCase() === 'GET') return fetch(input, init);
    return Response.json({ detail: 'Not now.', code: 'not_now' }, { status: 409 });
  };
})()`;
/** Watches, from now on, whether the page changes within a time in which every change at least begins. */
const WATCH_CHANGES = `window.answered = new Promise((resolve) => {
  const done = (how) => { observer.disconnect(); clearTimeout(timer); resolve(how); };
  const observer = new MutationObserver(() => done(true));
  const timer = setTimeout(() => done(false), 10_000);
  observer.observe(document.documentElement, { subtree: true, childList: true, attributes: true, characterData: true });
}), undefined`;

/**
 * Presses each button of a screen by Enter, and says which did nothing, which opened a dialog with something out of
 * reach, and after which dialog the focus was lost. The service refuses all changes meanwhile.
 */
export async function pressAll(place: Place): Promise<string[]> {
  const faults: string[] = [];
  page.on('request', (request) => {
    if (request.method() !== 'GET') faults.push(`not refused: ${request.method()} ${request.url()}`);
  });
  await page.addInitScript(REFUSE);
  await go(place);
  const stored = await page.evaluate('JSON.stringify(localStorage)');
  const state = await page.evaluate(STATE);
  let isAsItWas = true;
  for (const { name, index } of (await page.evaluate(BUTTONS)) as Pressed[]) {
    if (!isAsItWas) {
      // What the last one ended or hid is there again.
      await page.evaluate(`Object.assign(localStorage, ${stored})`);
      await page.evaluate(
        `for (const key of Object.keys(localStorage)) if (!(key in ${stored})) localStorage.removeItem(key)`,
      );
      await go(place);
    }
    isAsItWas = false;
    const pressed = page.locator(ENABLED_BUTTONS).nth(index);
    await pressed.focus();
    await page.evaluate(WATCH_CHANGES);
    const saved = page.waitForEvent('download', { timeout: 0 }).catch(() => true);
    await page.keyboard.press('Enter');
    // Another page, to which a button leads, ends the evaluation or knows of none.
    const answered = page.evaluate('window.answered ?? true').catch(() => true);
    if (!(await Promise.race([answered, saved]))) faults.push(`${name}: nothing happens`);
    const dialog = page.getByRole('dialog');
    await settled();
    // A dialog is there some frames after what it is put into, unless there is another page by now.
    for (let turn = 0; turn < 2; turn++) await drawn(page).catch(() => undefined);
    if ((await dialog.count()) > 0) {
      faults.push(...(await outOfReach()).map((each) => `${name}: ${each}`));
      // The first closes the choices of the field that has the focus.
      if ((await page.locator(':focus[aria-expanded=true]').count()) > 0) await page.keyboard.press('Escape');
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      if ((await pressed.and(focused()).count()) === 0)
        faults.push(`${name}: the focus is lost after its dialog`);
      else isAsItWas = (await page.evaluate(STATE)) === state;
    }
  }
  return faults;
}

import { beforeAll, describe, expect, it } from 'vitest';
import { PHONE } from '../../harness/chromium.ts';
import { ADMINISTRATOR, become, overflow, page, tokenOf } from './stage.ts';
import { go, PLACES } from './walk.ts';

/** Texts of buttons, choices and badges that are cut at the end, and headings of columns that are broken. */
const CUT = `(() => {
  const isSeen = (element) => element.checkVisibility({ visibilityProperty: true });
  const isCut = (element) =>
    ['hidden', 'clip'].includes(getComputedStyle(element).overflowX) && element.scrollWidth > element.clientWidth + 1;
  const lines = (element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
  };
  const isBroken = (element) => lines(element) > element.innerText.trim().split(/\\s+/).length;
  const all = (selector) => [...document.querySelectorAll(selector)].filter(isSeen);
  return [
    ...all('main button, main button *, [role=radiogroup], [role=radiogroup] label, .mantine-Badge-label').filter(isCut),
    ...all('main th button').filter(isBroken),
  ].map((element) => element.innerText);
})()`;
const LARGE_TEXT = `document.documentElement.style.fontSize = '200%'`;

describe('in a narrow window', () => {
  let administrator: string;
  beforeAll(async () => {
    administrator = await tokenOf(ADMINISTRATOR);
  });

  it.each(PLACES)(
    'no button, choice or badge is cut, and nothing sticks out, with large text, too: $name',
    async (place) => {
      await become(administrator);
      await page.setViewportSize({ width: 320, height: 640 });
      const name = 'W'.repeat(100);
      await page.route(/\/(group|coalition)\/\w+$/, async (route) => {
        const response = await route.fetch();
        const text = await response.text();
        return route.fulfill({
          response,
          body: text.replace(/("(?:alliance|character)_name":)"[^"]*"/, `$1"${name}"`),
        });
      });
      await go(place);
      await expect.poll(() => page.evaluate(CUT)).toEqual([]);
      expect(await overflow()).toBe(0);
      await page.setViewportSize(PHONE);
      await page.evaluate(LARGE_TEXT);
      await expect.poll(() => page.evaluate(CUT)).toEqual([]);
      expect(await overflow()).toBe(0);
      await page.unrouteAll({ behavior: 'ignoreErrors' });
    },
  );
});

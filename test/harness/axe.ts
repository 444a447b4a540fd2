import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** A page of which nothing can be judged has not been looked at. */
const LEAST_PASSES = 5;

/**
 * Ends what fades: a colour on its way from light to dark is not the one to be judged. Ended, not
 * awaited: a browser that draws nothing, as nothing changes, would keep whoever waits for its frames.
 */
export async function atRest(page: Page): Promise<void> {
  await page.evaluate(`(() => {
    const transitions = () => document.getAnimations().filter((one) => one instanceof CSSTransition);
    for (let under = transitions(); under.length > 0; under = transitions()) for (const one of under) one.finish();
  })()`);
}

/** What axe finds, every rule of it switched on: each with the first place. */
export async function violations(page: Page, within = 'html'): Promise<string[]> {
  await atRest(page);
  await page.evaluate(AXE);
  const { violations: found, passes } = (await page.evaluate(`axe.run('${within}')`)) as AxeResults;
  if (passes.length <= LEAST_PASSES) throw new Error(`axe looked at nothing in ${page.url()}`);
  return found.map(({ id, nodes }) => `${id}, ${nodes.length} times: ${nodes[0]?.html}`);
}

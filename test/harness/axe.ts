import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Fails for a page on which no rule applies: then nothing was checked. */
const LEAST_PASSES = 5;

/**
 * Finishes all animations, so that the contrast of final colours is checked. Does not wait for them to end, because a
 * browser without visible changes may stop drawing frames.
 */
export async function atRest(page: Page): Promise<void> {
  await page.evaluate(`(() => {
    const transitions = () => document.getAnimations().filter((one) => one instanceof CSSTransition);
    for (let under = transitions(); under.length > 0; under = transitions()) for (const one of under) one.finish();
  })()`);
}

/** The violations that axe finds with all its rules enabled, each with its first element. */
export async function violations(page: Page, within = 'html'): Promise<string[]> {
  await atRest(page);
  await page.evaluate(AXE);
  const { violations: found, passes } = (await page.evaluate(`axe.run('${within}')`)) as AxeResults;
  if (passes.length <= LEAST_PASSES) throw new Error(`axe looked at nothing in ${page.url()}`);
  return found.map(({ id, nodes }) => `${id}, ${nodes.length} times: ${nodes[0]?.html}`);
}

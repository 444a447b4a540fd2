import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Fails for a page on which no rule applies: then nothing was checked. */
const LEAST_PASSES = 5;

/** Waits for two frames: scripts hear of another size or scheme in the first, and what they changed is in the second. */
export async function drawn(page: Page): Promise<void> {
  await page.evaluate(
    'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))',
  );
}

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

/** What passed is counted in the page: its details are megabytes. */
const run = (within: string) => `axe.run('${within}', { resultTypes: ['violations'] })
  .then(({ violations, passes }) => ({ found: violations, passes: passes.length }))`;
interface Found {
  readonly found: AxeResults['violations'];
  readonly passes: number;
}

/** The violations that axe finds with all its rules enabled, each with its first element. */
export async function violations(page: Page, within = 'html'): Promise<string[]> {
  await atRest(page);
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(AXE);
  const { found, passes } = (await page.evaluate(run(within))) as Found;
  if (passes <= LEAST_PASSES) throw new Error(`axe looked at nothing in ${page.url()}`);
  return found.map(({ id, nodes }) => `${id}, ${nodes.length} times: ${nodes[0]?.html}`);
}

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** A page of which nothing can be judged has not been looked at. */
const LEAST_PASSES = 5;

/** What axe finds, every rule of it switched on: each with the first place. */
export async function violations(page: Page, within = 'html'): Promise<string[]> {
  await page.evaluate(AXE);
  const { violations: found, passes } = (await page.evaluate(`axe.run('${within}')`)) as AxeResults;
  if (passes.length <= LEAST_PASSES) throw new Error(`axe looked at nothing in ${page.url()}`);
  return found.map(({ id, nodes }) => `${id}, ${nodes.length} times: ${nodes[0]?.html}`);
}

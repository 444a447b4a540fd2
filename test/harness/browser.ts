import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { createClient } from '../../sdk/src/index.ts';
import { build, createInstance, ROOT } from './instance.ts';

const SCREENSHOTS = join(ROOT, 'test/browser/screenshots');
export const PHONE = { width: 390, height: 844 };
export const DESK = { width: 1280, height: 800 };

/** A page, and what it did that nobody sees. */
export interface Watched {
  readonly page: Page;
  /** Everything that it complained about: errors on its console, policy violations among them. */
  readonly complaints: string[];
  /** Every URL that it asked for. */
  readonly requested: URL[];
}

export interface Stage {
  readonly browser: BrowserContext;
  /** What the start printed: all that a newcomer knows. */
  readonly message: string;
  /** Where the service is. */
  readonly url: string;
  /** The API as the built-in user. */
  readonly operator: ReturnType<typeof createClient>;
  /** The permanent token that the start printed, too. */
  readonly token: string;
  /** An address that the message names after these words. */
  printed(words: string): string;
  open(): Promise<Watched>;
  remove(): Promise<void>;
}

/** A real start, and a real browser beside it. */
export async function setStage(): Promise<Stage> {
  await build();
  const instance = await createInstance();
  const profile = await mkdtemp(join(tmpdir(), 'castellan-browser-'));
  await mkdir(SCREENSHOTS, { recursive: true });
  const { output, token } = await instance.serve({}, ['npm', 'start']);
  const browser = await chromium.launchPersistentContext(profile, {
    executablePath: chromiumPath(),
    headless: true,
    args: [
      ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'],
      ...['--disable-background-networking', '--disable-component-update'],
    ],
  });
  const message = output.stdout;
  const printed = (words: string) =>
    new RegExp(`${words}\\s+(http://\\S+)`).exec(message)?.[1] ?? `no address after ${words}`;
  return {
    browser,
    message,
    token,
    printed,
    url: printed('API'),
    operator: createClient({ baseUrl: printed('API'), token }),
    open: async () => watch(await browser.newPage()),
    async remove() {
      await browser.close();
      await instance.remove();
      await rm(profile, { recursive: true, force: true });
    },
  };
}

function chromiumPath(): string {
  const script = join(ROOT, 'scripts/install-chromium.sh');
  return execFileSync('bash', [script, '--print'], { encoding: 'utf8' }).trim();
}

function watch(page: Page): Watched {
  const complaints: string[] = [];
  const requested: URL[] = [];
  page.on('console', (entry) => {
    if (['error', 'warning'].includes(entry.type())) complaints.push(entry.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => requested.push(new URL(request.url())));
  return { page, complaints, requested };
}

export async function screenshot(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`) });
}

/** How far the page is wider than its window: 0 where nothing sticks out. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  ) as Promise<number>;
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What keeps people from using the page, by the rules that a machine can judge. */
export async function barriers(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const found = (await page.evaluate('axe.run({ resultTypes: ["violations"] })')) as {
    violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
  };
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
}

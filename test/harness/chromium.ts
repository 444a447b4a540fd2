import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { ROOT } from './instance.ts';

const SCREENSHOTS = join(ROOT, 'test/browser/screenshots');
export const PHONE = { width: 390, height: 844 };
export const DESK = { width: 1280, height: 800 };

export interface Browser {
  readonly context: BrowserContext;
  open(): Promise<Tab>;
  close(): Promise<void>;
}

/** A page, and what it did. */
export interface Tab {
  readonly page: Page;
  /** Everything that it complained about: errors on its console, policy violations among them. */
  readonly complaints: readonly string[];
  /** Every URL that it asked for. */
  readonly requested: readonly URL[];
  screenshot(name: string, options?: { readonly fullPage?: boolean }): Promise<void>;
}

/** A browser with a profile of its own, which asks for nothing by itself. */
export async function launchChromium(): Promise<Browser> {
  const profile = await mkdtemp(join(tmpdir(), 'castellan-browser-'));
  await mkdir(SCREENSHOTS, { recursive: true });
  const script = join(ROOT, 'scripts/install-chromium.sh');
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: execFileSync('bash', [script, '--print'], { encoding: 'utf8' }).trim(),
    headless: true,
    args: [
      ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'],
      ...['--disable-background-networking', '--disable-component-update'],
    ],
  });
  // A test has a limit of its own; a second one, for a page to load, would tell of the machine alone.
  context.setDefaultNavigationTimeout(0);
  return {
    context,
    open: async () => watched(await context.newPage()),
    async close() {
      await context.close();
      await rm(profile, { recursive: true, force: true });
    },
  };
}

function watched(page: Page): Tab {
  const complaints: string[] = [];
  const requested: URL[] = [];
  page.on('console', (entry) => {
    if (['error', 'warning'].includes(entry.type())) complaints.push(entry.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => requested.push(new URL(request.url())));
  return {
    page,
    complaints,
    requested,
    async screenshot(name, options) {
      await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), ...options });
    },
  };
}

import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { ROOT } from './instance.ts';

const SCREENSHOTS = join(ROOT, 'test/browser/screenshots');
export const PHONE = { width: 390, height: 844 };
export const DESK = { width: 1280, height: 800 };
/** What a page is looked at in: both sizes, light and dark. */
export const LOOKS = [
  { device: 'phone', size: PHONE, colorScheme: 'light' },
  { device: 'phone', size: PHONE, colorScheme: 'dark' },
  { device: 'desk', size: DESK, colorScheme: 'light' },
  { device: 'desk', size: DESK, colorScheme: 'dark' },
] as const;

export interface Browser {
  readonly context: BrowserContext;
  open(): Promise<Tab>;
  close(): Promise<void>;
}

/** A page with the errors and requests that it caused. */
export interface Tab {
  readonly page: Page;
  /** All errors on the page's console, including violations of the content security policy. */
  readonly complaints: readonly string[];
  /** Every URL it requested. */
  readonly requested: readonly URL[];
  /** Keeps a picture for people to look at, where SCREENSHOTS is set. */
  screenshot(name: string): Promise<void>;
}

/** Starts a browser with a new profile that makes no requests of its own. */
export async function launchChromium(): Promise<Browser> {
  const profile = await mkdtemp(join(tmpdir(), 'castellan-browser-'));
  const script = join(ROOT, 'scripts/install-chromium.sh');
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: execFileSync('bash', [script, '--print'], { encoding: 'utf8' }).trim(),
    headless: true,
    args: [
      ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'],
      ...['--disable-background-networking', '--disable-component-update'],
    ],
  });
  // No timeout for loading pages: the test's own limit is enough, and a shorter one would fail on a busy machine.
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
  page.setDefaultTimeout(60_000);
  page.on('console', (entry) => {
    if (['error', 'warning'].includes(entry.type())) complaints.push(entry.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => requested.push(new URL(request.url())));
  return {
    page,
    complaints,
    requested,
    async screenshot(name) {
      if (process.env.SCREENSHOTS) await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`) });
    },
  };
}

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../../harness/instance.ts';
import { ADMINISTRATOR, heading, open, page, settled, signInAsAdministrator, tokenOf } from './stage.ts';

const DIST = join(ROOT, 'console/dist');
const MANTINE = join(ROOT, 'node_modules/@mantine/core/styles.css');

describe('its weight', () => {
  it('what the first screen runs is at most 230 kB, compressed', () => {
    const manifest = JSON.parse(readFileSync(join(DIST, '.vite/manifest.json'), 'utf8')) as Record<
      string,
      { file: string; imports?: string[] }
    >;
    const files = new Set<string>();
    const collect = (name: string) => {
      const entry = manifest[name];
      if (entry === undefined || files.has(entry.file)) return;
      files.add(entry.file);
      for (const imported of entry.imports ?? []) collect(imported);
    };
    collect('index.html');
    collect('src/screens/standing/standing.tsx');
    const bytes = [...files].map((file) => gzipSync(readFileSync(join(DIST, file)), { level: 9 }).length);
    expect(bytes.length).toBeGreaterThan(2);
    expect(bytes.reduce((sum, each) => sum + each, 0)).toBeLessThan(230_000);
  });

  it('every component of Mantine that it is made of has its styles', () => {
    const files = readdirSync(join(DIST, 'assets'));
    const text = (ending: string) =>
      files
        .filter((name) => name.endsWith(ending))
        .map((name) => readFileSync(join(DIST, 'assets', name), 'utf8'))
        .join('\n');
    const classes = (code: string) => new Set(code.match(/\bm_[0-9a-f]{5,8}\b/g));
    const [made, styled, all] = [text('.js'), text('.css'), readFileSync(MANTINE, 'utf8')].map(classes);
    const missing = [...(made ?? [])].filter((name) => all?.has(name) && !styled?.has(name));
    expect(made?.size).toBeGreaterThan(100);
    expect(missing).toEqual([]);
  });

  it('a screen that was pointed at is there at the click, without an outline', async () => {
    await open('/', await tokenOf(ADMINISTRATOR));
    await settled();
    await page.evaluate(`window.outlines = [];
      new MutationObserver(() => outlines.push(...document.querySelectorAll('main [aria-busy=true]')))
        .observe(document.body, { subtree: true, childList: true, attributes: true })`);
    for (const [name, answer] of [
      ['Registry', /\/alliance$/],
      ['Audit', /\/audit\?/],
      ['System', /\/system\/status$/],
    ] as const) {
      const link = page.getByRole('navigation').getByRole('link', { name });
      await Promise.all([page.waitForResponse(answer), link.hover()]);
      await link.click();
      await heading(name).waitFor();
      await settled();
    }
    expect(await page.evaluate('outlines.length')).toBe(0);
  });

  it('of 50,000 users only those are in the page that are seen', async () => {
    await signInAsAdministrator();
    const users = Array.from({ length: 50_000 }, (_, n) => ({
      character_id: n + 1,
      character_name: `Pilot ${n}`,
    }));
    await page.route(/\/user(\?.*)?$/, (route) => route.fulfill({ json: users }));
    await page.getByRole('navigation').getByRole('link', { name: 'Users' }).click();
    await page.getByRole('link', { name: 'Pilot 0', exact: true }).waitFor();
    const window = page.getByRole('region', { name: 'Users' });
    await window.evaluate((element) => {
      element.scrollTop = element.scrollHeight;
    });
    await page.getByRole('link', { name: 'Pilot 49999' }).waitFor();
    expect(await window.getByRole('listitem').count()).toBeLessThan(100);
  });
});

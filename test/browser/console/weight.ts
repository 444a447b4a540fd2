import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../../harness/instance.ts';
import { page, signInAsAdministrator } from './stage.ts';

describe('its weight', () => {
  it('what the first screen runs is at most 230 kB, compressed', () => {
    const dist = join(ROOT, 'console/dist');
    const manifest = JSON.parse(readFileSync(join(dist, '.vite/manifest.json'), 'utf8')) as Record<
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
    const bytes = [...files].map((file) => gzipSync(readFileSync(join(dist, file)), { level: 9 }).length);
    expect(bytes.length).toBeGreaterThan(2);
    expect(bytes.reduce((sum, each) => sum + each, 0)).toBeLessThan(230_000);
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

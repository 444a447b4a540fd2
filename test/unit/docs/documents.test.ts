import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { EVENT_TYPES } from '../../../contract/event-types.ts';
import { OIDC_ENDPOINTS } from '../../../contract/oidc.ts';
import { openApiDocument } from '../../../contract/openapi.ts';
import { renderMarkdown } from '../../../server/docs/markdown.ts';

const ROOT = join(import.meta.dirname, '../../..');
const read = (path: string) => readFile(join(ROOT, path), 'utf8');

/** Every document for people, by its path. */
const documents = new Map<string, string>();
/** Files for operators and programs that name settings, commands and paths, too. */
const others = new Map<string, string>();
beforeAll(async () => {
  for (const folder of ['.', 'docs', 'docs/decisions', 'sdk']) {
    const names = (await readdir(join(ROOT, folder))).filter((name) => name.endsWith('.md'));
    for (const name of names) documents.set(join(folder, name), await read(join(folder, name)));
  }
  for (const path of [
    '.env.example',
    'deploy/Caddyfile',
    'deploy/compose.yaml',
    'deploy/nginx.conf',
    'deploy/kubernetes/castellan.yaml',
    'deploy/prometheus/castellan.rules.yml',
    'deploy/systemd/castellan.service',
    'server/cli/doctor-command.ts',
    'server/cli/token-command.ts',
    'server/doctor/database.ts',
    'server/doctor/doctor.ts',
    'server/system/status.ts',
  ]) {
    others.set(path, await read(path));
  }
});

/** What the pattern's first group finds in each text, as `path: found`, without what is known. */
function unknownIn(
  texts: ReadonlyMap<string, string>,
  pattern: RegExp,
  isKnown: (...groups: string[]) => boolean,
): string[] {
  const unknown: string[] = [];
  let seen = 0;
  for (const [path, text] of texts) {
    for (const [found, ...groups] of text.matchAll(pattern)) {
      seen += 1;
      if (!isKnown(...groups)) unknown.push(`${path}: ${found}`);
    }
  }
  expect(seen).toBeGreaterThan(5);
  return unknown;
}

/** Names of settings in a text, one at the beginning of each line. */
const namesIn = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name = '']) => name);

describe('what documents name exists', () => {
  it('links lead to files and headings', () => {
    const headings = new Map(
      [...documents].map(([path, text]) => [path, renderMarkdown(text).headings.map(({ id }) => id)]),
    );
    const lost: string[] = [];
    for (const [path, text] of documents) {
      renderMarkdown(text, (link) => {
        if (/^https?:/.test(link)) return link;
        const [file = '', anchor] = link.split('#');
        const target = file === '' ? path : join(dirname(path), file);
        const isThere = existsSync(join(ROOT, target));
        const known = anchor === undefined || headings.get(target)?.includes(anchor);
        if (!isThere || !known) lost.push(`${path}: ${link}`);
        return link;
      });
    }
    expect(documents.size).toBeGreaterThan(30);
    expect(lost).toEqual([]);
  });

  it('commands', async () => {
    const { scripts } = JSON.parse(await read('package.json')) as { scripts: object };
    const all = new Map([...documents, ...others]);
    expect(unknownIn(all, /npm run (?:--silent )?([a-z][\w:-]*)/g, (name) => name in scripts)).toEqual([]);
  });

  it('operations', () => {
    const paths = Object.entries(openApiDocument().paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => [method.toUpperCase(), path] as const),
    );
    const spoken = Object.values(OIDC_ENDPOINTS).flatMap(({ path, methods }) =>
      methods.map((method) => [method, path.replace(/:\w+/g, '{id}')] as const),
    );
    const known = [...paths, ...spoken, ['GET', '/metrics'] as const].map(
      ([method, path]) =>
        [method, new RegExp(`^${path.replace('{esi_path}', '.+').replace(/\{\w+\}/g, '[^/]+')}$`)] as const,
    );
    const all = new Map([...documents, ...others]);
    // The paths in there are the game's.
    all.delete('docs/provider.md');
    // A path ends before its query, and before `/{…}` or `…`, which stand for any more of it.
    const named = /\b(GET|POST|PUT|DELETE) (\/[\w./{}-]*[\w}])/g;
    const isKnown = (method = '', path = '') =>
      known.some(([m, pattern]) => m === method && (pattern.test(path) || pattern.test(`${path}/id`)));
    expect(unknownIn(all, named, isKnown)).toEqual([]);
  });

  it('types of events', () => {
    const subjects = [...new Set(Object.keys(EVENT_TYPES).map((type) => type.split('.')[0]))].join('|');
    const named = new RegExp(`\`((?:${subjects})\\.[a-z_]+)\``, 'g');
    expect(
      unknownIn(documents, named, (type = '') => type in EVENT_TYPES || type === 'webhook.test'),
    ).toEqual([]);
  });

  it('D61: every setting stands in the example file and in the guide for operators, and no other', async () => {
    const settings = namesIn(await read('server/config/settings.ts'), /^ {2}([A-Z][A-Z_]+):/gm).sort();
    const rows = (await read('docs/operating.md')).match(/^\| `[A-Z].*$/gm) ?? [];
    const inGuide = rows.flatMap((row) => namesIn(row.split(' | ')[0] ?? '', /`([A-Z_]+)`/g));
    expect(settings.length).toBeGreaterThan(30);
    expect(namesIn(others.get('.env.example') ?? '', /^#? ?([A-Z_]+)=/gm).sort()).toEqual(settings);
    expect(inGuide.sort()).toEqual(settings);
  });
});

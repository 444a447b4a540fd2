import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { ERROR_CODES } from '../../../contract/error-codes.ts';
import { GUIDES, openApiDocument } from '../../../contract/openapi.ts';
import { createDocs } from '../../../server/docs/docs.ts';
import { html, Markup } from '../../../server/shared/html.ts';

const ROOT = join(import.meta.dirname, '../../..');
const REPOSITORY = GUIDES.slice(0, -'docs'.length);
const document = openApiDocument('https://castellan.example/gate/');
const docs = createDocs(document);

/** Every page by its path below the base. */
const pages = new Map<string, string>();
beforeAll(async () => {
  const guides = (await readdir(join(ROOT, 'docs'))).filter((name) => name.endsWith('.md'));
  for (const path of ['/docs', ...guides.map((name) => `/docs/guides/${name.slice(0, -3)}`)]) {
    pages.set(path, (await docs(path)) ?? '');
  }
});

const idsOf = (text: string) => [...text.matchAll(/ id="([^"]*)"/g)].map(([, id = '']) => id);
const linksOf = (text: string) => [...text.matchAll(/<a [^>]*href="([^"]*)"/g)].map(([, href = '']) => href);

describe('the pages under /docs', () => {
  it('are found only by their paths', async () => {
    expect(pages.size).toBeGreaterThan(10);
    for (const path of ['/docs/guides', '/docs/guides/none', '/docs/guides/../docs']) {
      expect(await docs(path)).toBeUndefined();
    }
  });

  it('link only to existing anchors of pages and files of the repository', () => {
    const lost: string[] = [];
    for (const [path, text] of pages) {
      for (const link of linksOf(text)) {
        const [target = '', anchor] = link.split('#');
        const page = target === '' ? text : pages.get(target.replace('/gate', ''));
        const known = link.startsWith(REPOSITORY)
          ? existsSync(join(ROOT, target.slice(REPOSITORY.length)))
          : page !== undefined
            ? anchor === undefined || idsOf(page).includes(anchor)
            : /^\/gate\/openapi\.(json|yaml)$|^https:/.test(link);
        if (!known) lost.push(`${path}: ${link}`);
      }
    }
    expect(lost).toEqual([]);
    expect(linksOf(pages.get('/docs/guides/access') ?? '')).toContain(
      '/gate/docs/guides/signing-in#scopes-and-guests',
    );
  });

  it('title every column of a table', () => {
    expect([...pages].filter(([, text]) => /<th><\/th>/.test(text)).map(([path]) => path)).toEqual([]);
  });

  it('have each anchor once', () => {
    for (const [path, text] of pages) {
      const ids = idsOf(text);
      expect(
        ids.filter((id, index) => ids.indexOf(id) !== index),
        path,
      ).toEqual([]);
    }
  });

  it('list first the guides that the document names', () => {
    const [, first, second] = linksOf(pages.get('/docs') ?? '').filter((link) => link.startsWith('/gate/'));
    expect([first, second]).toEqual(['/gate/docs', '/gate/docs/guides/signing-in']);
  });
});

describe('the reference', () => {
  it('contains every operation, webhook, schema and error code of the document', () => {
    const ids = new Set(idsOf(pages.get('/docs') ?? ''));
    const described = [...Object.values(document.paths), ...Object.values(document.webhooks)];
    const wanted = [
      ...described.flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId)),
      ...Object.keys(document.components.schemas).map((name) => `schema-${name}`),
      ...document.tags.map(({ name }) => `tag-${name}`),
    ];
    expect(wanted.length).toBeGreaterThan(100);
    expect(wanted.filter((id) => !ids.has(id))).toEqual([]);
    for (const code of Object.keys(ERROR_CODES)) {
      expect(pages.get('/docs')).toContain(`<code class="name">${code}</code>`);
    }
  });

  it('describes who may call an operation, its parameters and its answers', () => {
    const [, article = ''] =
      /<article id="updateGroup">(.+?)<\/article>/s.exec(pages.get('/docs') ?? '') ?? [];
    for (const part of [
      'Setting authorized_to_login needs level 9.',
      '<code class="name">group_id</code>',
      '<a href="#schema-PutGroup">PutGroup</a>',
      '<a href="#schema-Group">Group</a>',
      '<a href="#codes-409">all codes of 409</a>',
      'data-path="/group/{group_id}"',
    ])
      expect(article).toContain(part);
    expect(article).not.toContain('**');
  });
});

describe('markup', () => {
  it('escapes values, and leaves out undefined ones', () => {
    const hostile = `<script>"&'`;
    expect(html`<p title="${hostile}">${[hostile, 1]}${undefined}${false}${new Markup('<b>')}</p>`.text).toBe(
      '<p title="&lt;script&gt;&quot;&amp;&#39;">&lt;script&gt;&quot;&amp;&#39;1<b></p>',
    );
  });
});

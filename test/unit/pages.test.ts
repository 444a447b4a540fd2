import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  badRequestPage,
  cancelledPage,
  failurePage,
  notAllowedPage,
  PAGE_HEADERS,
  providerFailedPage,
  tooFewScopesPage,
} from '../../server/sign-in/pages.ts';

const EVIL = `</p><script>alert("1")</script><img src=x onerror='alert(2)'>&`;
const ESCAPED =
  '&lt;/p&gt;&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&lt;img src=x onerror=&#39;alert(2)&#39;&gt;&amp;';

const pages: readonly [string, string][] = [
  ['bad request', badRequestPage(EVIL)],
  ['cancelled', cancelledPage()],
  ['provider failed', providerFailedPage()],
  ['not allowed', notAllowedPage(EVIL)],
  [
    'too few scopes',
    tooFewScopesPage({
      name: EVIL,
      characterId: 7,
      required: ['publicData'],
      provided: [EVIL as 'publicData'],
    }),
  ],
  ['failure', failurePage(EVIL)],
];

describe.each(pages)('D26: the page “%s”', (name, html) => {
  it('is a proper page: language, encoding, title, style, readable on a phone', () => {
    expect(html).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(html).toContain('<meta charset="utf-8">');
    expect(html).toContain('<meta name="viewport" content="width=device-width, initial-scale=1">');
    const [, title] = /<title>([^<]+) · castellan<\/title>/.exec(html) ?? [];
    expect(html).toContain(`<h1>${title}</h1>`);
    expect(html.endsWith('</html>\n')).toBe(true);
  });

  it('has nothing but text in it', () => {
    expect(html).not.toMatch(/<(script|img|iframe|object|form|a)\b/i);
    expect(html).not.toContain(EVIL);
    if (name !== 'cancelled' && name !== 'provider failed') expect(html).toContain(ESCAPED);
  });

  it('has the one style that its policy allows', () => {
    const [style = '', ...others] = [...html.matchAll(/<style>([\s\S]*?)<\/style>/g)].map(([, text]) => text);
    expect(others).toEqual([]);
    const hash = createHash('sha256').update(style).digest('base64');
    expect(PAGE_HEADERS['Content-Security-Policy']).toContain(`style-src 'sha256-${hash}';`);
    expect(html).not.toMatch(/ style=/);
  });
});

describe('D26: the page “too few scopes”', () => {
  const html = tooFewScopesPage({
    name: 'Ada Vale',
    characterId: 2_112_000_001,
    required: ['ext-mail.read_mail.v1', 'publicData'],
    provided: ['publicData'],
  });

  it('tells name, id, what is required, what is provided and what is missing', () => {
    expect(html).toContain('Ada Vale (character 2112000001) granted too few scopes.');
    const [required = '', provided = ''] = html.slice(html.indexOf('<h2>')).split('<h2>Provided');
    expect(required).toContain('<li class="missing"><code>ext-mail.read_mail.v1</code> (missing)</li>');
    expect(required).toContain('<li><code>publicData</code></li>');
    expect(provided).toContain('<ul><li><code>publicData</code></li></ul>');
  });

  it('says so when nothing was provided', () => {
    const none = tooFewScopesPage({ name: 'A', characterId: 1, required: ['publicData'], provided: [] });
    expect(none.slice(none.indexOf('<h2>Provided'))).toContain('<p>none</p>');
  });
});

it('D26: pages are not kept, framed, indexed, nor told of', () => {
  expect(PAGE_HEADERS).toEqual({
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': expect.stringMatching(
      /^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
    ),
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-store',
  });
});

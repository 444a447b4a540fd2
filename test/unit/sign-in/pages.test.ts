import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { failurePage, PAGE_HEADERS } from '../../../server/http/html-page.ts';
import type { Refusal, WaysOn } from '../../../server/sign-in/outcome.ts';
import { COMPLETED, EXPIRED, OTHER_OWNER, UNKNOWN } from '../../../server/sign-in/outcome.ts';
import { refusalPage } from '../../../server/sign-in/pages.ts';

const EVIL = `</p><script>alert("1")</script><img src=x onerror='alert(2)'>&`;
const ESCAPED =
  '&lt;/p&gt;&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&lt;img src=x onerror=&#39;alert(2)&#39;&gt;&amp;';

const APPLICATION = 'https://fleet.example:8443';
const AGAIN = `https://sso.example/v2/oauth/authorize?state=a&scope="'<>`;
const WAYS_ON: WaysOn = { application: APPLICATION, again: AGAIN };

const tooFewScopes = (scopes: Partial<Refusal & { kind: 'too-few-scopes' }>): Refusal => ({
  kind: 'too-few-scopes',
  name: 'Ada Vale',
  characterId: 2_112_000_001,
  required: ['publicData'],
  provided: [],
  ...scopes,
});
const notAllowed = (why: Partial<Refusal & { kind: 'not-allowed' }>): Refusal => ({
  kind: 'not-allowed',
  sentence: 'Ada Vale may not log in: let in by no group or coalition.',
  refusedBy: [],
  ...why,
});

const refusals: readonly [string, Refusal][] = [
  ['bad request', { kind: 'bad-request', reason: EVIL }],
  ['cancelled', { kind: 'cancelled' }],
  ['provider failed', { kind: 'provider-failed' }],
  ['told of a failure', { kind: 'told-of-failure' }],
  ['nobody lets in', notAllowed({ sentence: EVIL })],
  ['kept out', notAllowed({ refusedBy: [{ type: 'group', id: null, name: EVIL }] })],
  ['too few scopes', tooFewScopes({ name: EVIL, provided: [EVIL as 'publicData'] })],
];
const pages: readonly [string, string][] = [
  ...refusals.map(([name, refusal]): [string, string] => [name, refusalPage(refusal, WAYS_ON)]),
  ['failure', failurePage(EVIL, 500)],
];

describe.each(pages)('D26: the page “%s”', (name, html) => {
  it('has language, encoding, title, style, and is readable on a phone', () => {
    expect(html).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(html).toContain('<meta charset="utf-8">');
    expect(html).toContain('<meta name="viewport" content="width=device-width, initial-scale=1">');
    const [, title] = /<title>([^<]+) · castellan<\/title>/.exec(html) ?? [];
    expect(html).toContain(`<h1>${title}</h1>`);
    expect(html.endsWith('</html>\n')).toBe(true);
  });

  it('contains only text and links', () => {
    expect(html).not.toMatch(/<(script|img|iframe|object|form|link(?! rel="icon" href="data:)|base)\b/i);
    expect(html).not.toContain(EVIL);
    if (!['cancelled', 'provider failed', 'told of a failure'].includes(name))
      expect(html).toContain(ESCAPED);
  });

  it('has only the style that its policy allows', () => {
    const [style = '', ...others] = [...html.matchAll(/<style>([\s\S]*?)<\/style>/g)].map(([, text]) => text);
    expect(others).toEqual([]);
    const hash = createHash('sha256').update(style).digest('base64');
    expect(PAGE_HEADERS['Content-Security-Policy']).toContain(`style-src 'sha256-${hash}';`);
    expect(html).not.toMatch(/ style=/);
  });
});

describe.each(refusals)('D26: the links of the page “%s”', (_, refusal) => {
  const linksOf = (html: string) =>
    [...html.matchAll(/<a href="([^"]*)">([^<]*)<\/a>/g)].map(([, href, text]) => [href, text]);

  it('back to the application', () => {
    expect(linksOf(refusalPage(refusal, { application: APPLICATION }))).toEqual([
      [APPLICATION, 'Back to fleet.example:8443'],
    ]);
  });

  it('another attempt comes first, if there is one, with its link escaped', () => {
    const again = 'https://sso.example/v2/oauth/authorize?state=a&amp;scope=&quot;&#39;&lt;&gt;';
    expect(linksOf(refusalPage(refusal, WAYS_ON))).toEqual([
      [again, 'Sign in and grant all'],
      [APPLICATION, 'Back to fleet.example:8443'],
    ]);
  });

  it('none if the application is not known', () => {
    expect(linksOf(refusalPage(refusal, {}))).toEqual([]);
  });
});

describe('D26: the page “not allowed”', () => {
  it('D120: contains the sentence of why', () => {
    expect(refusalPage(notAllowed({}), {})).toContain(
      '<p>Ada Vale may not log in: let in by no group or coalition.</p>',
    );
  });

  it('names the groups and coalitions that refuse', () => {
    const refusedBy = [
      { type: 'coalition', id: null, name: 'North' },
      { type: 'group', id: null, name: 'Spies & Co' },
    ] as const;
    const html = refusalPage(notAllowed({ refusedBy }), {});
    expect(html).toContain(
      '<ul><li>the coalition <b>North</b></li><li>the group <b>Spies &amp; Co</b></li></ul>',
    );
  });
});

describe('D26: the page “too few scopes”', () => {
  const html = refusalPage(
    tooFewScopes({ required: ['ext-mail.read_mail.v1', 'publicData'], provided: ['publicData'] }),
    {},
  );

  it('contains name, id, and the required, provided and missing scopes', () => {
    expect(html).toContain('Ada Vale (character 2112000001) granted too few scopes.');
    const [required = '', provided = ''] = html.slice(html.indexOf('<h2>')).split('<h2>Provided');
    expect(required).toContain('<li class="missing"><code>ext-mail.read_mail.v1</code> (missing)</li>');
    expect(required).toContain('<li><code>publicData</code></li>');
    expect(provided).toContain('<ul><li><code>publicData</code></li></ul>');
  });

  it('says so when nothing was provided', () => {
    const none = refusalPage(tooFewScopes({ provided: [] }), {});
    expect(none.slice(none.indexOf('<h2>Provided'))).toContain('<p>none</p>');
  });
});

it('D26: pages forbid caching, framing, content sniffing and referrers', () => {
  expect(PAGE_HEADERS).toEqual({
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': expect.stringMatching(
      /^default-src 'none'; style-src 'sha256-[^']+'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
    ),
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-store',
  });
});

it('D8: a page says that nothing was stored only where that is known', () => {
  const NOTHING = 'Nothing was stored.';
  expect(failurePage('The database cannot be reached.', 503)).not.toContain(NOTHING);
  expect(failurePage('The address is not valid.', 422)).toContain(NOTHING);
  expect(refusalPage(COMPLETED, {})).not.toContain(NOTHING);
  expect(refusalPage(UNKNOWN, {})).not.toContain(NOTHING);
  // The hand-over may have been stored before.
  expect(refusalPage(OTHER_OWNER, {})).not.toContain(NOTHING);
  expect(refusalPage(EXPIRED, {})).toContain(NOTHING);
});

it('D26b: the page of a refused sign-in of which an event tells says so', () => {
  for (const refusal of [notAllowed({}), tooFewScopes({})]) {
    expect(refusalPage(refusal, {})).toContain(
      '<footer>It is recorded that this sign-in was refused. You can close this page.</footer>',
    );
  }
});

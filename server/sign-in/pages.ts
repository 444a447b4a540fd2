import { createHash } from 'node:crypto';
import type { ExtScope } from '../../contract/scopes.ts';

const STYLE = `
:root { color-scheme: light dark; --ink: #1d2433; --soft: #56617a; --paper: #f4f6fa; --card: #fff; --line: #dfe4ee; --mark: #b3402e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8ecf5; --soft: #a3aec5; --paper: #12161f; --card: #1b212d; --line: #313a4c; --mark: #f08a76; } }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1.25rem; background: var(--paper); color: var(--ink); font: 1rem/1.55 system-ui, sans-serif; }
main { width: 100%; max-width: 34rem; background: var(--card); border: 1px solid var(--line); border-top: .25rem solid var(--mark); border-radius: .6rem; padding: 1.75rem; }
h1 { margin: 0 0 .75rem; font-size: 1.4rem; line-height: 1.25; }
h2 { margin: 1.25rem 0 .35rem; font-size: .95rem; color: var(--soft); }
p { margin: 0 0 .75rem; }
ul { margin: 0; padding-left: 1.2rem; }
code { font: .9em ui-monospace, monospace; overflow-wrap: anywhere; }
li.missing { color: var(--mark); font-weight: 600; }
footer { margin-top: 1.5rem; padding-top: .75rem; border-top: 1px solid var(--line); color: var(--soft); font-size: .85rem; }
`;
const STYLE_HASH = `'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`;

/** For every page here: nothing is loaded but its own style, nothing runs, nobody frames it, nothing is kept. */
export const PAGE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': `default-src 'none'; style-src ${STYLE_HASH}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
} as const;

function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)} · castellan</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${body}
<footer>Nothing was stored. You can close this page.</footer>
</main>
</body>
</html>
`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

function paragraphs(...texts: readonly string[]): string {
  return texts.map((text) => `<p>${escapeHtml(text)}</p>`).join('\n');
}

const START_AGAIN = 'Please go back to the application and sign in again.';

export function badRequestPage(reason: string): string {
  return page('This sign-in cannot be completed', paragraphs(reason, START_AGAIN));
}

export function cancelledPage(): string {
  return page(
    'You cancelled the sign-in',
    paragraphs('The provider told us that you did not want to go on.', START_AGAIN),
  );
}

export function providerFailedPage(): string {
  return page(
    'The sign-on provider is out of order',
    paragraphs(
      'It gave no answer that could be used, so we do not know who you are. This is not your fault.',
      'Wait a minute, then start again in the application.',
    ),
  );
}

export function notAllowedPage(name: string): string {
  return page(
    'You are not allowed to log in here',
    paragraphs(
      `${name} belongs to no group or coalition that may log in on this instance, or to one that may not.`,
      'If you think that this is wrong, ask the leaders of your corporation or alliance.',
    ),
  );
}

interface TooFewScopes {
  readonly name: string;
  readonly characterId: number;
  readonly required: readonly ExtScope[];
  readonly provided: readonly ExtScope[];
}

export function tooFewScopesPage({ name, characterId, required, provided }: TooFewScopes): string {
  const item = (scope: string, missing: boolean) =>
    `<li${missing ? ' class="missing"' : ''}><code>${escapeHtml(scope)}</code>${missing ? ' (missing)' : ''}</li>`;
  const items = (scopes: readonly string[], isMissing: (scope: string) => boolean) =>
    scopes.length === 0
      ? '<p>none</p>'
      : `<ul>${scopes.map((scope) => item(scope, isMissing(scope))).join('')}</ul>`;
  return page(
    'More scopes are needed',
    `${paragraphs(`${name} (character ${characterId}) granted too few scopes. Sign in again and grant all that are required.`)}
<h2>Required</h2>
${items(required, (scope) => !provided.some((given) => given === scope))}
<h2>Provided</h2>
${items(provided, () => false)}`,
  );
}

/** For what goes wrong before a sign-in is even looked at: the database is away, or an error of ours. */
export function failurePage(detail: string): string {
  return page(
    'Something went wrong',
    paragraphs(detail, 'Wait a minute, then start again in the application.'),
  );
}

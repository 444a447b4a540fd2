import { createHash } from 'node:crypto';
import { contract, OIDC_ENDPOINTS } from '../../contract/index.ts';
import { BRAND, BRAND_STYLE, FAVICON } from '../shared/brand.ts';
import { escapeHtml } from '../shared/html.ts';

const STYLE = `
:root { color-scheme: light dark; --ink: #1d2433; --soft: #56617a; --paper: #f7f9fc; --card: #fff; --line: #dfe4ee; --mark: #1f4f86; --on-mark: #fff; --wrong: #b02a1b; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8ecf5; --soft: #a3aec5; --paper: #12161f; --card: #1b212d; --line: #313a4c; --mark: #9cc3f5; --on-mark: #12161f; --wrong: #ff9e91; } }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1.25rem; background: var(--paper); color: var(--ink); font: 1rem/1.55 system-ui, sans-serif; overflow-wrap: anywhere; }
main { width: 100%; max-width: 34rem; background: var(--card); border: 1px solid var(--line); border-top: .25rem solid var(--mark); border-radius: .6rem; padding: 1.75rem; }
h1 { margin: 0 0 .75rem; font-size: 1.4rem; line-height: 1.25; }
h2 { margin: 1.25rem 0 .35rem; font-size: .95rem; color: var(--soft); }
p { margin: 0 0 .75rem; }
ul { margin: 0 0 .75rem; padding-left: 1.2rem; }
code { font: .9em ui-monospace, monospace; }
li.missing { color: var(--wrong); font-weight: 600; }
nav { display: grid; gap: .75rem; margin-top: 1.5rem; }
nav form { display: grid; gap: .75rem; }
nav a, nav button { font: inherit; cursor: pointer; background: none; padding: .6rem 1.1rem; border: 1px solid var(--mark); border-radius: .4rem; color: var(--mark); font-weight: 600; text-align: center; text-decoration: none; }
nav > a:first-child, nav button.main { background: var(--mark); color: var(--on-mark); }
nav a:focus-visible, nav button:focus-visible { outline: 3px solid var(--ink); outline-offset: 2px; }
footer { margin-top: 1.5rem; padding-top: .75rem; border-top: 1px solid var(--line); color: var(--soft); font-size: .85rem; }
${BRAND_STYLE}
`;
const STYLE_HASH = `'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`;

/** Content security policy of a page: own inline style only, no scripts, no framing, forms to `formAction` only. */
export function contentPolicy(formAction: string): string {
  return `default-src 'none'; style-src ${STYLE_HASH}; img-src data:; base-uri 'none'; form-action ${formAction}; frame-ancestors 'none'`;
}

/** Headers of every page: own inline style only, no scripts, no framing, no caching. */
export const PAGE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': contentPolicy("'none'"),
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
} as const;

const CALLBACK = contract.callback.ext.path;
const FOR_PEOPLE = [OIDC_ENDPOINTS.authorization, OIDC_ENDPOINTS.logout].map(({ path }) => path);

/** Whether browsers are redirected to this path, so that errors on it are shown as HTML pages. */
export function isForPeople(path: string): boolean {
  return (
    // As Express routes it: with a slash at its end, too.
    path === CALLBACK ||
    path === `${CALLBACK}/` ||
    path.startsWith('/oidc/interaction/') ||
    FOR_PEOPLE.some((begin) => path === begin || path.startsWith(`${begin}/`))
  );
}

export interface Link {
  readonly href: string;
  readonly text: string;
}

/** Optional parts of a page: the markup of a form above the links, and the last line. */
interface More {
  readonly form?: string;
  readonly footer?: string;
}

/**
 * Renders a complete page. `body` is HTML in which all variable text is escaped already; the first link is shown as the
 * main action.
 */
export function page(
  title: string,
  body: string,
  links: readonly Link[],
  { form = '', footer = `Nothing was stored. ${CLOSE}` }: More = {},
): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)} · castellan</title>
${FAVICON}
<style>${STYLE}</style>
</head>
<body>
<main>
${BRAND}
<h1>${escapeHtml(title)}</h1>
${body}
${navigation(links, form)}
<footer>${escapeHtml(footer)}</footer>
</main>
</body>
</html>
`;
}

function navigation(links: readonly Link[], form: string): string {
  if (links.length === 0 && form === '') return '';
  const anchors = links.map(({ href, text }) => `<a href="${escapeHtml(href)}">${escapeHtml(text)}</a>`);
  return `<nav>${[form, ...anchors].filter(Boolean).join('\n')}</nav>`;
}

export function paragraphs(...texts: readonly string[]): string {
  return texts.map((text) => `<p>${escapeHtml(text)}</p>`).join('\n');
}

/** The last line of a page where something was stored, or may have been. */
export const CLOSE = 'You can close this page.';

export const WAIT = 'Wait a minute, then start again in the application.';

const REFUSED =
  'The application asked for something that cannot be answered, now or later. Tell whoever runs it.';
/** Statuses that say that the request itself is at fault. */
const AT_FAULT: ReadonlySet<number> = new Set([400, 413, 415, 422]);

/**
 * The page for errors that occur before a sign-in is processed: the database cannot be reached, an internal error, or a
 * request that is refused as it is.
 */
export function failurePage(detail: string, status: number): string {
  const text = paragraphs(detail, AT_FAULT.has(status) ? REFUSED : WAIT);
  // The answer of the database may be what was lost, so nobody knows what was stored.
  return page('Something went wrong', text, [], status < 500 ? {} : { footer: CLOSE });
}

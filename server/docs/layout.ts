import { FAVICON } from '../shared/brand.ts';
import { html, type Inserted, Markup } from '../shared/html.ts';

/** Properties shared by all pages. */
export interface Site {
  /** Path prefix of BASE_URL without a trailing slash; usually empty. */
  readonly base: string;
  readonly version: string;
  /** URL of the repository. */
  readonly repository: string;
  /** The guides to list first. */
  readonly guides: readonly Guide[];
}

export interface Guide {
  /** Last segment of its address. */
  readonly name: string;
  readonly title: string;
  readonly text: string;
}

export interface PageParts {
  readonly title: string;
  /** The page's path below the base, to mark it in the navigation. */
  readonly path: string;
  /** Navigation within the page. */
  readonly contents: Inserted;
  readonly main: Inserted;
}

/** A complete page: skip link, navigation, content. It works without JavaScript, too. */
export function layout(site: Site, { title, path, contents, main }: PageParts): string {
  const link = (to: string, text: string) =>
    html`<li><a href="${site.base}${to}"${to === path && html` aria-current="page"`}>${text}</a></li>`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · castellan</title>
${new Markup(FAVICON)}
<link rel="stylesheet" href="${site.base}/docs/page.css">
<script type="module" src="${site.base}/docs/page.mjs"></script>
</head>
<body data-base="${site.base}">
<a class="skip" href="#main">Skip to the content</a>
<header>
<a class="home" href="${site.base}/docs">castellan</a> <span>${site.version}</span>
<a class="open" href="#contents">Contents</a>
</header>
<nav id="contents" aria-label="Contents">
<a class="close" href="#main">Close</a>
<ul>
${link('/docs', 'Reference')}
${site.guides.map(({ name, title: words }) => link(guidePath(name), words))}
</ul>
${contents}
</nav>
<main id="main" tabindex="-1">
${main}
</main>
</body>
</html>
`.text;
}

export function guidePath(name: string): string {
  return `/docs/guides/${name}`;
}

/** A list of the navigation under a title of its own. */
export function navigation(id: string, title: string, entries: readonly Markup[]): Markup {
  return html`<p class="title" id="nav-${id}">${title}</p>
<ul aria-labelledby="nav-${id}">
${entries}
</ul>
`;
}

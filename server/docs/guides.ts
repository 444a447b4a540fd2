import { readdir, readFile } from 'node:fs/promises';
import { html } from '../shared/html.ts';
import { type Guide, guidePath, layout, navigation, type Site } from './layout.ts';
import { type Resolve, renderMarkdown } from './markdown.ts';

/** The same relative path in the sources and in the build. */
const FOLDER = new URL('../../docs/', import.meta.url);

/** All guides: those in `first`, then the others by title. */
export async function readGuides(first: readonly string[]): Promise<Guide[]> {
  const files = (await readdir(FOLDER)).filter((file) => file.endsWith('.md'));
  const guides = await Promise.all(
    files.map(async (file): Promise<Guide> => {
      const text = await readFile(new URL(file, FOLDER), 'utf8');
      return { name: file.slice(0, -3), title: /^# (.+)$/m.exec(text)?.[1] ?? file, text };
    }),
  );
  const rank = ({ name }: Guide) => (first.includes(name) ? first.indexOf(name) : first.length);
  return guides.sort((a, b) => rank(a) - rank(b) || a.title.localeCompare(b.title, 'en'));
}

export function guidePage(site: Site, { name, title, text }: Guide): string {
  const { markup, headings } = renderMarkdown(text, resolveFrom(site));
  const parts = headings.filter(({ depth }) => depth === 2);
  return layout(site, {
    title,
    path: guidePath(name),
    contents:
      parts.length > 0 &&
      navigation(
        'parts',
        'On this page',
        parts.map((part) => html`<li><a href="#${part.id}">${part.text}</a></li>`),
      ),
    main: markup,
  });
}

/** Links to guides lead to their pages, links to other files to the repository. */
function resolveFrom({ base, guides, repository }: Site): Resolve {
  return (target) => {
    const [, name, anchor = ''] = /^([\w-]+)\.md(#.*)?$/.exec(target) ?? [];
    if (guides.some((guide) => guide.name === name)) return `${base}${guidePath(name ?? '')}${anchor}`;
    return /^(#|[a-z]+:)/.test(target) ? target : new URL(target, `${repository}/docs/`).href;
  };
}

import { Marked, type Tokens } from 'marked';
import { escapeHtml, Markup } from '../shared/html.ts';

export interface Heading {
  readonly id: string;
  readonly text: string;
  readonly depth: number;
}

/** Maps a link target in Markdown to the one on our pages. */
export type Resolve = (target: string) => string;

/** Renders our own Markdown as HTML; headings get the same ids as on the platform that hosts the repository. */
export function renderMarkdown(
  text: string,
  resolve: Resolve = (target) => target,
): { readonly markup: Markup; readonly headings: readonly Heading[] } {
  const headings: Heading[] = [];
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text: words }) {
        const id = freeId(words, headings);
        headings.push({ id, text: plain(words), depth });
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        return `<a href="${escapeHtml(resolve(href))}">${this.parser.parseInline(tokens)}</a>`;
      },
      code: ({ text: code, lang = '' }: Tokens.Code) =>
        `<pre><code${lang && ` class="language-${escapeHtml(lang.split(' ')[0] ?? '')}"`}>${escapeHtml(code)}</code></pre>\n`,
    },
  });
  return { markup: new Markup(marked.parse(text, { async: false })), headings };
}

/** Renders inline Markdown. */
export function renderInline(text: string): Markup {
  return new Markup(new Marked().parseInline(text, { async: false }));
}

/** Removes Markdown from a text. */
function plain(words: string): string {
  return words.replace(/[`*]|\[([^\]]*)\]\([^)]*\)/g, '$1');
}

function freeId(words: string, taken: readonly Heading[]): string {
  const id = plain(words)
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
  const same = taken.filter((heading) => heading.id.replace(/-\d+$/, '') === id).length;
  return same === 0 ? id : `${id}-${same}`;
}

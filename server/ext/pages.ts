import { Problem } from '../problem.ts';
import type { ProviderAnswer } from '../provider/client.ts';

/** Pages of one answer that are fetched at the same time. */
const AT_ONCE = 8;
/** More than the largest list of the game has. */
const MOST_PAGES = 1_000;
/** How often pages that changed underneath are read anew. */
const TRIES = 3;

/** Asks for one page; `anew` passes by what the cache holds, where that may be of different ages. */
type AskPage = (page: number, anew: boolean) => Promise<ProviderAnswer>;

type Outcome =
  | { readonly kind: 'whole' | 'refused' | 'mixed'; readonly answer: ProviderAnswer }
  | { readonly kind: 'shrunk' };

/**
 * All pages of a list, joined in order (D32). Page 1 tells how many there are; pages of different snapshots are
 * read anew. The first refusal ends it, so that one request provokes few errors, and is the answer.
 */
export async function allPages(ask: AskPage): Promise<ProviderAnswer> {
  let last: Outcome | undefined;
  for (let tries = 0; tries < TRIES; tries += 1) {
    last = await readPages((page) => ask(page, tries > 0));
    if (last.kind === 'whole' || last.kind === 'refused') return last.answer;
  }
  // A provider that dates each page by itself never shows one snapshot; its pages still fit together.
  if (last?.kind === 'mixed') return last.answer;
  throw new Problem(502, 'The pages of the provider changed while they were read; try again.');
}

async function readPages(ask: (page: number) => Promise<ProviderAnswer>): Promise<Outcome> {
  const first = await ask(1);
  const count = pageCount(first);
  if (first.status !== 200) return { kind: 'refused', answer: first };
  if (count === 1 || !Array.isArray(first.data)) return { kind: 'whole', answer: first };
  if (count > MOST_PAGES) throw new Problem(502, `The provider has ${count} pages, more than can be joined.`);
  const pages: ProviderAnswer[] = [first];
  let ended: Outcome | undefined;
  let next = 2;
  const work = async () => {
    while (next <= count && ended === undefined) {
      const page = next;
      next += 1;
      const answer = await ask(page);
      // The list changed its length while it was read; its last pages may be gone.
      if (answer.status === 404 || (answer.status === 200 && pageCount(answer) !== count))
        ended ??= { kind: 'shrunk' };
      else if (answer.status !== 200) ended ??= { kind: 'refused', answer };
      pages[page - 1] = answer;
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - 1) }, work));
  if (ended !== undefined) return ended;
  const dates = new Set(pages.map((page) => page.headers['last-modified']));
  const answer = { ...first, data: pages.flatMap((page) => page.data) };
  return { kind: dates.size === 1 ? 'whole' : 'mixed', answer };
}

function pageCount({ headers }: ProviderAnswer): number {
  const count = Number(headers['x-pages'] ?? 1);
  return Number.isInteger(count) && count > 0 ? count : 1;
}

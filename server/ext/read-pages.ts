import pMap from 'p-map';
import type { ProviderAnswer } from '../provider/answer.ts';
import { ProviderError } from '../provider/http.ts';
import { DomainError } from '../shared/errors.ts';

/** Pages of one list that are asked for at the same time. */
const AT_ONCE = 8;
/** How often pages that changed underneath are read anew. */
const TRIES = 3;

/** Asks for one page; `anew` passes by what the cache holds, where that may be of different ages. */
type AskPage = (page: number, anew: boolean) => Promise<ProviderAnswer>;

/** Where pages go as they come, in any order. */
export interface PageSink {
  /** Of `count` pages. Throws when they are too much. */
  keep(page: number, count: number, answer: ProviderAnswer): Promise<void>;
  /** What came so far is no use. */
  clear(): Promise<void>;
}

export type AllPages =
  /** The sink has all pages; `first` is page 1. */
  | { readonly kind: 'list'; readonly first: ProviderAnswer }
  /** One answer is all there is: a refusal, a single page, or no list. */
  | { readonly kind: 'single'; readonly answer: ProviderAnswer };

type Outcome =
  | AllPages
  | { readonly kind: 'mixed'; readonly first: ProviderAnswer }
  | { readonly kind: 'shrunk' };

/**
 * All pages of a list (D32). Page 1 tells how many there are; pages of different snapshots are read anew. The first
 * refusal ends it, so that one request provokes few errors, and is the answer.
 */
export async function readAllPages(ask: AskPage, sink: PageSink): Promise<AllPages> {
  for (let tries = 1; ; tries += 1) {
    const outcome = await readPages((page) => ask(page, tries > 1), sink);
    if (outcome.kind === 'list' || outcome.kind === 'single') return outcome;
    // A provider that dates each page by itself never shows one snapshot; its pages still fit together.
    if (tries === TRIES && outcome.kind === 'mixed') return { kind: 'list', first: outcome.first };
    if (tries === TRIES) throw pagesChanged();
    await sink.clear();
  }
}

async function readPages(ask: (page: number) => Promise<ProviderAnswer>, sink: PageSink): Promise<Outcome> {
  const first = await ask(1);
  const count = pageCount(first);
  if (first.status !== 200 || count === 1 || !isList(first)) return { kind: 'single', answer: first };
  await sink.keep(1, count, first);
  const dates = new Set([first.headers['last-modified']]);
  let ended: Outcome | undefined;
  let failure: unknown;
  const read = async (page: number) => {
    const answer = await ask(page);
    // The list changed its length while it was read; its last pages may be gone.
    if (answer.status === 404 || (answer.status === 200 && tellsAnotherCount(answer, count)))
      ended ??= { kind: 'shrunk' };
    else if (answer.status !== 200) ended ??= { kind: 'single', answer };
    else if (!isList(answer)) throw new ProviderError('unusable', `page ${page} of a list is no list`);
    else {
      dates.add(answer.headers['last-modified']);
      await sink.keep(page, count, answer);
    }
  };
  function* others() {
    for (let page = 2; page <= count && ended === undefined && failure === undefined; page += 1) yield page;
  }
  const readOrNote = (page: number) =>
    read(page).catch((error: unknown) => {
      failure ??= error;
    });
  // To the end of all of them: nobody may write into the sink afterwards.
  await pMap(others(), readOrNote, { concurrency: AT_ONCE });
  if (failure !== undefined) throw failure;
  return ended ?? { kind: dates.size === 1 ? 'list' : 'mixed', first };
}

function pagesChanged(): DomainError {
  const detail = 'The pages of the provider changed while they were read; try again.';
  return new DomainError('provider_pages_changed', detail);
}

/** A provider may tell the number of pages with the first one alone (D32). */
function tellsAnotherCount(answer: ProviderAnswer, count: number): boolean {
  return answer.headers['x-pages'] !== undefined && pageCount(answer) !== count;
}

function pageCount({ headers }: ProviderAnswer): number {
  const count = Number(headers['x-pages'] ?? 1);
  return Number.isInteger(count) && count > 0 ? count : 1;
}

/** A look at the text saves parsing what nobody wants to know more of. */
function isList({ body }: ProviderAnswer): boolean {
  return /^\s*\[/.test(body);
}

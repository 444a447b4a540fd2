import pMap from 'p-map';
import type { ProviderAnswer } from '../provider/answer.ts';
import type { ErrorAllowance } from '../provider/error-budget.ts';
import { ProviderError } from '../provider/http.ts';
import { DomainError } from '../shared/domain-error.ts';
import { entriesOf } from './list-entries.ts';

/** Concurrent requests for pages of one list. */
const AT_ONCE = 8;
/** Number of times that pages are read again after the list changed during reading. */
const TRIES = 3;

/** Requests one page; `anew` bypasses the cache, whose pages may be of different ages. */
type AskPage = (page: number, anew: boolean) => Promise<ProviderAnswer>;

/** Receives pages in any order. */
export interface PageSink {
  /** Stores one of `count` pages; throws when they are too large. */
  store(page: number, count: number, answer: ProviderAnswer): Promise<void>;
  /** Discards all pages received so far. */
  clear(): Promise<void>;
}

export type AllPages =
  /** The sink has all pages; `first` is page 1. */
  | { readonly kind: 'list'; readonly first: ProviderAnswer }
  /** There is only one answer: an error, a single page, or no list. */
  | { readonly kind: 'single'; readonly answer: ProviderAnswer };

type Outcome =
  | AllPages
  | { readonly kind: 'mixed'; readonly first: ProviderAnswer }
  | { readonly kind: 'shrunk' };

/**
 * Reads all pages of a list (D32). Page 1 tells the number of pages; pages of different snapshots are read again. The
 * first error ends the reading and is returned; a failure of the provider comes before the caller's limit of errors,
 * which it may have used up. All requests share the call's allowance of errors (D33).
 */
export async function readAllPages(
  ask: AskPage,
  sink: PageSink,
  allowance: ErrorAllowance,
): Promise<AllPages> {
  for (let tries = 1; ; tries += 1) {
    const outcome = await readPages((page) => ask(page, tries > 1), sink, allowance);
    if (outcome.kind === 'list' || outcome.kind === 'single') return outcome;
    // A provider whose pages have different dates never shows one snapshot; after the last try the pages are used all
    // the same.
    if (tries === TRIES && outcome.kind === 'mixed') return { kind: 'list', first: outcome.first };
    if (tries === TRIES || allowance.left === 0) throw pagesChanged();
    await sink.clear();
  }
}

async function readPages(
  ask: (page: number) => Promise<ProviderAnswer>,
  sink: PageSink,
  allowance: ErrorAllowance,
): Promise<Outcome> {
  const first = await ask(1);
  const count = pageCount(first);
  if (first.status !== 200 || count === 1 || !isList(first)) return { kind: 'single', answer: first };
  await sink.store(1, count, first);
  const dates = new Set([first.headers['last-modified']]);
  let ended: Outcome | undefined;
  let failure: unknown;
  const read = async (page: number) => {
    const answer = await ask(page);
    // The list's length changed during reading, so its last pages may not exist any more.
    if (answer.status === 404 || (answer.status === 200 && tellsAnotherCount(answer, count)))
      ended ??= { kind: 'shrunk' };
    else if (answer.status >= 400) ended ??= { kind: 'single', answer };
    else if (answer.status !== 200 || !isList(answer))
      throw new ProviderError('unusable', `page ${page} of a list is no list`);
    else {
      dates.add(answer.headers['last-modified']);
      await sink.store(page, count, answer);
    }
  };
  function* others() {
    for (let page = 2; page <= count && ended === undefined && failure === undefined; page += 1) yield page;
  }
  const readOrNote = (page: number) =>
    read(page).catch((error: unknown) => {
      // A page that may not be asked for any more is the consequence of what the others failed of.
      if (failure === undefined || isUsedUp(failure)) failure = error;
    });
  // Each of the concurrent requests may fail.
  const concurrency = Math.max(1, Math.min(AT_ONCE, allowance.left));
  // Waits for all requests, so that none writes into the sink afterwards.
  await pMap(others(), readOrNote, { concurrency });
  if (failure !== undefined) throw failure;
  return ended ?? { kind: dates.size === 1 ? 'list' : 'mixed', first };
}

function isUsedUp(error: unknown): boolean {
  return error instanceof ProviderError && error.fault === 'caller-exhausted';
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

/** Looks at its brackets only, which saves parsing. */
function isList({ body }: ProviderAnswer): boolean {
  return entriesOf(body) !== undefined;
}

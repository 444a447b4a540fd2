import type { Answer, Success } from './call.ts';
import { ok } from './errors.ts';

interface PagedRequest {
  readonly headers?: { readonly page?: number | undefined } | undefined;
  readonly query?: { readonly after?: string | number | undefined } | undefined;
}

/** A page of the feed, which contains the cursor of the next page. */
interface FeedPage<Event = unknown> {
  readonly events: readonly Event[];
  readonly more: boolean;
  readonly cursor: string;
}

type EntryOf<Given> = Success<Given> extends readonly (infer Entry)[] | FeedPage<infer Entry> ? Entry : never;

/** A request that may be left out where the operation needs none. */
type AsNeeded<Request> = undefined extends Request ? [request?: Request] : [request: Request];

/**
 * The entries of all pages, from the first or the one asked for on; a page is fetched when it is wanted:
 * `for await (const mail of paginate(castellan.history.mails, { params: { character_id } })) …`,
 * `for await (const user of paginate(castellan.user.list)) …`,
 * `for await (const user of paginate(castellan.user.list, { query: { search: 'vale' } })) …`,
 * `for await (const event of paginate(castellan.event.list, { query: { after } })) …`
 *
 * @throws {CastellanError} when a page cannot be had.
 */
export function paginate<Request extends PagedRequest | undefined, Given extends Answer<number, unknown>>(
  operation: { readonly answer: (request: Request) => Promise<Given> },
  ...request: AsNeeded<Request>
): AsyncGenerator<EntryOf<Given>, void, void>;
export function paginate<Request extends PagedRequest | undefined, Given extends Answer<number, unknown>>(
  operation: (request: Request) => Promise<Given>,
  ...request: AsNeeded<Request>
): AsyncGenerator<EntryOf<Given>, void, void>;
export async function* paginate(operation: Paged | { readonly answer: Paged }, request: PagedRequest = {}) {
  const ask = 'answer' in operation ? operation.answer : operation;
  for (let next: PagedRequest | false = request; next; ) {
    const answer: Answer<number, unknown> = await ask(next);
    const page = await ok(answer);
    const { events = page as unknown[], more, cursor } = page as Partial<FeedPage>;
    // The pages of another form than JSON are texts.
    yield* [events].flat();
    next = following(next, answer.headers, more && cursor);
  }
}

/** The request for the next page, by page number or by cursor; false after the last one. */
function following(
  request: PagedRequest,
  headers: Headers,
  cursor: string | false | undefined,
): PagedRequest | false {
  const after = cursor || headers.get('x-next');
  if (after) return { ...request, query: { ...request.query, after } };
  const page = request.headers?.page ?? 1;
  const more = page < Number(headers.get('x-pages'));
  return more && { ...request, headers: { ...request.headers, page: page + 1 } };
}

type Paged = (request: PagedRequest) => Promise<Answer<number, unknown>>;

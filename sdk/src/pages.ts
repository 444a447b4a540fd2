import type { Answer, Success } from './call.ts';
import { ok } from './errors.ts';

interface PagedRequest {
  readonly headers?: { readonly page?: number | undefined } | undefined;
  readonly query?: { readonly after?: string | undefined } | undefined;
}

type EntryOf<Given> = Success<Given> extends readonly (infer Entry)[] ? Entry : never;

/**
 * The entries of all pages, from the first or the one asked for on; a page is fetched when it is wanted:
 * `for await (const mail of paginate(castellan.history.mails, { params: { character_id } })) …`,
 * `for await (const user of paginate(castellan.user.list, { query: { search: 'vale' } })) …`
 *
 * @throws {CastellanError} when a page cannot be had.
 */
export function paginate<Request extends PagedRequest | undefined, Given extends Answer<number, unknown>>(
  operation: { readonly answer: (request: Request) => Promise<Given> },
  request: Request,
): AsyncGenerator<EntryOf<Given>, void, void>;
export function paginate<Request extends PagedRequest | undefined, Given extends Answer<number, unknown>>(
  operation: (request: Request) => Promise<Given>,
  request: Request,
): AsyncGenerator<EntryOf<Given>, void, void>;
export async function* paginate(operation: Paged | { readonly answer: Paged }, request: PagedRequest) {
  const ask = 'answer' in operation ? operation.answer : operation;
  for (let next: PagedRequest | undefined = request; next !== undefined; ) {
    const answer: Answer<number, unknown> = await ask(next);
    yield* (await ok(answer)) as unknown[];
    next = following(next, answer.headers);
  }
}

/** What asks for the page after this one: by its number where pages are counted, else by what comes after. */
function following(request: PagedRequest, headers: Headers): PagedRequest | undefined {
  const after = headers.get('x-next');
  if (after !== null) return { ...request, query: { ...request.query, after } };
  const page = request.headers?.page ?? 1;
  if (page >= Number(headers.get('x-pages') ?? page)) return undefined;
  return { ...request, headers: { ...request.headers, page: page + 1 } };
}

type Paged = (request: PagedRequest) => Promise<Answer<number, unknown>>;

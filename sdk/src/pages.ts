import type { Answer, Success } from './call.ts';
import { ok } from './errors.ts';

interface PagedRequest {
  readonly headers?: { readonly page?: number | undefined } | undefined;
}

type EntryOf<Given> = Success<Given> extends readonly (infer Entry)[] ? Entry : never;

/**
 * The entries of all pages, from the first or the one asked for on; a page is fetched when it is wanted:
 * `for await (const mail of paginate(castellan.history.mails, { params: { character_id } })) …`
 *
 * @throws {CastellanError} when a page cannot be had.
 */
export function paginate<Request extends PagedRequest, Given extends Answer<number, unknown>>(
  operation: { readonly answer: (request: Request) => Promise<Given> },
  request: Request,
): AsyncGenerator<EntryOf<Given>, void, void>;
export function paginate<Request extends PagedRequest, Given extends Answer<number, unknown>>(
  operation: (request: Request) => Promise<Given>,
  request: Request,
): AsyncGenerator<EntryOf<Given>, void, void>;
export async function* paginate(operation: Paged | { readonly answer: Paged }, request: PagedRequest) {
  const ask = 'answer' in operation ? operation.answer : operation;
  for (let page = request.headers?.page ?? 1, pages = page; page <= pages; page += 1) {
    const answer = await ask({ ...request, headers: { ...request.headers, page } });
    yield* (await ok(answer)) as unknown[];
    pages = Number(answer.headers.get('x-pages') ?? page);
  }
}

type Paged = (request: PagedRequest) => Promise<Answer<number, unknown>>;

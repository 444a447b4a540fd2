/** Options for TanStack Query with any framework; the library itself is not imported. */
import type { Answer, CallOptions, Success } from './call.ts';
import type { Castellan } from './client.ts';
import { ok } from './errors.ts';
import type { Linked, Paged, Reads } from './generated/routes.ts';
import type { Api } from './generated/types.ts';
import { fromRoutes } from './routes.ts';

/** `queryKey` begins with `castellan`, resource and operation, so that whole resources can be invalidated. */
export interface CastellanQuery<Result> {
  readonly queryKey: readonly unknown[];
  readonly queryFn: (context: { readonly signal: AbortSignal }) => Promise<Result>;
}

export interface CastellanInfiniteQuery<Result> {
  readonly queryKey: readonly unknown[];
  readonly queryFn: (context: {
    readonly signal: AbortSignal;
    readonly pageParam: number;
  }) => Promise<CastellanPage<Result>>;
  readonly initialPageParam: number;
  readonly getNextPageParam: (last: CastellanPage<Result>) => number | undefined;
}

/** One page of a listing, and which one it is. */
export interface CastellanPage<Result> {
  readonly entries: Result;
  readonly page: number;
  readonly pages: number;
}

/** The pages of a list in which each one names the next one. */
export interface CastellanLinkedQuery<Result> {
  readonly queryKey: readonly unknown[];
  readonly queryFn: (context: {
    readonly signal: AbortSignal;
    readonly pageParam: number | string;
  }) => Promise<CastellanLinkedPage<Result>>;
  readonly initialPageParam: number | string;
  readonly getNextPageParam: (last: CastellanLinkedPage<Result>) => number | string | undefined;
}

/** One page of such a list, and what the next one is asked for by; undefined on the last one. */
export interface CastellanLinkedPage<Result> {
  readonly entries: Result;
  readonly next: number | string | undefined;
}

export interface CastellanMutation<Request, Result> {
  readonly mutationKey: readonly string[];
  readonly mutationFn: (request: Request) => Promise<Result>;
}

/** Whether a table of operations contains this one. */
type Has<Table, Resource, Name> = Resource extends keyof Table
  ? Name extends Table[Resource]
    ? true
    : false
  : false;

type ReadingOf<Call> = Call extends (...request: infer Request) => Promise<infer Given>
  ? (...request: Request) => CastellanQuery<Success<Given>>
  : never;

type PagesOf<Call> = Call extends (...request: infer Request) => Promise<infer Given>
  ? { readonly infinite: (...request: Request) => CastellanInfiniteQuery<Success<Given>> }
  : never;

type LinksOf<Call> = Call extends (...request: infer Request) => Promise<infer Given>
  ? { readonly infinite: (...request: Request) => CastellanLinkedQuery<Success<Given>> }
  : never;

type WritingOf<Call> = Call extends (...request: infer Request) => Promise<infer Given>
  ? // biome-ignore lint/suspicious/noConfusingVoidType: what lets `mutate()` go without an argument.
    () => CastellanMutation<undefined extends Request[0] ? Request[0] | void : Request[0], Success<Given>>
  : never;

/**
 * For each reading operation a function that returns the options of a query, for each other one those of a mutation.
 */
export type CastellanQueries = {
  readonly [Resource in keyof Api]: {
    readonly [Name in keyof Api[Resource]]: Has<Reads, Resource, Name> extends true
      ? ReadingOf<Api[Resource][Name]> &
          (Has<Paged, Resource, Name> extends true ? PagesOf<Api[Resource][Name]> : unknown) &
          (Has<Linked, Resource, Name> extends true ? LinksOf<Api[Resource][Name]> : unknown)
      : WritingOf<Api[Resource][Name]>;
  };
};

type AnyRequest = { readonly headers?: { readonly page?: number }; readonly query?: object } & Pick<
  CallOptions,
  'signal' | 'timeout' | 'retries'
>;
type AnyTurn = { readonly signal: AbortSignal; readonly pageParam: number | string };
/** In a list whose pages name the next one, `page` is what a page was asked for by, and never less than `pages`. */
type AnyPage = CastellanPage<unknown> & Partial<CastellanLinkedPage<unknown>>;
type AnyCall = ((request?: AnyRequest) => Promise<unknown>) & {
  readonly answer: (request?: AnyRequest) => Promise<Answer<number, unknown>>;
};

/**
 * `useQuery(queries.group.get({ params: { group_id } }))`, `useMutation(queries.group.update())`,
 * `useInfiniteQuery(queries.history.mails.infinite({ params: { character_id } }))`,
 * `useInfiniteQuery(queries.user.list.infinite({ query: { search: 'vale' } }))`.
 */
export function createQueries(castellan: Castellan): CastellanQueries {
  const all = castellan as unknown as Record<string, Record<string, AnyCall>>;
  return fromRoutes(({ resource, name, method }) => {
    const call = all[resource]?.[name] as AnyCall;
    const key = ['castellan', resource, name];
    return method === 'GET' ? reading(key, call) : writing(key, call);
  }) as CastellanQueries;
}

function reading(key: readonly string[], call: AnyCall) {
  const query = (request: AnyRequest = {}): CastellanQuery<unknown> => ({
    queryKey: keyOf(key, request),
    queryFn: ({ signal }) => call({ ...request, signal }),
  });
  const infinite = (request: AnyRequest = {}) => ({
    queryKey: keyOf([...key, 'infinite'], request),
    queryFn: async ({ signal, pageParam: page }: AnyTurn) => {
      const turn =
        typeof page === 'string'
          ? { query: { ...request.query, after: page } }
          : { headers: { ...request.headers, page } };
      const answer = await call.answer({ ...request, ...turn, signal });
      const entries: unknown = await ok(answer as Answer<200, unknown>);
      const { more, cursor } = entries as { more?: boolean; cursor?: string };
      return {
        entries,
        page,
        pages: Number(answer.headers.get('x-pages') ?? page),
        next: (more ? cursor : answer.headers.get('x-next')) ?? undefined,
      };
    },
    initialPageParam: request.headers?.page ?? 1,
    getNextPageParam: ({ next, page, pages }: AnyPage) => next ?? (page < pages ? page + 1 : undefined),
  });
  return Object.assign(query, { infinite });
}

function writing(key: readonly string[], call: AnyCall) {
  return (): CastellanMutation<AnyRequest, unknown> => ({
    mutationKey: key,
    mutationFn: (request) => call(request),
  });
}

/** The query key contains the request's parameters, but not its options. */
function keyOf(key: readonly string[], { signal, timeout, retries, ...asked }: AnyRequest): unknown[] {
  return Object.keys(asked).length === 0 ? [...key] : [...key, asked];
}

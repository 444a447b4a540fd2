import { describe, expect, expectTypeOf, it } from 'vitest';
import {
  type CharacterMailShort,
  createCastellan,
  type EventPage,
  type UserShort,
} from '../../sdk/src/index.ts';
import { createQueries } from '../../sdk/src/query.ts';

interface Page {
  readonly body: unknown;
  readonly headers?: Record<string, string>;
}

/** Queries of a service that answers with these pages, one after the other, and what it was asked for. */
function asking(...pages: Page[]) {
  const asked: string[] = [];
  const fetch: typeof globalThis.fetch = async (url, init) => {
    const { pathname, search } = new URL(String(url));
    asked.push(`${pathname}${search} ${new Headers(init?.headers).get('page')}`);
    const { body, headers = {} } = pages[asked.length - 1] as Page;
    return Response.json(body, { headers });
  };
  return { asked, queries: createQueries(createCastellan({ baseUrl: 'https://castellan.example', fetch })) };
}

interface Infinite<Param, Result> {
  readonly queryFn: (context: { signal: AbortSignal; pageParam: Param }) => Promise<Result>;
  readonly initialPageParam: Param;
  readonly getNextPageParam: (last: Result) => Param | undefined;
}

/** All pages, fetched as TanStack Query does it. */
async function allOf<Param, Result>(query: Infinite<Param, Result>): Promise<Result[]> {
  const pages: Result[] = [];
  const { signal } = new AbortController();
  for (let pageParam: Param | undefined = query.initialPageParam; pageParam !== undefined; ) {
    const page: Result = await query.queryFn({ signal, pageParam });
    pages.push(page);
    pageParam = query.getNextPageParam(page);
  }
  return pages;
}

describe('infinite queries', () => {
  it('External data rule 2: go on by the number of the page', async () => {
    const page = (mail_id: number) => ({ body: [{ mail_id }], headers: { 'x-pages': '2' } });
    const { asked, queries } = asking(page(2), page(1));
    const pages = await allOf(queries.history.mails.infinite({ params: { character_id: 7 } }));
    expect(pages.flatMap(({ entries }) => entries).map(({ mail_id }) => mail_id)).toEqual([2, 1]);
    expectTypeOf(pages[0]?.entries).toEqualTypeOf<CharacterMailShort[] | undefined>();
    const path = '/ext/history/characters/7/mail';
    expect(asked).toEqual([`${path} 1`, `${path} 2`]);
  });

  it('External data rule 2: begin at the page that is asked for', async () => {
    const page = { body: [], headers: { 'x-pages': '4' } };
    const { asked, queries } = asking(page, page);
    await allOf(queries.history.mails.infinite({ params: { character_id: 7 }, headers: { page: 3 } }));
    const path = '/ext/history/characters/7/mail';
    expect(asked).toEqual([`${path} 3`, `${path} 4`]);
  });

  it('D71: go on after what X-Next says, until an answer has none', async () => {
    const page = (character_id: number, next?: string) => ({
      body: [{ character_id }],
      ...(next !== undefined && { headers: { 'x-next': next } }),
    });
    const { asked, queries } = asking(page(1, 'a/+b'), page(2, '12'), page(3));
    const pages = await allOf(queries.user.list.infinite({ query: { search: 'a', limit: 1 } }));
    expect(pages.flatMap(({ entries }) => entries).map(({ character_id }) => character_id)).toEqual([
      1, 2, 3,
    ]);
    expectTypeOf(pages[0]?.entries).toEqualTypeOf<UserShort[] | undefined>();
    expect(asked).toEqual([
      '/user?search=a&limit=1 1',
      '/user?search=a&limit=1&after=a%2F%2Bb null',
      '/user?search=a&limit=1&after=12 null',
    ]);
  });

  it('D92: go on behind the cursor of a page of events while there are more', async () => {
    const page = (cursor: string, more: boolean) => ({ body: { events: [], cursor, more } });
    const { asked, queries } = asking(page('7', true), page('9', false));
    const pages = await allOf(queries.event.list.infinite({ query: { after: 3 } }));
    expect(pages.map(({ entries }) => entries.cursor)).toEqual(['7', '9']);
    expectTypeOf(pages[0]?.entries).toEqualTypeOf<EventPage | undefined>();
    expect(asked).toEqual(['/event?after=3 1', '/event?after=7 null']);
  });

  it('are there for what has pages, and for nothing else', () => {
    const { queries } = asking();
    expectTypeOf(queries.webhook.listDeliveries).toHaveProperty('infinite');
    expectTypeOf(queries.group.list).not.toHaveProperty('infinite');
    expect(queries.user.list.infinite({ query: { search: 'a' }, timeout: 5 }).queryKey).toEqual([
      ...['castellan', 'user', 'list', 'infinite'],
      { query: { search: 'a' } },
    ]);
  });
});

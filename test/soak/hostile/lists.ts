/**
 * Lists of any length and width that the provider of this soak has besides: `/lists/{pages}/{kilobytes}/{seed}`. The
 * text of a page is made once, so that they cost the provider next to nothing.
 */
import { sequence } from '../../../dev/world/random.ts';

/** Kilobytes that a page may have. */
export const WIDTHS = [1, 20, 100, 300, 900] as const;

const TEMPLATE = '/lists/{pages}/{kilobytes}/{seed}';
/** Never used up. */
const RATE_LIMIT = { group: 'lists', 'max-tokens': 1_000_000_000, 'window-size': '15m' };

export interface ListPage {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What the provider's document says of the lists. */
export const LISTS_DOCUMENT = {
  [TEMPLATE]: {
    get: {
      operationId: 'GetList',
      parameters: [
        ...['pages', 'kilobytes', 'seed'].map((name) => ({ name, in: 'path', schema: { type: 'integer' } })),
        { name: 'page', in: 'query', schema: { type: 'integer' } },
      ],
      responses: { 200: { headers: { 'X-Pages': { schema: { type: 'integer' } } } } },
      'x-rate-limit': RATE_LIMIT,
    },
  },
};

export const listPath = (pages: number, kilobytes: number, seed: number) =>
  `lists/${pages}/${kilobytes}/${seed}`;

/** A page of such a list; undefined where the path is none. */
export function listPage(path: string, page: number): ListPage | undefined {
  const [, pages, kilobytes, seed] = (/^\/lists\/(\d+)\/(\d+)\/(\d+)$/.exec(path) ?? []).map(Number);
  const body = kilobytes === undefined ? undefined : bodies.get(kilobytes);
  if (pages === undefined || body === undefined) return undefined;
  if (!(page >= 1 && page <= pages))
    return { status: 404, headers: LIMIT_HEADERS, body: '{"error":"No such page"}' };
  const headers = {
    ...LIMIT_HEADERS,
    'content-type': 'application/json',
    'cache-control': 'public, max-age=300',
    etag: `"${seed}-${page}"`,
    'last-modified': 'Thu, 01 Jan 2026 00:00:00 GMT',
    'x-pages': String(pages),
  };
  return { status: 200, headers, body };
}

const LIMIT_HEADERS = {
  'x-ratelimit-group': RATE_LIMIT.group,
  'x-ratelimit-limit': '1000000/15m',
  'x-ratelimit-remaining': '999999',
};

const random = sequence(7);
const bodies = new Map(WIDTHS.map((kilobytes) => [kilobytes as number, bodyOf(kilobytes * 1024)]));

/** Entries like those of a market, with ids that can be named. */
function bodyOf(bytes: number): string {
  const entries: string[] = [];
  for (let length = 2; length < bytes; length += (entries.at(-1)?.length ?? 0) + 1) {
    const entry = {
      duration: 90,
      is_buy_order: random() < 0.5,
      issued: new Date(1_767_225_600_000 + Math.floor(random() * 1e9)).toISOString(),
      location_id: 60_000_000 + Math.floor(random() * 5_000),
      order_id: 6_000_000_000 + Math.floor(random() * 1e9),
      price: Math.floor(random() * 1e8) / 100,
      range: 'region',
      type_id: 34 + (entries.length % 50),
      volume_remain: Math.floor(random() * 10_000),
      volume_total: 10_000,
    };
    entries.push(JSON.stringify(entry));
  }
  return `[${entries.join()}]`;
}

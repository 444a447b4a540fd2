import { hash } from './random.ts';
import { anyStation, anyType, isRegion, systemOfStation } from './universe.ts';

/** Where most of the trade is: the last of the ten regions. */
const HUB = 10_000_010;
const ORDERS_OF_HUB = 29_500;
/** Markets that are as busy as the hub, and trade the very same: for whoever needs many long lists. */
const FIRST_OTHER_HUB = 11_000_001;
const OTHER_HUBS = 1_000;

export type OrderType = 'all' | 'buy' | 'sell';

interface Filter {
  readonly typeId: number | undefined;
  readonly orderType: OrderType;
}

/** Is it an id of a region with a market? */
export function isMarket(id: number): boolean {
  return isRegion(id) || isOtherHub(id);
}

function isOtherHub(id: number): boolean {
  return id >= FIRST_OTHER_HUB && id < FIRST_OTHER_HUB + OTHER_HUBS;
}

/** One page of a region's orders, and how many pages there are. Without a type, orders of both kinds come. */
export function marketOrders(
  region: number,
  { typeId, orderType }: Filter,
  page: number,
  pageSize: number,
): { items: unknown[]; pages: number } {
  const market = isOtherHub(region) ? HUB : region;
  const total = market === HUB ? ORDERS_OF_HUB : 2_000 + (hash(market) % 1_500);
  const first = (page - 1) * pageSize;
  if (typeId === undefined) {
    const length = Math.max(0, Math.min(pageSize, total - first));
    const items = Array.from({ length }, (_, i) => order(market, first + i));
    return { items, pages: Math.ceil(total / pageSize) };
  }
  const matching = Array.from({ length: total }, (_, n) => order(market, n)).filter(
    ({ type_id, is_buy_order }) =>
      type_id === typeId && (orderType === 'all' || is_buy_order === (orderType === 'buy')),
  );
  return {
    items: matching.slice(first, first + pageSize),
    pages: Math.max(1, Math.ceil(matching.length / pageSize)),
  };
}

function order(market: number, n: number) {
  const h = hash(market, n);
  const location = anyStation(h);
  return {
    order_id: 6_000_000_000 + (market % 1_000) * 100_000 + n,
    type_id: anyType(hash(h, 1)),
    is_buy_order: h % 2 === 0,
    price: (hash(h, 2) % 1_000_000) / 100 + 1,
    duration: 90,
    issued: '2026-01-01T00:00:00Z',
    location_id: location,
    system_id: systemOfStation(location),
    min_volume: 1,
    range: 'region',
    volume_remain: 1 + (h % 900),
    volume_total: 1_000,
  };
}

import type { AskProvider, Scenario } from '../scenario.ts';

/** Of the simulated world. */
const ALLIANCE = 'alliances/99000001';
/** 30 pages. A thousand other markets have the very same ones. */
const ORDERS = 'markets/10000010/orders';
const FIRST_OTHER_MARKET = 11_000_001;
const OTHER_MARKETS = 1_000;
/** As many pages at the same time as the service asks for. */
const AT_ONCE = 8;

/** A public answer that is fresh in the cache, beside the provider's own. */
export const cachedForward: Scenario = {
  name: 'GET /ext/{path}, cached',
  path: () => `/ext/${ALLIANCE}`,
  other: { is: 'provider', path: () => `/api/${ALLIANCE}` },
};

let asked = 0;

/** Another market for each, so that nothing is cached. */
export const allPagesForward: Scenario = {
  name: 'GET /ext/{path}, 30 pages',
  path: () => `/ext/markets/${FIRST_OTHER_MARKET + (asked++ % OTHER_MARKETS)}/orders?all_pages=true`,
  slow: true,
  other: { is: 'bare forwarder', answer: ({ ask }) => joined(ask) },
};

async function joined(ask: AskProvider): Promise<unknown> {
  const first = await ask(ORDERS);
  const pages = [first.data];
  let next = 2;
  const work = async () => {
    while (next <= first.pages) {
      const page = next++;
      pages[page - 1] = (await ask(`${ORDERS}?page=${page}`)).data;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return pages.flat();
}

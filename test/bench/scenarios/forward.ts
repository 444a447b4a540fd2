import type { AskProvider, Scenario } from '../scenario.ts';

/** Of the simulated world; the last region has 30 pages of orders. */
const ALLIANCE = 'alliances/99000001';
const ORDERS = 'markets/10000010/orders';
/** As many pages at the same time as the service asks for. */
const AT_ONCE = 8;

/** A public answer that is fresh in the cache, beside the provider's own. */
export const cachedForward: Scenario = {
  name: 'GET /ext/{path}, cached',
  path: () => `/ext/${ALLIANCE}`,
  other: { is: 'provider', path: () => `/api/${ALLIANCE}` },
};

let asked = 0;

/** Another query for each, so that nothing is cached. */
export const allPagesForward: Scenario = {
  name: 'GET /ext/{path}, 30 pages',
  path: () => `/ext/${ORDERS}?all_pages=true&params=${encodeURIComponent(`{"n":${asked++}}`)}`,
  slow: true,
  other: { is: 'bare forwarder', answer: async (_run, _path, ask) => joined(ask) },
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

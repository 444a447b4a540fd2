import { QueryClient } from '@tanstack/react-query';
import { forward, listEvents, listWalletBalances, updateCoalition } from './generated/orval-fetch';
import { getListGroupsQueryOptions } from './generated/orval-query';
import { BASE_URL, COALITION_ID, characterId, done, headers } from './task';

// What orval generates asks relative to a page; here there is none.
const { fetch } = globalThis;
globalThis.fetch = (url, init) => fetch(`${BASE_URL}${String(url)}`, init);

const groups = await new QueryClient().fetchQuery(getListGroupsQueryOptions({ fetch: { headers } }));
const coalition = await updateCoalition(COALITION_ID, { ticker: 'ORVL' }, {}, { headers });
const first = await listEvents({}, { headers });
if (first.status !== 200) throw new Error(JSON.stringify(first));
const next = await listEvents({ after: first.data.cursor }, { headers });
if (next.status !== 200) throw new Error(JSON.stringify(next));
const balances: number[] = [];
for (let page = 1, pages = 1; page <= pages; page += 1) {
  const answer = await listWalletBalances(characterId, { headers: { ...headers, page: String(page) } });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer));
  balances.push(...answer.data.map(({ balance }) => balance));
  pages = Number(answer.headers.get('x-pages'));
}
const forwarded = await forward(`characters/${characterId}/location`, { all_pages: false }, { headers });

if (groups.status !== 200 || coalition.status !== 200 || forwarded.status !== 200) {
  throw new Error(JSON.stringify([groups, coalition, forwarded]));
}
done({
  groups: groups.data.map(({ group_name }) => group_name),
  ticker: 'ticker' in coalition.data ? coalition.data.ticker : '',
  balances,
  system: forwarded.data.data,
});

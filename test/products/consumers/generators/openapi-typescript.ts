import createClient from 'openapi-fetch';
import type { paths } from './generated/openapi';
import { BASE_URL, COALITION_ID, characterId, done, headers, present } from './task';

const client = createClient<paths>({ baseUrl: BASE_URL, headers });

const passing = await client.POST('/group', { body: { group_name: 'OATS' } });
const { group_id } = present(passing.data, passing.error);
const deleted = await client.DELETE('/group/{group_id}', { params: { path: { group_id } } });
if (deleted.error) throw new Error(JSON.stringify(deleted.error));
const groups = await client.GET('/group');
const first = await client.GET('/event');
const { cursor } = present(first.data, first.error);
const next = await client.GET('/event', { params: { query: { after: cursor } } });
present(next.data, next.error);
const coalition = await client.PUT('/coalition/{coalition_id}', {
  params: { path: { coalition_id: COALITION_ID } },
  body: { ticker: 'OATS' },
});
const balances: number[] = [];
for (let page = 1, pages = 1; page <= pages; page += 1) {
  const answer = await client.GET('/ext/history/characters/{character_id}/wallet', {
    params: { path: { character_id: characterId }, header: { Page: page } },
  });
  balances.push(...present(answer.data, answer.error).map(({ balance }) => balance));
  pages = Number(answer.response.headers.get('x-pages'));
}
const forwarded = await client.POST('/ext/{esi_path}', {
  params: { path: { esi_path: `characters/${characterId}/location` } },
  body: { all_pages: false },
});

// A preview, which nobody asked for, has another form.
const changed = present(coalition.data, coalition.error);

done({
  groups: present(groups.data, groups.error).map(({ group_name }) => group_name),
  ticker: 'ticker' in changed ? changed.ticker : '',
  balances,
  system: present(forwarded.data, forwarded.error).data,
});

import { QueryClient } from '@tanstack/react-query';
import { listGroupsOptions, listWalletBalancesOptions } from './generated/hey/@tanstack/react-query.gen';
import { client } from './generated/hey/client.gen';
import { forward, listEvents, updateCoalition } from './generated/hey/sdk.gen';
import { zGroupShort } from './generated/hey/zod.gen';
import { BASE_URL, COALITION_ID, characterId, done, headers, present } from './task';

client.setConfig({ baseUrl: BASE_URL, headers });
const queries = new QueryClient();

const groups = await queries.fetchQuery(listGroupsOptions());
const coalition = await updateCoalition({ path: { coalition_id: COALITION_ID }, body: { ticker: 'HEYA' } });
const first = await listEvents();
const next = await listEvents({ query: { after: present(first.data, first.error).cursor } });
present(next.data, next.error);
const balances: number[] = [];
for (const Page of [1, 2, 3]) {
  const page = await queries.fetchQuery(
    listWalletBalancesOptions({ path: { character_id: characterId }, headers: { Page } }),
  );
  balances.push(...page.map(({ balance }) => balance));
}
const forwarded = await forward({
  path: { esi_path: `characters/${characterId}/location` },
  body: { id_annotations: false },
});

done({
  groups: groups.map((group) => zGroupShort.parse(group).group_name),
  ticker: present(coalition.data, coalition.error).ticker,
  balances,
  system: present(forwarded.data, forwarded.error).data,
});

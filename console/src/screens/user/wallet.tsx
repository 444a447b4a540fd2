import { useSuspenseInfiniteQuery } from '@tanstack/react-query';
import { queries } from '../../session/api.ts';
import { entriesOnce } from '../../shared/entries-once.ts';
import { Series } from '../../shared/series.tsx';
import { t } from '../../text/text.ts';

export function Wallet({ characterId }: { readonly characterId: number }) {
  const history = useSuspenseInfiniteQuery(
    queries.history.wallet.infinite({ params: { character_id: characterId } }),
  );
  const points = entriesOnce(history.data.pages, ({ timestamp }) => timestamp).map(
    ({ timestamp, balance }) => ({ at: timestamp, values: [balance] }),
  );
  return (
    <Series
      title={t('Balance in ISK')}
      points={points}
      more={history}
      empty={t('No balance was stored yet.')}
    />
  );
}

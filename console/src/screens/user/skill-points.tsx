import { useSuspenseInfiniteQuery } from '@tanstack/react-query';
import { queries } from '../../session/api.ts';
import { entriesOnce } from '../../shared/entries-once.ts';
import { Series } from '../../shared/series.tsx';
import { t } from '../../text/text.ts';

export function SkillPoints({ characterId }: { readonly characterId: number }) {
  const history = useSuspenseInfiniteQuery(
    queries.history.skillPoints.infinite({ params: { character_id: characterId } }),
  );
  const points = entriesOnce(history.data.pages, ({ timestamp }) => timestamp).map(
    ({ timestamp, total_sp }) => ({ at: timestamp, values: [total_sp] }),
  );
  return (
    <Series
      title={t('Skill points')}
      points={points}
      more={history}
      empty={t('No skill points were stored yet.')}
    />
  );
}

import type { ComplianceDay } from '@castellan/sdk';
import { useMemo } from 'react';
import { Series } from '../../shared/series.tsx';
import { t } from '../../text/text.ts';

/** The daily number of persons, and of those that comply and fail. */
export function ComplianceTrend({ of: days }: { readonly of: readonly ComplianceDay[] }) {
  const points = useMemo(
    () => days.map(({ day, persons, ok, failing }) => ({ at: day, values: [persons, ok, failing] })),
    [days],
  );
  return (
    <Series
      title={t('Compliance')}
      lines={[t('Persons'), t('Comply'), t('Failing')]}
      points={points}
      when={(day) => day}
      empty={t('Nothing was counted yet: that happens once a day.')}
    />
  );
}

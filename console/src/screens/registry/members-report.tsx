import type {
  ComplianceDay,
  Compliance as ComplianceRecord,
  Tracking as TrackingRecord,
} from '@castellan/sdk';
import type { CastellanQuery } from '@castellan/sdk/query';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Section } from '../../shared/screen.tsx';
import { Parts } from '../../shared/tabs.tsx';
import { t } from '../../text/text.ts';
import { Compliance } from './compliance.tsx';
import { ComplianceTrend } from './compliance-trend.tsx';
import { Tracking } from './tracking.tsx';

interface MembersReportProps {
  readonly compliance: CastellanQuery<ComplianceRecord>;
  readonly days: CastellanQuery<ComplianceDay[]>;
  readonly tracking: CastellanQuery<TrackingRecord>;
}

/** Compliance and tracking of the members of a corporation, alliance or coalition (D102, D35). */
export function MembersReport({ compliance, days, tracking }: MembersReportProps) {
  return (
    <Section title={t('How its members comply')}>
      <Parts
        of={[
          { value: 'persons', label: t('By person'), part: <ByPerson query={compliance} /> },
          { value: 'days', label: t('Day by day'), part: <DayByDay query={days} /> },
          { value: 'tokens', label: t('Refresh tokens'), part: <ByToken query={tracking} /> },
        ]}
      />
    </Section>
  );
}

function ByPerson({ query }: { readonly query: CastellanQuery<ComplianceRecord> }) {
  return <Compliance of={useSuspenseQuery(query).data} />;
}

function DayByDay({ query }: { readonly query: CastellanQuery<ComplianceDay[]> }) {
  return <ComplianceTrend of={useSuspenseQuery(query).data} />;
}

function ByToken({ query }: { readonly query: CastellanQuery<TrackingRecord> }) {
  return <Tracking of={useSuspenseQuery(query).data} />;
}

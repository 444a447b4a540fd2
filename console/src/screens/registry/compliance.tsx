import type { CompliancePerson, Compliance as ComplianceRecord, UserShort } from '@castellan/sdk';
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useMemo } from 'react';
import { DataTable, type TableColumn } from '../../shared/data-table.tsx';
import { Moment } from '../../shared/moment.tsx';
import { Name } from '../../shared/name.tsx';
import { saveCsv } from '../../shared/save-csv.ts';
import { UserLink } from '../../shared/user-link.tsx';
import { formatNumber, t } from '../../text/text.ts';
import { complianceCsv } from './compliance-csv.ts';
import { reasonInWords, STATUSES, WORST_FIRST } from './compliance-words.ts';

/** A line of the table: a person, or a member that never signed in. */
interface Line {
  /** The main character of the person, or else one of those here. */
  readonly user: UserShort | undefined;
  readonly status: keyof typeof STATUSES;
  /** The largest number of days for which one of the characters has not complied. */
  readonly days: number;
  readonly characters: CompliancePerson['characters'];
}

const COLUMNS: readonly TableColumn<Line>[] = [
  {
    id: 'name',
    header: () => t('Person'),
    value: ({ user }) => user?.character_name ?? '',
    cell: ({ user, status }) =>
      status === 'never' || user === undefined ? (
        <Name of={user?.character_name ?? ''} />
      ) : (
        <UserLink of={user} />
      ),
  },
  {
    id: 'status',
    header: () => t('Status'),
    value: ({ status }) => WORST_FIRST.indexOf(status),
    cell: ({ status }) => t(STATUSES[status]),
  },
  {
    id: 'days',
    header: () => t('Days'),
    value: ({ days }) => days,
    cell: ({ days }) => (days < 0 ? '' : formatNumber(days)),
  },
  {
    id: 'why',
    header: () => t('Why'),
    value: ({ characters }) => characters.map(({ reason }) => reason).join(' '),
    cell: ({ characters }) => <Reasons of={characters} />,
  },
];

/** The compliance of persons with the reasons, worst first. */
export function Compliance({ of: compliance }: { readonly of: ComplianceRecord }) {
  const lines = useMemo(() => linesOf(compliance), [compliance]);
  const counts = WORST_FIRST.map((status) => ({
    status,
    n: lines.filter((line) => line.status === status).length,
  }));
  return (
    <Stack gap="sm">
      <Group gap="lg" justify="space-between">
        <Group gap="lg">
          {counts.map(({ status, n }) => (
            <Text key={status}>
              {t('{status}: {n}', { status: t(STATUSES[status]), n: formatNumber(n) })}
            </Text>
          ))}
        </Group>
        <Button variant="default" onClick={() => saveCsv(t('compliance.csv'), complianceCsv(compliance))}>
          {t('Download as CSV')}
        </Button>
      </Group>
      {compliance.unlisted.length > 0 && (
        <Alert variant="default" title={t('There may be more who were never here')}>
          {t('Nobody lets the lists of members be read of:')}{' '}
          <Name of={compliance.unlisted.map(({ corporation_name }) => corporation_name).join(', ')} />
        </Alert>
      )}
      <DataTable
        label={t('Compliance')}
        rows={lines}
        columns={COLUMNS}
        empty={t('It has no members here.')}
      />
      <Text size="sm" c="dimmed">
        {t('As of')} <Moment at={compliance.as_of} />
      </Text>
    </Stack>
  );
}

function linesOf({ persons, never_signed_in }: ComplianceRecord): Line[] {
  const known = persons.map(({ main, status, characters }) => ({
    // A person with a hidden main is shown by a member.
    user: main ?? characters[0]?.user,
    status,
    days: Math.max(-1, ...characters.map(({ days }) => days ?? -1)),
    characters,
  }));
  const strangers = never_signed_in.map((user) => ({
    user,
    status: 'never' as const,
    days: -1,
    characters: [],
  }));
  return [...known, ...strangers].sort(
    (one, other) =>
      WORST_FIRST.indexOf(one.status) - WORST_FIRST.indexOf(other.status) || other.days - one.days,
  );
}

function Reasons({ of: characters }: { readonly of: CompliancePerson['characters'] }) {
  const lacking = characters.filter(({ reason }) => reason !== null);
  return lacking.map(({ user, status, reason, missing_scopes, grace_until }) => (
    <div key={user.character_id}>
      <Name of={user.character_name} />: {reasonInWords(reason, missing_scopes)}
      {status === 'grace' && grace_until !== null && (
        <>
          {t(', in grace until')} <Moment at={grace_until} />
        </>
      )}
    </div>
  ));
}

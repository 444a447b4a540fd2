import type { Tracking as TrackingRecord, UserShort } from '@castellan/sdk';
import { Group, Stack, Text } from '@mantine/core';
import { useMemo } from 'react';
import { DataTable, type TableColumn } from '../../shared/data-table.tsx';
import { UserLink } from '../../shared/user-link.tsx';
import { count, t } from '../../text/text.ts';

interface Tracked {
  readonly user: UserShort;
  readonly state: string;
}

const COLUMNS: readonly TableColumn<Tracked>[] = [
  {
    id: 'name',
    header: () => t('Member'),
    value: ({ user }) => user.character_name,
    cell: ({ user }) => <UserLink of={user} />,
  },
  { id: 'state', header: () => t('Refresh token'), value: ({ state }) => state },
];

/** Which members have a valid refresh token with the required scopes (D35). */
export function Tracking({ of }: { readonly of: TrackingRecord }) {
  const { valid_refresh_token: valid, invalid_refresh_token: invalid, no_refresh_token: none } = of;
  const rows = useMemo<readonly Tracked[]>(
    () => [
      ...invalid.map((user) => ({ user, state: t('Does not suffice') })),
      ...none.map((user) => ({ user, state: t('None') })),
      ...valid.map((user) => ({ user, state: t('Valid') })),
    ],
    [invalid, none, valid],
  );
  return (
    <Stack gap="sm">
      <Group gap="lg">
        <Text>{count(valid.length, '{n} valid', '{n} valid')}</Text>
        <Text>{count(invalid.length, '{n} does not suffice', '{n} do not suffice')}</Text>
        <Text>{count(none.length, '{n} without', '{n} without')}</Text>
      </Group>
      <DataTable label={t('Tracking')} rows={rows} columns={COLUMNS} empty={t('It has no members here.')} />
    </Stack>
  );
}

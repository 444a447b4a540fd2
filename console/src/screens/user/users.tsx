import type { UserShort } from '@castellan/sdk';
import { Select, Stack, Text, TextInput } from '@mantine/core';
import { useMemo, useState } from 'react';
import { usersOf } from '../../shared/known-listings.ts';
import { ALL_LEVELS } from '../../shared/level-thresholds.ts';
import { RowLink } from '../../shared/links.tsx';
import { useListing } from '../../shared/listing.ts';
import { More } from '../../shared/more.tsx';
import { Name } from '../../shared/name.tsx';
import { Changing, Screen } from '../../shared/screen.tsx';
import { WindowedList } from '../../shared/windowed-list.tsx';
import { t } from '../../text/text.ts';

const LONGEST_SEARCH = 100;

/** All registered users, with a search by the service. */
export function Users() {
  const [search, setSearch] = useState('');
  const [level, setLevel] = useState<string | null>(null);
  const wanted = search.trim();
  const asked = useMemo(
    () => ({ wanted, least: level === null ? undefined : Number(level) }),
    [wanted, level],
  );
  return (
    <Screen title={t('Users')} lead={t('Every character that is registered here, guests excepted.')}>
      <Stack>
        <div className="grid">
          <TextInput
            label={t('Part of the name')}
            type="search"
            value={search}
            onChange={(event) => setSearch(event.currentTarget.value)}
            maxLength={LONGEST_SEARCH}
          />
          <Select
            label={t('Level')}
            data={ALL_LEVELS.filter((each) => each > 0).map((each) => ({
              value: String(each),
              label: t('{level} or more', { level: each }),
            }))}
            value={level}
            onChange={setLevel}
            placeholder={t('Any')}
            clearable
            clearButtonProps={{ 'aria-label': t('Any level') }}
          />
        </div>
        <Changing to={asked}>{(shown) => <Found of={usersOf(shown.wanted, shown.least)} />}</Changing>
      </Stack>
    </Screen>
  );
}

function Found({ of }: { readonly of: ReturnType<typeof usersOf> }) {
  const users = useListing(of);
  if (users.entries.length === 0) return <Text role="status">{t('Nobody.')}</Text>;
  return (
    <Stack align="stretch">
      <WindowedList label={t('Users')} items={users.entries} keyOf={idOf} onEnd={users.onEnd}>
        {rowOf}
      </WindowedList>
      <div>
        <More of={users} />
      </div>
    </Stack>
  );
}

const idOf = ({ character_id }: UserShort) => character_id;
const rowOf = ({ character_id, character_name }: UserShort) => (
  <RowLink to="/user/$character" of={String(character_id)}>
    <Name of={character_name} />
  </RowLink>
);

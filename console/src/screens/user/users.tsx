import { Select, Stack, Text, TextInput } from '@mantine/core';
import { useDeferredValue, useState } from 'react';
import { castellan } from '../../session/api.ts';
import { ALL_LEVELS } from '../../shared/level.tsx';
import { RowLink } from '../../shared/links.tsx';
import { useListing } from '../../shared/listing.ts';
import { More } from '../../shared/more.tsx';
import { Name } from '../../shared/name.tsx';
import { Part, Screen } from '../../shared/screen.tsx';
import { WindowedList } from '../../shared/windowed-list.tsx';
import { t } from '../../text/text.ts';

const LONGEST_SEARCH = 100;

/** All registered users, with a search by the service. */
export function Users() {
  const [search, setSearch] = useState('');
  const [level, setLevel] = useState<string | null>(null);
  const wanted = useDeferredValue(search.trim());
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
        <Part>
          <Found search={wanted} level={level === null ? undefined : Number(level)} />
        </Part>
      </Stack>
    </Screen>
  );
}

const STRETCH = 500;

function Found({ search, level }: { readonly search: string; readonly level: number | undefined }) {
  const users = useListing(['user', 'list'], castellan.user.list.answer, {
    limit: STRETCH,
    ...(search !== '' && { search }),
    ...(level !== undefined && { min_level: level }),
  });
  if (users.entries.length === 0) return <Text role="status">{t('Nobody.')}</Text>;
  return (
    <Stack align="stretch">
      <WindowedList
        label={t('Users')}
        items={users.entries}
        keyOf={({ character_id }) => character_id}
        onEnd={users.onEnd}
      >
        {({ character_name }) => (
          <RowLink to="/user/$name" params={{ name: character_name }}>
            <Name of={character_name} />
          </RowLink>
        )}
      </WindowedList>
      <div>
        <More of={users} />
      </div>
    </Stack>
  );
}

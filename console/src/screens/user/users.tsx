import { useSuspenseQuery } from '@tanstack/react-query';
import { queries } from '../../session/api.ts';
import { FilteredList } from '../../shared/filtered-list.tsx';
import { RowLink } from '../../shared/links.tsx';
import { Name } from '../../shared/name.tsx';
import { Screen } from '../../shared/screen.tsx';
import { t } from '../../text/text.ts';

/** Everybody who is registered here. */
export function Users() {
  return (
    <Screen title={t('Users')} lead={t('Every character that is registered here, guests excepted.')}>
      <List />
    </Screen>
  );
}

function List() {
  const { data: users } = useSuspenseQuery(queries.user.list());
  return (
    <FilteredList
      label={t('Users')}
      items={users}
      textOf={({ character_name }) => character_name}
      keyOf={({ character_id }) => character_id}
      empty={t('Nobody is registered yet.')}
    >
      {({ character_name }) => (
        <RowLink to="/user/$name" params={{ name: character_name }}>
          <Name of={character_name} />
        </RowLink>
      )}
    </FilteredList>
  );
}

import { useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { castellan, forget, queries } from '../../session/api.ts';
import { useLevel } from '../../session/me.ts';
import { FilteredList } from '../../shared/filtered-list.tsx';
import { FormDialog } from '../../shared/form-dialog.tsx';
import { RowLink } from '../../shared/links.tsx';
import { Name } from '../../shared/name.tsx';
import { Screen } from '../../shared/screen.tsx';
import { t } from '../../text/text.ts';

const MAY_CREATE = 9;

/** Every group, by name. */
export function Groups() {
  return (
    <Screen
      title={t('Groups')}
      lead={t('Who is in a group may be let in, kept out, or known to other applications by it.')}
      actions={<NewGroup />}
    >
      <List />
    </Screen>
  );
}

function List() {
  const { data: groups } = useSuspenseQuery(queries.group.list());
  return (
    <FilteredList
      label={t('Groups')}
      items={groups}
      textOf={({ group_name }) => group_name}
      keyOf={({ group_id }) => group_id}
      empty={t('There is no group yet.')}
    >
      {({ group_id, group_name }) => (
        <RowLink to="/group/$id" params={{ id: group_id }}>
          <Name of={group_name} />
        </RowLink>
      )}
    </FilteredList>
  );
}

function NewGroup() {
  const allowed = useLevel(MAY_CREATE);
  const navigate = useNavigate();
  if (!allowed) return null;
  return (
    <FormDialog
      label={t('New group')}
      fields={[
        { name: 'group_name', label: t('Name'), required: true },
        { name: 'description', label: t('Description'), long: true },
      ]}
      submit={async ({ group_name = '', description = '' }) => {
        const { group_id } = await castellan.group.create({ body: { group_name, description } });
        await forget('group');
        await navigate({ to: '/group/$id', params: { id: group_id } });
      }}
    />
  );
}

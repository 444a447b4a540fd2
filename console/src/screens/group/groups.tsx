import { useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { castellan, forget, queries } from '../../session/api.ts';
import { useLevel, useMe } from '../../session/me.ts';
import { FieldsDialog } from '../../shared/fields-dialog.tsx';
import { FilteredList } from '../../shared/filtered-list.tsx';
import { GroupsOf } from '../../shared/groups-of.tsx';
import { ADMINISTRATOR } from '../../shared/level-thresholds.ts';
import { RowLink } from '../../shared/links.tsx';
import { Name } from '../../shared/name.tsx';
import { Screen } from '../../shared/screen.tsx';
import { Parts } from '../../shared/tabs.tsx';
import { t } from '../../text/text.ts';
import { Joinable } from './joinable.tsx';
import { MyApplications } from './my-applications.tsx';

/** All groups, the user's own, and those that can be joined. */
export function Groups() {
  const parts = [
    { value: 'all', label: t('All'), part: <All /> },
    { value: 'mine', label: t('Mine'), part: <Mine /> },
    { value: 'joinable', label: t('To join'), part: <Joinable /> },
    { value: 'applications', label: t('My applications'), part: <MyApplications /> },
  ];
  return (
    <Screen
      title={t('Groups')}
      lead={t('Who is in a group may be let in, kept out, or known to other applications by it.')}
      actions={<NewGroup />}
    >
      <Parts of={parts} />
    </Screen>
  );
}

function All() {
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
        <RowLink to="/group/$id" of={group_id}>
          <Name of={group_name} />
        </RowLink>
      )}
    </FilteredList>
  );
}

function Mine() {
  return <GroupsOf characterId={useMe().character_id} />;
}

function NewGroup() {
  const allowed = useLevel(ADMINISTRATOR);
  const navigate = useNavigate();
  if (!allowed) return null;
  return (
    <FieldsDialog
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

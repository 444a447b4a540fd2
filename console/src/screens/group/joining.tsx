import type { Application, Group } from '@castellan/sdk';
import { Select, Stack, Text } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { queries } from '../../session/api.ts';
import { useMe } from '../../session/me.ts';
import { groupsOf } from '../../shared/by-id.ts';
import { applicationsTo } from '../../shared/known-listings.ts';
import { Changing, Section } from '../../shared/screen.tsx';
import { t } from '../../text/text.ts';
import { Applications } from './applications.tsx';
import { Policy } from './policy.tsx';
import { STATES } from './policy-words.ts';

interface JoiningProps {
  readonly group: Group;
  readonly mayChange: boolean;
}

/** The policy of a group, and its applications. */
export function Joining(props: JoiningProps) {
  return props.group.is_autogroup ? (
    <Text>{t('Nobody joins it: its members follow the registry.')}</Text>
  ) : (
    <ByPolicy {...props} />
  );
}

/** Shows the applications to those who decide, as the policy names them. */
function ByPolicy({ group, mayChange }: JoiningProps) {
  const me = useMe();
  const { data: policy } = useSuspenseQuery(queries.group.policy({ params: { group_id: group.group_id } }));
  const { data: mine } = useSuspenseQuery(groupsOf(me.character_id));
  const { users, groups } = policy.moderators;
  const decides =
    mayChange || users.includes(me.character_id) || mine.some(({ group_id }) => groups.includes(group_id));
  return (
    <>
      <Section title={t('Policy')}>
        <Policy group={group} policy={policy} mayChange={mayChange} />
      </Section>
      {decides && (
        <Section title={t('Applications')}>
          <ToThis groupId={group.group_id} />
        </Section>
      )}
    </>
  );
}

function ToThis({ groupId }: { readonly groupId: string }) {
  const [state, setState] = useState<Application['state']>('pending');
  const states = Object.keys(STATES) as Application['state'][];
  return (
    <Stack>
      <Select
        label={t('Show')}
        data={states.map((each) => ({ value: each, label: t(STATES[each]) }))}
        value={state}
        onChange={(chosen) => setState(chosen as Application['state'])}
        allowDeselect={false}
        maw={280}
      />
      <Changing to={state}>
        {(shown) => <Applications of={applicationsTo(groupId, shown)} empty={t('There is none.')} />}
      </Changing>
    </Stack>
  );
}

import { Badge, Group, Text } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { t } from '../text/text.ts';
import { groupsOf } from './by-id.ts';
import { LinkAnchor } from './links.tsx';
import { Name } from './name.tsx';

/** The groups of a user. */
export function GroupsOf({ characterId }: { readonly characterId: number }) {
  const { data: groups } = useSuspenseQuery(groupsOf(characterId));
  if (groups.length === 0) return <Text c="dimmed">{t('None.')}</Text>;
  return (
    <ul className="rows">
      {groups.map(({ group_id, group_name, is_autogroup, is_owner }) => (
        <li key={group_id} className="row">
          <LinkAnchor to="/group/$id" params={{ id: group_id }}>
            <Name of={group_name} />
          </LinkAnchor>
          <Group gap="xs">
            {is_owner && <Badge tt="none">{t('Owner')}</Badge>}
            {is_autogroup && (
              <Badge variant="default" tt="none">
                {t('By registry')}
              </Badge>
            )}
          </Group>
        </li>
      ))}
    </ul>
  );
}

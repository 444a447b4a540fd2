import type { Preview, PreviewChange } from '@castellan/sdk';
import { List, Stack, Text } from '@mantine/core';
import { count, t } from '../text/text.ts';
import { Name } from './name.tsx';

const SHOWN = 5;

/** Lists the effect of a change on people, in one sentence for each gain and loss. */
export function Changes({ of }: { readonly of: Preview }) {
  if (of.changes.length === 0) return <Text>{t('Nobody gains or loses anything.')}</Text>;
  return (
    <List spacing="xs">
      {of.changes.map((change) => (
        <List.Item key={keyOf(change)}>
          <Stack gap={0}>
            <Text fw={600}>{sentenceOf(change)}</Text>
            <Text size="sm">
              <Name
                of={change.users
                  .slice(0, SHOWN)
                  .map(({ character_name }) => character_name)
                  .join(', ')}
              />
              {change.count > SHOWN && ` ${t('and {n} more', { n: change.count - SHOWN })}`}
            </Text>
          </Stack>
        </List.Item>
      ))}
    </List>
  );
}

function keyOf({ about, effect, group, from_level, to_level }: PreviewChange): string {
  return [about, effect, group?.group_id, from_level, to_level].join(' ');
}

function sentenceOf({ about, effect, group, from_level, to_level, count: n }: PreviewChange): string {
  const people = count(n, '{n} person', '{n} people');
  const gains = effect === 'gained';
  switch (about) {
    case 'login':
      return gains ? t('{people} may log in', { people }) : t('{people} may not log in any more', { people });
    case 'level':
      if (to_level === null) return t('{people} with level {from}', { people, from: from_level ?? '' });
      return t('{people} from level {from} to {to}', { people, from: from_level ?? '', to: to_level });
    case 'group': {
      const name = group?.group_name ?? '';
      return gains
        ? t('{people} will be in the group {name}', { people, name })
        : t('{people} will no longer be in the group {name}', { people, name });
    }
    case 'validity':
      return gains
        ? t('{people} will have granted enough', { people })
        : t('{people} will not have granted enough any more', { people });
  }
}

import { Badge, Group, Text } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { personOf } from '../../shared/by-id.ts';
import { OwnershipBadge, TrackingBadge } from '../../shared/person-badges.tsx';
import { UserLink } from '../../shared/user-link.tsx';
import { count, t } from '../../text/text.ts';

/** The other characters of this character's person. */
export function PersonOf({ characterId }: { readonly characterId: number }) {
  const { data: person } = useSuspenseQuery(personOf(characterId));
  return (
    <>
      <ul className="rows">
        {person.characters.map((character) => (
          <li key={character.user.character_id} className="row">
            <UserLink of={character.user} />
            <Group gap="xs">
              {character.user.character_id === person.main?.character_id && (
                <Badge tt="none">{t('Main')}</Badge>
              )}
              <OwnershipBadge of={character} />
              <TrackingBadge of={character.tracking} />
            </Group>
          </li>
        ))}
      </ul>
      {person.hidden > 0 && (
        <Text size="sm" c="dimmed">
          {count(person.hidden, 'and {n} beyond your reach', 'and {n} beyond your reach')}
        </Text>
      )}
    </>
  );
}

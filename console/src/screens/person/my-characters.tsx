import type { Person, PersonCharacter } from '@castellan/sdk';
import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useSuspenseQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { castellan, queries, queryClient } from '../../session/api.ts';
import { useMe } from '../../session/me.ts';
import { linkProven, startLinking } from '../../session/sign-in.ts';
import { BUILT_IN } from '../../shared/authority.ts';
import { Confirm } from '../../shared/confirm.tsx';
import { notify } from '../../shared/notices.tsx';
import { OwnershipBadge, TrackingBadge } from '../../shared/person-badges.tsx';
import { Problem } from '../../shared/problem.tsx';
import { Screen, Section } from '../../shared/screen.tsx';
import { UserLink } from '../../shared/user-link.tsx';
import { t } from '../../text/text.ts';

const key = queries.person.current().queryKey;
const keep = (person: Person) => queryClient.setQueryData(key, person);

/** The characters of the user's person, with means to choose the main and to link another one. */
export function MyCharacters() {
  return (
    <Screen
      title={t('My characters')}
      lead={t('Characters that you proved to be yours. Each keeps its own level and its own groups.')}
    >
      <Stack>
        <Linking />
        <Section title={t('Characters')}>
          <List />
        </Section>
      </Stack>
    </Screen>
  );
}

/** Links the character that has just signed in, and starts the sign-in of another one. */
function Linking() {
  const linking = useMutation({
    mutationFn: linkProven,
    onSuccess: (person) => {
      if (person === undefined) return;
      keep(person);
      notify(t('The character is yours here, too.'));
    },
  });
  const { mutate } = linking;
  useEffect(() => mutate(), [mutate]);
  const starting = useMutation({ mutationFn: startLinking });
  if (useMe().character_id === BUILT_IN)
    return <Text>{t('The built-in user has no other characters.')}</Text>;
  return (
    <Stack align="flex-start">
      <Problem error={linking.error ?? starting.error} />
      <Button
        onClick={() => {
          linking.reset();
          starting.mutate();
        }}
        loading={starting.isPending || linking.isPending}
      >
        {t('Add a character')}
      </Button>
      <Text size="sm" c="dimmed">
        {t('Sign in as the other character: that proves it is yours. You stay signed in as you are.')}
      </Text>
    </Stack>
  );
}

function List() {
  const { data: person } = useSuspenseQuery(queries.person.current());
  const me = useMe();
  const change = useMutation({
    mutationFn: (main: number) => castellan.person.update({ body: { main } }),
    onSuccess: keep,
  });
  return (
    <Stack>
      <Problem error={change.error} />
      <ul className="rows">
        {person.characters.map((character) => (
          <li key={character.user.character_id} className="row">
            <Group gap="xs">
              <UserLink of={character.user} />
              {isMain(person, character) && <Badge tt="none">{t('Main')}</Badge>}
              {character.user.character_id === me.character_id && (
                <Badge variant="default" tt="none">
                  {t('Signed in')}
                </Badge>
              )}
              <OwnershipBadge of={character} />
              <TrackingBadge of={character.tracking} />
            </Group>
            {!isMain(person, character) && (
              <Group gap="xs">
                <Button
                  size="xs"
                  variant="default"
                  aria-label={t('Make main: {name}', { name: character.user.character_name })}
                  loading={change.isPending && change.variables === character.user.character_id}
                  disabled={change.isPending}
                  onClick={() => change.mutate(character.user.character_id)}
                >
                  {t('Make main')}
                </Button>
                <Confirm
                  size="xs"
                  label={t('Take out {name}', { name: character.user.character_name })}
                  question={t('It is a person of its own afterwards.')}
                  act={async () => {
                    const params = { character_id: character.user.character_id };
                    keep(await castellan.person.unlink({ params }));
                  }}
                >
                  {t('Take out')}
                </Confirm>
              </Group>
            )}
          </li>
        ))}
      </ul>
    </Stack>
  );
}

function isMain({ main }: Person, { user }: PersonCharacter): boolean {
  return main?.character_id === user.character_id;
}

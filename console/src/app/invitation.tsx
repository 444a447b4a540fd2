import { Button, Stack, Text } from '@mantine/core';
import { useMe } from '../session/me.ts';
import { signOut } from '../session/sign-in.ts';
import { Name } from '../shared/name.tsx';
import { Screen } from '../shared/screen.tsx';
import { t } from '../text/text.ts';

/** Where an invitation leads whoever is signed in already; the sign-in page takes it from whoever is not (D28). */
export function Invitation() {
  return (
    <Screen title={t('An invitation')}>
      <Content />
    </Screen>
  );
}

function Content() {
  const me = useMe();
  return (
    <Stack align="flex-start">
      <Text>
        {t('It is for a guest, and you are signed in as')} <Name of={me.character_name} />.{' '}
        {t('If it is for another character of yours, sign out first: it waits at this address.')}
      </Text>
      <Button variant="default" onClick={() => void signOut()}>
        {t('Sign out')}
      </Button>
    </Stack>
  );
}

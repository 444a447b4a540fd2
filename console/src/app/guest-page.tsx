import { Button, Container, Group, Stack, Text, Title } from '@mantine/core';
import { useEffect } from 'react';
import { signOut } from '../session/sign-in.ts';
import { Logo } from '../shared/icons.tsx';
import { t } from '../text/text.ts';
import { ColorScheme } from './color-scheme.tsx';

/** For guests of a corporation, to whom the service shows nothing: other applications know them by it. */
export function GuestPage() {
  useEffect(() => {
    document.title = `${t('You are a guest')} · castellan`;
  }, []);
  return (
    <Container component="main" size="xs" py="xl">
      <Stack>
        <Group justify="space-between">
          <Group gap="sm">
            <Logo size={40} />
            <Title order={1} size="h2">
              {t('You are a guest')}
            </Title>
          </Group>
          <ColorScheme />
        </Group>
        <Text>
          {t(
            'The corporation that invited you has let you in: applications that ask this service know you as its guest. There is nothing to see here for guests.',
          )}
        </Text>
        <Text>{t('Once you belong to a corporation that is let in, sign in again.')}</Text>
        <div>
          <Button variant="default" onClick={() => void signOut().catch(() => undefined)}>
            {t('Sign out')}
          </Button>
        </div>
      </Stack>
    </Container>
  );
}

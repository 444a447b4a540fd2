import { Container, Group, Stack, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { Logo } from '../shared/icons.tsx';
import { ColorScheme } from './color-scheme.tsx';

interface FrontPageProps {
  /** The title of the browser's tab. */
  readonly title: string;
  /** By default the same as the title. */
  readonly heading?: string;
  readonly children: ReactNode;
}

/** The page for those who may see no screens: who is not signed in, and guests. */
export function FrontPage({ title, heading = title, children }: FrontPageProps) {
  useEffect(() => {
    document.title = `${title} · castellan`;
  }, [title]);
  return (
    <Container component="main" size="xs" py="xl">
      <Stack>
        <Group justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Logo size={40} />
            <Title order={1} size="h2">
              {heading}
            </Title>
          </Group>
          <ColorScheme />
        </Group>
        {children}
      </Stack>
    </Container>
  );
}

import { Group, Stack, Text, Title } from '@mantine/core';
import { useQueryErrorResetBoundary } from '@tanstack/react-query';
import { Component, type ReactNode, Suspense, useEffect } from 'react';
import { Loading } from './loading.tsx';
import { Problem } from './problem.tsx';

interface ScreenProps {
  /** The title of the browser's tab, and by default the heading. */
  readonly title: string;
  readonly heading?: ReactNode;
  /** One line about the purpose of the screen. */
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A screen: its heading is shown at once, its content when it is loaded. */
export function Screen({ title, heading, lead, actions, children }: ScreenProps) {
  useEffect(() => {
    document.title = `${title} · castellan`;
  }, [title]);
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="flex-start">
        <Stack gap={4}>
          <Title order={1} size="h2" tabIndex={-1}>
            {heading ?? title}
          </Title>
          {lead !== undefined && <Text c="dimmed">{lead}</Text>}
        </Stack>
        {actions !== undefined && <Group gap="xs">{actions}</Group>}
      </Group>
      <Part>{children}</Part>
    </Stack>
  );
}

/** A part of a screen with its own loading and error state. */
export function Part({ children, rows }: { readonly children: ReactNode; readonly rows?: number }) {
  const { reset } = useQueryErrorResetBoundary();
  return (
    <Catch reset={reset}>
      <Suspense fallback={<Loading {...(rows !== undefined && { rows })} />}>{children}</Suspense>
    </Catch>
  );
}

/** A part of a screen with a heading. */
export function Section({ title, children, actions }: Omit<ScreenProps, 'lead' | 'heading'>) {
  return (
    <section className="card" aria-label={title}>
      <Group justify="space-between" mb="sm">
        <Title order={2} size="h4">
          {title}
        </Title>
        {actions}
      </Group>
      <Part rows={3}>{children}</Part>
    </section>
  );
}

/** A class, because React offers error boundaries only as classes. */
class Catch extends Component<
  { readonly children: ReactNode; readonly reset: () => void },
  { readonly error?: unknown }
> {
  override state: { readonly error?: unknown } = {};

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    if (this.state.error === undefined) return this.props.children;
    const again = () => {
      this.props.reset();
      this.setState({ error: undefined });
    };
    return <Problem error={this.state.error} retry={again} />;
  }
}

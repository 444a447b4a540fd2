import { Group, Stack, Text, Title } from '@mantine/core';
import { useQueryErrorResetBoundary } from '@tanstack/react-query';
import { Component, Fragment, type ReactNode, Suspense, useDeferredValue, useEffect } from 'react';
import { loadAgain } from './later.ts';
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

interface PartProps {
  readonly children: ReactNode;
  /** Number of rows of its skeleton. */
  readonly rows?: number;
  /** Identifies the content: an error of the former content is cleared when it changes. */
  readonly about?: string;
}

/** A part of a screen with its own loading and error state. */
export function Part({ children, rows, about = '' }: PartProps) {
  const { reset } = useQueryErrorResetBoundary();
  return (
    <Catch reset={reset} about={about}>
      <Suspense fallback={<Loading {...(rows !== undefined && { rows })} />}>{children}</Suspense>
    </Catch>
  );
}

interface ChangingProps<Choice> {
  /** The user's choice. */
  readonly to: Choice;
  readonly children: (shown: Choice) => ReactNode;
  /** False where the content itself says by its keys what of it is another one. */
  readonly remounts?: boolean;
}

/** A part whose content depends on a choice: the former content stays until the new one has loaded. */
export function Changing<Choice>({ to, children, remounts = true }: ChangingProps<Choice>) {
  const shown = useDeferredValue(to);
  const about = JSON.stringify(shown);
  return (
    <div className="changing" aria-busy={shown !== to}>
      <Part about={about}>
        <Fragment key={remounts ? about : null}>{children(shown)}</Fragment>
      </Part>
    </div>
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

interface CatchProps {
  readonly children: ReactNode;
  readonly reset: () => void;
  readonly about: string;
}

interface Caught {
  readonly about: string;
  readonly error?: unknown;
}

/** A class, because React offers error boundaries only as classes. */
class Catch extends Component<CatchProps, Caught> {
  override state: Caught = { about: this.props.about };

  static getDerivedStateFromProps({ about }: CatchProps, caught: Caught): Caught | null {
    return about === caught.about ? null : { about, error: undefined };
  }

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    if (this.state.error === undefined) return this.props.children;
    const again = () => {
      this.props.reset();
      loadAgain();
      this.setState({ error: undefined });
    };
    return <Problem error={this.state.error} retry={again} />;
  }
}

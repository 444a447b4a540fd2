import { Alert, Stack, Text } from '@mantine/core';
import { Copyable } from '../../shared/copyable.tsx';
import { t } from '../../text/text.ts';

interface ShownOnceProps {
  readonly title: string;
  readonly text: string;
  /** What it is, for the button that copies it. */
  readonly label: string;
}

/** What the service tells only once; it belongs beside the button that made it, so that it is in sight. */
export function ShownOnce({ title, text, label }: ShownOnceProps) {
  return (
    <Alert variant="default" title={title} role="status" w="100%" ref={intoSight}>
      <Stack gap="xs">
        <Text>{t('It is shown this once: hand it over now.')}</Text>
        <Copyable text={text} label={label} />
      </Stack>
    </Alert>
  );
}

const intoSight = (element: HTMLElement | null) => element?.scrollIntoView({ block: 'nearest' });

/** The new secret of a client or webhook. */
export function SecretOf({ name, text }: { readonly name: string; readonly text: string }) {
  return <ShownOnce title={t('The secret of {name}', { name })} text={text} label={t('the secret')} />;
}

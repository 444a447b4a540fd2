import { Alert, Stack } from '@mantine/core';
import { useSyncExternalStore } from 'react';
import { t } from '../text/text.ts';

/** What was done, said once at the edge of the page; what failed is said where it was tried. */
interface Notice {
  readonly id: number;
  readonly text: string;
}

const SHOWN_FOR = 6_000;
let notices: readonly Notice[] = [];
let last = 0;
const listeners = new Set<() => void>();

function set(next: readonly Notice[]): void {
  notices = next;
  for (const listener of listeners) listener();
}

function dismiss(id: number): void {
  set(notices.filter((notice) => notice.id !== id));
}

export function notify(text: string): void {
  last += 1;
  const id = last;
  set([...notices, { id, text }]);
  setTimeout(() => dismiss(id), SHOWN_FOR);
}

export function Notices() {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => notices,
  );
  return (
    <Stack className="notices" gap="xs" role="status" aria-live="polite">
      {shown.map(({ id, text }) => (
        <Alert
          key={id}
          // What is around it says it already.
          role="presentation"
          variant="default"
          withCloseButton
          closeButtonLabel={t('Dismiss')}
          onClose={() => dismiss(id)}
        >
          {text}
        </Alert>
      ))}
    </Stack>
  );
}

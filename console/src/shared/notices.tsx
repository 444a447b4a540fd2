import { Alert, Stack } from '@mantine/core';
import { useSyncExternalStore } from 'react';
import { t } from '../text/text.ts';

/** A short message at the edge of the page, mostly that something was done. Errors are shown where the action was started. */
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

/** Returns the function that takes the message away. */
export function notify(text: string, lasts: 'a moment' | 'until dismissed' = 'a moment'): () => void {
  last += 1;
  const id = last;
  set([...notices, { id, text }]);
  if (lasts === 'a moment') setTimeout(() => dismiss(id), SHOWN_FOR);
  return () => dismiss(id);
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
          // The live region around it announces it already.
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

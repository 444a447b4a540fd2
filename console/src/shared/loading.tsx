import { Skeleton, Stack, VisuallyHidden } from '@mantine/core';
import { t } from '../text/text.ts';

/** The outline of what is on its way. */
export function Loading({ rows = 6 }: { readonly rows?: number }) {
  return (
    <Stack gap="sm" aria-busy="true">
      <VisuallyHidden role="status">{t('Loading')}</VisuallyHidden>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: outlines are all alike.
        <Skeleton key={row} height={28} />
      ))}
    </Stack>
  );
}

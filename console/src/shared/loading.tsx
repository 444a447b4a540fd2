import { Skeleton, Stack, VisuallyHidden } from '@mantine/core';
import { t } from '../text/text.ts';

/** The placeholder for content that is being loaded. */
export function Loading({ rows = 6 }: { readonly rows?: number }) {
  return (
    <Stack gap="sm" aria-busy="true">
      <VisuallyHidden role="status">{t('Loading')}</VisuallyHidden>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: placeholders are all alike.
        <Skeleton key={row} height={28} />
      ))}
    </Stack>
  );
}

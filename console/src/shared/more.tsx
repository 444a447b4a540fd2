import { Button, Stack } from '@mantine/core';
import { t } from '../text/text.ts';
import { Problem } from './problem.tsx';

interface Paged {
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  readonly isFetchNextPageError: boolean;
  readonly error: unknown;
  fetchNextPage(): Promise<unknown>;
}

/** A button that loads the next page, if there is one, and why that failed. */
export function More({ of }: { readonly of: Paged }) {
  if (!of.hasNextPage) return null;
  return (
    <Stack gap="xs" align="flex-start">
      {of.isFetchNextPageError && <Problem error={of.error} />}
      <Button variant="default" loading={of.isFetchingNextPage} onClick={() => void of.fetchNextPage()}>
        {t('Show more')}
      </Button>
    </Stack>
  );
}

import { Button } from '@mantine/core';
import { t } from '../text/text.ts';

interface Paged {
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  fetchNextPage(): Promise<unknown>;
}

/** A button that loads the next page, if there is one. */
export function More({ of }: { readonly of: Paged }) {
  if (!of.hasNextPage) return null;
  return (
    <Button variant="default" loading={of.isFetchingNextPage} onClick={() => void of.fetchNextPage()}>
      {t('Show more')}
    </Button>
  );
}

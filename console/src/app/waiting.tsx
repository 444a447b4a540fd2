import { Badge, VisuallyHidden } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { applicationsAs } from '../shared/known-listings.ts';
import { formatNumber, t } from '../text/text.ts';

/** Polling interval: the feed shows a moderator only applicants within its read authority. */
const MINUTE = 60_000;

/** The number of applications that wait for the user's decision; nothing when there is none. */
export function Waiting() {
  const { data, hasNextPage } = useInfiniteQuery({
    ...applicationsAs('moderator'),
    refetchInterval: MINUTE,
  });
  const waiting = (data?.pages ?? []).flatMap(({ entries }) => entries).length;
  if (waiting === 0) return null;
  return (
    <Badge>
      {formatNumber(waiting)}
      {hasNextPage && '+'} <VisuallyHidden>{t('waiting')}</VisuallyHidden>
    </Badge>
  );
}

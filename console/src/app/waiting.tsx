import { Badge, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { queries } from '../session/api.ts';
import { formatNumber, t } from '../text/text.ts';

/** Polling interval: the feed shows a moderator only applicants within its read authority. */
const MINUTE = 60_000;

/** The number of applications that wait for the user's decision; nothing when there is none. */
export function Waiting() {
  const { data: applications = [] } = useQuery({
    ...queries.application.list({ query: { role: 'moderator' } }),
    refetchInterval: MINUTE,
  });
  if (applications.length === 0) return null;
  return (
    <Badge>
      {formatNumber(applications.length)} <VisuallyHidden>{t('waiting')}</VisuallyHidden>
    </Badge>
  );
}

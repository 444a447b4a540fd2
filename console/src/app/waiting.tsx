import { Badge, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { queries } from '../session/api.ts';
import { formatNumber, t } from '../text/text.ts';

/** The feed tells moderators of those alone whom their level reaches; the others are looked for this often. */
const MINUTE = 60_000;

/** How many applications wait for one's decision; nothing where there is none. */
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

import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { queries } from '../session/api.ts';
import { notify } from '../shared/notices.tsx';
import { useNow } from '../shared/now.ts';
import { t } from '../text/text.ts';
import { eveTime } from '../text/time.ts';

const MINUTE = 60_000;
/** Milliseconds before its end from which on it is told. */
const AHEAD = 10 * MINUTE;

/** Tells ahead when the session ends, because what was typed and is not saved by then is lost. */
export function Ending() {
  const end = useQuery(queries.token.current()).data?.expires_on ?? undefined;
  const now = useNow();
  const isNear = end !== undefined && new Date(end).getTime() - now.getTime() < AHEAD;
  useEffect(() => {
    if (!isNear) return;
    const time = eveTime(new Date(end));
    return notify(
      t('Your session ends at {time} EVE. Save what you began: what is not saved then is lost.', { time }),
      'until dismissed',
    );
  }, [isNear, end]);
  return null;
}

import { t } from '../text/text.ts';
import { distance, eveTime, localTime } from '../text/time.ts';
import { useNow } from './now.ts';

/** A time in EVE time with its distance from now; a tooltip shows the reader's local time. */
export function Moment({ at }: { readonly at: string }) {
  const now = useNow();
  const date = new Date(at);
  const local = t('{time} where you are', { time: localTime(date) });
  return (
    <time dateTime={at} title={local}>
      {t('{time} EVE', { time: eveTime(date) })} ({distance(date, now)})
    </time>
  );
}

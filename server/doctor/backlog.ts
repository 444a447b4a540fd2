import { KEPT_FOR_SERVICE } from '../provider/error-budget.ts';
import type { AgedBacklog } from './backlog.queries.ts';
import { bad, type Finding, good, mind } from './finding.ts';

/** Seconds after which the last whole run of the sync is too long ago; as in the alert CastellanSyncLate. */
const SYNC_LATE = 2 * 3600;

/** The findings about the sync, the game's error limit and crash reports. */
export function describeBacklog(backlog: AgedBacklog): Finding[] {
  const { provider_errors_left, crashes } = backlog;
  return [
    describeSync(backlog),
    provider_errors_left !== null && provider_errors_left <= KEPT_FOR_SERVICE
      ? mind(
          "the game's error limit",
          `${provider_errors_left} left in this minute`,
          'wait; the log says who causes them',
        )
      : good("the game's error limit", 'there is room'),
    crashes > 0
      ? mind('crash reports', `${crashes} within a day`, 'GET /crash, and tell the makers')
      : good('crash reports', 'none within a day'),
  ];
}

/** The finding about held changes of a job (D63). */
export function describeHeld({ job_id, runs }: { readonly job_id: string; readonly runs: number }): Finding {
  return mind(
    'held changes',
    `${job_id} would take something from too many users (found ${runs} times)`,
    'GET /system/held shows what: it goes through when it is found three times, or is approved',
  );
}

function describeSync({ sync_age, age }: AgedBacklog): Finding {
  const advice =
    "is a worker running, and the game's API there? If so, the log of sync-users says what fails";
  // A registry that was just made waits for its first run.
  if (sync_age === null) return (age > SYNC_LATE ? bad : mind)('sync', 'no run was whole yet', advice);
  return sync_age > SYNC_LATE
    ? bad('sync', `the last whole run is ${Math.round(sync_age / 60)} minutes ago`, advice)
    : good('sync', `everybody was compared with the game within ${Math.ceil(sync_age / 60)} minutes`);
}

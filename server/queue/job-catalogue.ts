import { z } from 'zod';

/** How one kind of job is run: data only, no behaviour. */
export interface JobDefinition<Payload extends z.ZodTypeAny = z.ZodTypeAny> {
  /** Contains ids only; secrets only encrypted. */
  readonly payload: Payload;
  /** Timeout of a run in seconds. */
  readonly timeLimit: number;
  /** Retries by the queue, for failures that the handler does not handle itself. */
  readonly retries: number;
  /** Concurrent runs in one process. */
  readonly concurrency: number;
  readonly schedule?: Schedule;
}

/** A scheduled job: at most one active and one waiting run, whatever the number of workers. */
interface Schedule {
  /** Cron expression of five fields, in the time zone JOB_TIME_ZONE (UTC by default). JOB_SCHEDULES may override it. */
  readonly cron: string;
}

function job<Payload extends z.ZodTypeAny>(definition: JobDefinition<Payload>): JobDefinition<Payload> {
  return definition;
}

/**
 * Payload of a scheduled run. `force` lets the run pass the mass-change guard, `approved` only with the held changes of
 * that id (D63). A run that an administrator `asked` for checks everything, not only what is due (D52).
 */
const ScheduledRun = z.object({
  force: z.boolean().default(false),
  asked: z.boolean().default(false),
  approved: z.string().optional(),
});
export type RunOptions = z.infer<typeof ScheduledRun>;

function scheduled(cron: string, timeLimit: number): JobDefinition<typeof ScheduledRun> {
  return { payload: ScheduledRun, timeLimit, retries: 2, concurrency: 1, schedule: { cron } };
}

export const catalogue = {
  /** Calls the application's callback after a sign-in (D29). The handler schedules its own retries. */
  'deliver-sign-in': job({
    payload: z.object({ token: z.string().uuid(), state_code: z.string(), attempt: z.number().int().min(0) }),
    timeLimit: 60,
    retries: 5,
    // Twice the number of unresponsive applications, with 10 s each, that must not delay the others (D29).
    concurrency: 2048,
  }),
  /** Registers the other corporations of an alliance that was just registered or refreshed (D39). */
  'register-alliance-members': job({
    payload: z.object({ alliance_id: z.number().int() }),
    timeLimit: 600,
    // With exponential backoff from 5 s this is longer than the provider's daily downtime.
    retries: 10,
    concurrency: 1,
  }),
  /**
   * Revokes a refresh token at the provider; the payload holds it encrypted, because its row is deleted (D19b, D29b).
   */
  'revoke-grant': job({
    payload: z.object({ grant_id: z.string().uuid(), refresh_token: z.string() }),
    timeLimit: 60,
    retries: 10,
    concurrency: 2,
  }),
  /** Notifies an application that a session has ended (D84). The handler schedules its own retries. */
  'send-logout': job({
    payload: z.object({
      client_id: z.string(),
      character_id: z.number().int(),
      sid: z.string(),
      attempt: z.number().int().min(0),
    }),
    timeLimit: 60,
    retries: 5,
    // As for sign-ins: unresponsive applications must not delay the others.
    concurrency: 1024,
  }),
  /** Refreshes access tokens, which tells whether their refresh tokens are valid: within the hour, unless it fails. */
  'check-grants': scheduled('*/10 * * * *', 900),
  'check-voice-nicknames': scheduled('25 * * * *', 600),
  // Each run processes the characters that are due: each character every hour, or every twelve hours.
  'collect-locations': scheduled('*/5 * * * *', 900),
  'collect-mail': scheduled('1-59/5 * * * *', 900),
  'collect-skill-points': scheduled('2-59/5 * * * *', 900),
  'collect-wallets': scheduled('3-59/5 * * * *', 900),
  /** Follows renamed characters (D38). */
  'follow-names': scheduled('40 4 * * *', 3600),
  /** Applies the policies of groups to members and applicants (D110). */
  'judge-memberships': scheduled('4-59/10 * * * *', 600),
  /** A safety net: sessions are normally ended in the transaction of the change that ends the right (D84). */
  'end-sessions': scheduled('*/5 * * * *', 120),
  maintenance: scheduled('17 * * * *', 1800),
  /** Refreshes the organizations that were not refreshed for 40 minutes (D39). */
  'refresh-organizations': scheduled('*/15 * * * *', 900),
  /** Each character is compared at least hourly, even if one run fails. */
  'sync-users': scheduled('*/30 * * * *', 1500),
  /** Counts compliant persons, and stores since when characters are not compliant (D102). */
  'note-compliance': scheduled('50 * * * *', 900),
  'sync-voice-groups': scheduled('*/10 * * * *', 600),
  /** Signs up to where the events are whole (D90). */
  'write-checkpoint': scheduled('35 3 * * *', 1800),
} as const;

export type JobName = keyof typeof catalogue;
export type Payload<Name extends JobName> = z.infer<(typeof catalogue)[Name]['payload']>;

/** Names of the jobs that run on a schedule, sorted. */
export const scheduledJobs: readonly JobName[] = (Object.keys(catalogue) as JobName[])
  .filter((name) => scheduleOf(name) !== undefined)
  .sort();

export function isScheduled(name: string): name is JobName {
  return (scheduledJobs as readonly string[]).includes(name);
}

export function scheduleOf(name: JobName): Schedule | undefined {
  return (catalogue[name] as JobDefinition).schedule;
}

import { z } from 'zod';

/** How one kind of job is run. A leaf: names and shapes, no behaviour. */
export interface JobDefinition<Payload extends z.ZodTypeAny = z.ZodTypeAny> {
  /** Ids only; secrets never travel in the clear. */
  readonly payload: Payload;
  /** Seconds after which a run counts as failed. */
  readonly timeLimit: number;
  /** Tries after the first one, for failures that the handler does not handle itself. */
  readonly retries: number;
  /** Runs at the same time in one process. */
  readonly concurrency: number;
  readonly schedule?: Schedule;
}

/** A job with a schedule is alone: one run at work and one waiting at most, whatever the number of workers. */
interface Schedule {
  /** Five fields, in UTC unless JOB_TIME_ZONE says otherwise; JOB_SCHEDULES may give another one. */
  readonly cron: string;
}

function job<Payload extends z.ZodTypeAny>(definition: JobDefinition<Payload>): JobDefinition<Payload> {
  return definition;
}

/**
 * What a run on a schedule is told: a forced one lets through whatever the mass-change guard would hold, one with an
 * approval exactly what that names (D63).
 */
const ScheduledRun = z.object({ force: z.boolean().default(false), approved: z.string().optional() });
export type ScheduledRun = z.infer<typeof ScheduledRun>;

function scheduled(cron: string, timeLimit: number): JobDefinition<typeof ScheduledRun> {
  return { payload: ScheduledRun, timeLimit, retries: 2, concurrency: 1, schedule: { cron } };
}

export const catalogue = {
  /** Calls the application's callback after a sign-in (D29); waits for its next try by itself. */
  'deliver-sign-in': job({
    payload: z.object({ token: z.string().uuid(), state_code: z.string(), attempt: z.number().int().min(0) }),
    timeLimit: 60,
    retries: 5,
    // Twice as many as dead applications that shall hold up no living one, each for 10 s (D29).
    concurrency: 2048,
  }),
  /** Registers the other corporations of an alliance that was just registered or refreshed (D39). */
  'register-alliance-members': job({
    payload: z.object({ alliance_id: z.number().int() }),
    timeLimit: 600,
    // With the pauses doubling from 5 s, longer than the provider's daily downtime.
    retries: 10,
    concurrency: 1,
  }),
  /** Revokes a refresh token at the provider; the token travels encrypted, its row being gone (D19b, D29b). */
  'revoke-grant': job({
    payload: z.object({ grant_id: z.string().uuid(), refresh_token: z.string() }),
    timeLimit: 60,
    retries: 10,
    concurrency: 2,
  }),
  /** Tells an application that a session is over (D84); waits for its next try by itself. */
  'send-logout': job({
    payload: z.object({
      client_id: z.string(),
      character_id: z.number().int(),
      sid: z.string(),
      attempt: z.number().int().min(0),
    }),
    timeLimit: 60,
    retries: 5,
    // As for sign-ins: those that never answer shall hold up nobody.
    concurrency: 1024,
  }),
  /** Refreshes access tokens and so learns which refresh tokens live: tracking is true within the hour. */
  'check-grants': scheduled('*/10 * * * *', 900),
  'check-voice-nicknames': scheduled('25 * * * *', 600),
  // Each of these takes who is due, by turns of an hour or of twelve.
  'collect-locations': scheduled('*/5 * * * *', 900),
  'collect-mail': scheduled('1-59/5 * * * *', 900),
  'collect-skill-points': scheduled('2-59/5 * * * *', 900),
  'collect-wallets': scheduled('3-59/5 * * * *', 900),
  /** Follows renamed characters (D38). */
  'follow-names': scheduled('40 4 * * *', 3600),
  /** Members and applicants by the policies of groups (D110). */
  'judge-memberships': scheduled('4-59/10 * * * *', 600),
  /** The net below what ends sessions in the transaction of the change (D84). */
  'end-sessions': scheduled('*/5 * * * *', 120),
  maintenance: scheduled('17 * * * *', 1800),
  /** Takes the organizations that were not refreshed for 40 minutes (D39). */
  'refresh-organizations': scheduled('*/15 * * * *', 900),
  /** Every character at least hourly, with room for a run that fails. */
  'sync-users': scheduled('*/30 * * * *', 1500),
  /** Counts who complies, and keeps since when who does not (D102). */
  'note-compliance': scheduled('50 * * * *', 900),
  'sync-voice-groups': scheduled('*/10 * * * *', 600),
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

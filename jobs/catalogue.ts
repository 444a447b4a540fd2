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
}

function job<Payload extends z.ZodTypeAny>(definition: JobDefinition<Payload>): JobDefinition<Payload> {
  return definition;
}

export const catalogue = {
  /** Calls the application's callback after a sign-in (D29); waits for its next try by itself. */
  'deliver-sign-in': job({
    payload: z.object({ token: z.string().uuid(), state_code: z.string(), attempt: z.number().int().min(0) }),
    timeLimit: 60,
    retries: 5,
    concurrency: 8,
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
} as const;

export type JobName = keyof typeof catalogue;
export type Payload<Name extends JobName> = z.infer<(typeof catalogue)[Name]['payload']>;

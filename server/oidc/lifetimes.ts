/** Lifetimes in seconds. */
const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export const LIFETIMES = {
  /** Access tokens (D84). */
  accessToken: 10 * MINUTE,
  code: MINUTE,
  idToken: HOUR,
  /** Interactions, from the authorization request to the code. */
  interaction: HOUR,
  /** Refresh tokens that are not used; each use issues a new one with the full lifetime. */
  refreshToken: 30 * DAY,
  /** Grants: the limit for refreshing tokens without a new sign-in. */
  grant: 365 * DAY,
  /** Browser sessions that are not used (D82). */
  idleSession: 12 * HOUR,
  /** What is remembered of a browser session that was ended; longer than one that is not used. */
  endedSession: 13 * HOUR,
  /** Browser sessions in all, however much they are used (D82). */
  session: 30 * DAY,
} as const;

/**
 * Remaining lifetime of a session whose sign-in was at `loginTs`; all in seconds. A session without a sign-in, which
 * anybody can create, lives only as long as an interaction.
 */
export function sessionLeft(loginTs: number | undefined, now: number): number {
  if (loginTs === undefined) return LIFETIMES.interaction;
  const left = LIFETIMES.session - (now - loginTs);
  return Math.max(1, Math.min(LIFETIMES.idleSession, left));
}

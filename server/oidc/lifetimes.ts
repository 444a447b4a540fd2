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
  /** Browser sessions in all, however much they are used (D82). */
  session: 30 * DAY,
} as const;

/** Remaining lifetime of a session whose sign-in was at `loginTs`; all in seconds. */
export function sessionLeft(loginTs: number | undefined, now: number): number {
  const left = LIFETIMES.session - (now - (loginTs ?? now));
  return Math.max(1, Math.min(LIFETIMES.idleSession, left));
}

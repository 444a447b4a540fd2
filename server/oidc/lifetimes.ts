/** How long things last, in seconds. */
const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export const LIFETIMES = {
  /** Of an access token (D84). */
  accessToken: 10 * MINUTE,
  code: MINUTE,
  idToken: HOUR,
  /** From its beginning in the browser to the code. */
  interaction: HOUR,
  /** Of one that nobody refreshes; each refresh gives a new one as much time again. */
  refreshToken: 30 * DAY,
  /** The longest that anything granted in one go may be refreshed for. */
  grant: 365 * DAY,
  /** Of a browser's session that is not used (D82). */
  idleSession: 12 * HOUR,
  /** Of a browser's session, however much it is used (D82). */
  session: 30 * DAY,
} as const;

/**
 * How long a session lives on from now, which began by a sign-in at that time, all in seconds. One in which nobody has
 * signed in yet costs no credential, so it lasts as long as the sign-in may take, and no longer.
 */
export function sessionLeft(loginTs: number | undefined, now: number): number {
  if (loginTs === undefined) return LIFETIMES.interaction;
  const left = LIFETIMES.session - (now - loginTs);
  return Math.max(1, Math.min(LIFETIMES.idleSession, left));
}

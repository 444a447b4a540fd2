/** The time, as a part that tests can move. */
export interface Clock {
  now(): Date;
  /** The machine's, and so to be held against the database's before something is deleted by it. */
  readonly real?: true;
}

/** Milliseconds by which clocks of processes may differ: a time farther ahead was stored while one was wrong. */
export const CLOCKS_APART = 60_000;

export const systemClock: Clock = { now: () => new Date(), real: true };

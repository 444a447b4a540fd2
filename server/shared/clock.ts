/** The time, as a part that tests can move. */
export interface Clock {
  now(): Date;
  /** The machine's, and so to be held against the database's before something is deleted by it. */
  readonly real?: true;
}

export const systemClock: Clock = { now: () => new Date(), real: true };

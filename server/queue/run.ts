/** One run of a job, for the functions that do its work. */
export interface Run {
  /** The job's name in the catalogue. */
  readonly job: string;
  /** Names the run in the logs. */
  readonly id: string;
  /** Let it through however much it takes away (D63). */
  readonly force: boolean;
  /** Let exactly these changes through, however much they take away: the id of what is held (D63). */
  readonly approved?: string | undefined;
  /** Only say what would change. */
  readonly dryRun: boolean;
  /** Aborted when the process stops or the time limit has passed: begin nothing new. */
  readonly signal: AbortSignal;
  /** Share of its time that is left: 1 at first, 0 when {@link Run.signal} ends it. */
  timeLeft(): number;
  /** To be told at every step; the log and the metrics get as much of it as is readable. */
  progress(done: number, total: number): void;
}

/** One change that a run made, or would make: ids and states, no secrets. */
export type Change = Readonly<Record<string, unknown>>;

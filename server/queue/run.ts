/** One run of a job, as the functions that do its work see it. */
export interface Run {
  /** The job's name in the catalogue. */
  readonly job: string;
  /** The run's id, as in the logs. */
  readonly id: string;
  /** Whether it passes the mass-change guard (D63). */
  readonly force: boolean;
  /** Whether an administrator requested it: it also checks what is not due yet. */
  readonly asked: boolean;
  /** Id of the held changes with which it passes the mass-change guard (D63). */
  readonly approved?: string | undefined;
  /** Whether it only reports what it would change. */
  readonly dryRun: boolean;
  /** Aborted when the process stops or the time limit is reached: begin nothing new. */
  readonly signal: AbortSignal;
  /** Remaining share of its time limit: 1 at the start, 0 when {@link Run.signal} is aborted. */
  timeLeft(): number;
  /** Reports progress; call it at every step, log and metrics are throttled. */
  progress(done: number, total: number): void;
}

/** One change that a run made, or would make: ids and states, no secrets. */
export type Change = Readonly<Record<string, unknown>>;

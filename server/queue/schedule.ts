import cronParser from 'cron-parser';
import { isScheduled, type JobName, scheduledJobs, scheduleOf } from './catalogue.ts';

/** When the scheduled jobs run: a cron expression of five fields each, all in one time zone. */
export interface Schedules {
  readonly timeZone: string;
  readonly cron: ReadonlyMap<JobName, string>;
}

/**
 * The catalogue's schedules with the operator's own: `job=cron; job=cron`. Throws one {@link ScheduleError} that
 * lists every job that does not exist and every expression that is none.
 */
export function readSchedules(text: string): ReadonlyMap<JobName, string> {
  const cron = new Map(scheduledJobs.map((name) => [name, scheduleOf(name)?.cron ?? '']));
  const problems: string[] = [];
  for (const part of text.split(';')) {
    if (part.trim() === '') continue;
    const [name = '', expression] = part.split('=').map((side) => side.trim());
    if (expression === undefined) problems.push(`${name}: wants the form job=cron`);
    else if (isScheduled(name)) cron.set(name, expression);
    else problems.push(`${name} is no scheduled job: those are ${scheduledJobs.join(', ')}`);
  }
  for (const [name, expression] of cron) {
    const problem = problemOf(expression);
    if (problem !== undefined) problems.push(`"${expression}" of ${name} is no cron expression: ${problem}`);
  }
  if (problems.length > 0) throw new ScheduleError(problems);
  return cron;
}

export class ScheduleError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('; '));
    this.problems = problems;
  }
}

export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}

/** The parser fills in what is missing, and takes seconds too: we want what cron takes. */
function problemOf(expression: string): string | undefined {
  if (expression.split(/\s+/).length !== 5) return 'it wants five fields';
  try {
    cronParser.parseExpression(expression).next();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** When a job runs next; undefined: never, as it is no scheduled one. */
export function nextRun(schedules: Schedules, job: JobName, now: Date): Date | undefined {
  return at(schedules, job, now)?.next().toDate();
}

/** When a job should have run last. */
export function previousRun(schedules: Schedules, job: JobName, now: Date): Date | undefined {
  return at(schedules, job, now)?.prev().toDate();
}

function at({ cron, timeZone }: Schedules, job: JobName, currentDate: Date) {
  const expression = cron.get(job);
  return expression === undefined
    ? undefined
    : cronParser.parseExpression(expression, { currentDate, tz: timeZone });
}

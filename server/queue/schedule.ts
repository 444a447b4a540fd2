import cronParser from 'cron-parser';
import { isScheduled, type JobName, scheduledJobs, scheduleOf } from './job-catalogue.ts';

/** Schedules of the jobs: cron expressions of five fields, all in one time zone. */
export interface Schedules {
  readonly timeZone: string;
  readonly cron: ReadonlyMap<JobName, string>;
}

/**
 * The catalogue's schedules, overridden by the operator's: `job=cron; job=cron`.
 *
 * @throws ScheduleError that lists every unknown job and invalid expression
 */
export function readSchedules(text: string): ReadonlyMap<JobName, string> {
  const cron = new Map(scheduledJobs.map((name) => [name, scheduleOf(name)?.cron ?? '']));
  const given = new Map<JobName, string>();
  const problems: string[] = [];
  for (const part of text.split(';')) {
    if (part.trim() === '') continue;
    const [name = '', expression] = part.split('=').map((side) => side.trim());
    if (expression === undefined) problems.push(`${name}: wants the form job=cron`);
    else if (isScheduled(name)) given.set(name, expression);
    else problems.push(`${name} is no scheduled job: those are ${scheduledJobs.join(', ')}`);
  }
  // Not the catalogue's, which every start of every program would read; nor an expression twice.
  const checked = new Map([...new Set(given.values())].map((one) => [one, problemOf(one)]));
  for (const [name, expression] of given) {
    const problem = checked.get(expression);
    if (problem !== undefined) problems.push(`"${expression}" of ${name} is no cron expression: ${problem}`);
  }
  if (problems.length > 0) throw new ScheduleError(problems);
  return new Map([...cron, ...given]);
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

/** The parser accepts missing fields and seconds; cron has exactly five fields. */
function problemOf(expression: string): string | undefined {
  if (expression.split(/\s+/).length !== 5) return 'it wants five fields';
  try {
    cronParser.parseExpression(expression).next();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** The next run of a job; undefined when it has no schedule. */
export function nextRun({ cron, timeZone }: Schedules, job: JobName, now: Date): Date | undefined {
  const expression = cron.get(job);
  return expression === undefined
    ? undefined
    : cronParser.parseExpression(expression, { currentDate: now, tz: timeZone }).next().toDate();
}

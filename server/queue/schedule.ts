import cronParser from 'cron-parser';
import { inPieces } from '../shared/in-pieces.ts';
import { isScheduled, type JobName, scheduledJobs, scheduleOf } from './job-catalogue.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;
const HOURS_OF_A_DAY = 24;

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

/**
 * The next run of a job; undefined when it has no schedule. For a time that daylight saving skips it is the first moment
 * after that, unless the job runs in every hour.
 */
export function nextRun({ cron, timeZone }: Schedules, job: JobName, now: Date): Date | undefined {
  const expression = cron.get(job);
  if (expression === undefined) return undefined;
  const parsed = cronParser.parseExpression(expression, { currentDate: now, tz: timeZone });
  const next = parsed.next().toDate();
  if (parsed.fields.hour.length === HOURS_OF_A_DAY) return next;
  // The parser loses what is skipped at midnight, or by less than an hour.
  const local = localClock(timeZone);
  const wanted = cronParser.parseExpression(expression, { currentDate: local(now), tz: 'UTC' }).next();
  const reached = firstMomentOf(wanted.getTime(), local);
  return now < reached && reached < next ? reached : next;
}

/** The next run of each of these jobs after its time, one by one, as each takes milliseconds (D3c). */
export async function nextRuns(
  schedules: Schedules,
  times: readonly (readonly [JobName, Date])[],
): Promise<ReadonlyMap<JobName, Date | undefined>> {
  const runs = await inPieces(
    times,
    (some) => some.map(([job, after]) => [job, nextRun(schedules, job, after)] as const),
    () => Infinity,
  );
  return new Map(runs.flat());
}

/** What the clocks of a time zone show at a moment, as if it were UTC. */
function localClock(timeZone: string): (moment: Date | number) => Date {
  // Swedish for its form, which is ISO 8601's.
  const format = new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  return (moment) => new Date(`${format.format(moment).replace(' ', 'T')}Z`);
}

/** The first moment at which the local clock shows this time, or a later one if it skips this. */
function firstMomentOf(time: number, local: ReturnType<typeof localClock>): Date {
  const offsets = [time - DAY, time + DAY].map((moment) => local(moment).getTime() - moment);
  let moment = time - Math.max(...offsets);
  while (local(moment).getTime() < time) moment += MINUTE;
  return new Date(moment);
}

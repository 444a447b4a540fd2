/** The instance itself: its configuration and its scheduled jobs. */
import { z } from 'zod';
import { level } from './access.ts';
import { c, component, DateTime, errors, FlagInQuery, field, text } from './common.ts';

export const Configuration = component(
  z.record(z.unknown()),
  'Configuration',
  'The active configuration. Every secret is `**********`, passwords inside URLs too.',
  {
    base_url: 'https://castellan.example',
    database: { url: 'postgres://castellan:**********@db/castellan' },
  },
);
export type Configuration = z.infer<typeof Configuration>;

export const Job = component(
  z.object({
    coalesce: field(z.boolean(), 'Missed runs are made up for by one: always true.'),
    executor: field(z.string(), 'The queue that runs it.'),
    function: field(z.string(), 'The handler.'),
    job_id: field(z.string(), "The schedule's name."),
    max_instances: field(z.number().int().nullable(), 'How many runs at once.'),
    misfire_grace_time: z.number().int().nullable(),
    name: field(z.string(), 'What it is called among people.'),
    next_run_time: DateTime.nullable(),
    trigger: field(
      z.string().nullable(),
      'The cron expression, in the time zone of the instance: UTC unless it says otherwise.',
    ),
  }),
  'Job',
  'A scheduled background job.',
  {
    coalesce: true,
    executor: 'sync-users',
    function: 'syncUsers',
    job_id: 'sync-users',
    max_instances: 1,
    misfire_grace_time: null,
    name: 'Sync users',
    next_run_time: '2026-03-02T08:00:00.000Z',
    trigger: '*/30 * * * *',
  },
);
export type Job = z.infer<typeof Job>;

export const JobRun = component(
  z.object({ job_id: z.string(), run_id: field(z.string(), 'Names this run in the logs.') }),
  'JobRun',
  'A run that was asked for.',
  { job_id: 'sync-users', run_id: '5e0d7c1a-2b3c-4d5e-8f60-718293a4b5c6' },
);
export type JobRun = z.infer<typeof JobRun>;

export const JobDryRun = component(
  z.object({
    job_id: z.string(),
    changes: field(z.array(z.record(z.unknown())), 'What a run would change now, one entry for each change.'),
  }),
  'JobDryRun',
  'A run that was only tried.',
  { job_id: 'sync-users', changes: [{ character_id: 2112000002, corporation: [98000001, 98000002] }] },
);
export type JobDryRun = z.infer<typeof JobDryRun>;

export const systemRoutes = c.router({
  configuration: {
    method: 'GET',
    path: '/system/configuration',
    summary: 'Get the configuration',
    description: 'The active configuration as nested JSON, secrets redacted.',
    responses: { 200: field(Configuration, 'The configuration.'), ...errors() },
    metadata: { operationId: 'getConfiguration', ...level(10) },
  },
  jobs: {
    method: 'GET',
    path: '/system/job',
    summary: 'List the scheduled jobs',
    description: 'All scheduled background jobs, ordered by name.',
    responses: { 200: field(z.array(Job), 'The jobs.'), ...errors() },
    metadata: { operationId: 'listJobs', ...level(10) },
  },
  runJob: {
    method: 'POST',
    path: '/system/job/:job_id',
    summary: 'Run a job now',
    description:
      'Puts a run into the queue and answers without waiting for its end. A run that would take something away from suspiciously many users changes nothing, unless it is forced. A dry run answers what would change, and changes nothing.',
    pathParams: z.object({ job_id: field(text(1, 100), "The schedule's name.", 'sync-users') }),
    query: z.object({
      force: field(FlagInQuery, 'Let the run through however much it takes away.', false),
      dry_run: field(FlagInQuery, 'Only answer what the run would change.', true),
    }),
    body: c.noBody(),
    responses: {
      200: field(z.union([JobRun, JobDryRun]), 'The run, or what it would change.'),
      ...errors(404, 502),
    },
    metadata: { operationId: 'runJob', ...level(10) },
  },
});

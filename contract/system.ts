/** The instance itself: its state, its configuration, its jobs, and the changes that the guard holds back. */
import { z } from 'zod';
import { level } from './access.ts';
import { c, component, DateTime, FlagInQuery, field } from './common.ts';
import { errors } from './error-body.ts';
import { MAX_LISTED, Target, ValueChange } from './event.ts';
import { text } from './text.ts';

export const Configuration = component(
  z.record(z.unknown()),
  'Configuration',
  'The active configuration: the settings in lower case, those that belong together in an object. Every secret is `**********`, passwords inside URLs too.',
  {
    base_url: 'https://castellan.example',
    database_url: 'postgres://castellan:**********@db/castellan',
    sso: { url: 'https://sso.example', client_id: 'castellan', client_secret: '**********' },
  },
);
export type Configuration = z.infer<typeof Configuration>;

export const Job = component(
  z.object({
    coalesce: field(z.boolean(), 'Whether several missed runs become one: always true.'),
    executor: field(z.string(), 'The queue that runs it.'),
    function: field(z.string(), 'The handler.'),
    job_id: field(z.string(), "The schedule's name."),
    max_instances: field(z.number().int().nullable(), 'How many runs at once.'),
    misfire_grace_time: z.number().int().nullable(),
    name: field(z.string(), 'Title of the job, for people.'),
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
  z.object({ job_id: z.string(), run_id: field(z.string(), 'Id of this run, as in the logs.') }),
  'JobRun',
  'A run that was requested.',
  { job_id: 'sync-users', run_id: '5e0d7c1a-2b3c-4d5e-8f60-718293a4b5c6' },
);
export type JobRun = z.infer<typeof JobRun>;

export const JobDryRun = component(
  z.object({
    job_id: z.string(),
    changes: field(z.array(z.record(z.unknown())), 'What a run would change now, one entry for each change.'),
  }),
  'JobDryRun',
  'The result of a dry run.',
  { job_id: 'sync-users', changes: [{ character_id: 2112000002, corporation: [98000001, 98000002] }] },
);
export type JobDryRun = z.infer<typeof JobDryRun>;

/** What names a set of changes: the SHA-256 of it, in base64url. */
const HELD_ID = /^[A-Za-z0-9_-]{43}$/;

export const HeldDetail = component(
  ValueChange.extend({ target: field(Target, 'Who, or what, would change.') }),
  'HeldDetail',
  'One value that would change, and whose.',
  {
    target: { type: 'user', id: '2112000002', name: 'Ansel Ormand' },
    field: 'clearance_level',
    before: 4,
    after: 0,
  },
);
export type HeldDetail = z.infer<typeof HeldDetail>;

export const HeldChange = component(
  z.object({
    held_id: field(z.string(), 'Names exactly these changes: other ones have another id.'),
    job_id: field(z.string(), 'The job whose runs find them.'),
    losers: field(z.number().int(), 'Users who would lose something, indirectly too.'),
    looked_at: field(z.number().int(), 'Users that the run looked at.'),
    first_found_on: field(DateTime, 'When a run found exactly these for the first time.'),
    found_on: field(DateTime, 'When they counted last as found.'),
    found: field(
      z.number().int(),
      'In how many runs that were far enough apart; a few, who would not be held back alone, may be found in fewer.',
    ),
    needed: field(z.number().int(), 'So many, and they are let through.'),
    passes_on: field(
      DateTime.nullable(),
      'About when that will be, if every run finds them again; null: no run is scheduled.',
    ),
    details: field(
      z.array(HeldDetail),
      `What would change, organizations first: the first ${MAX_LISTED} of it.`,
    ),
    more: field(z.number().int(), 'How much would change besides.'),
  }),
  'HeldChange',
  'What the runs of a job would take away from so many that nothing is changed for now.',
  {
    held_id: '47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU',
    job_id: 'sync-users',
    losers: 214,
    looked_at: 1200,
    first_found_on: '2026-03-02T07:30:12.125Z',
    found_on: '2026-03-02T08:00:12.250Z',
    found: 2,
    needed: 3,
    passes_on: '2026-03-02T09:00:00.000Z',
    details: [
      {
        target: { type: 'user', id: '2112000002', name: 'Ansel Ormand' },
        field: 'clearance_level',
        before: 4,
        after: 0,
      },
    ],
    more: 213,
  },
);
export type HeldChange = z.infer<typeof HeldChange>;

export const Finding = component(
  z.object({
    about: field(z.string(), 'What was looked at.'),
    state: field(
      z.enum(['good', 'mind', 'bad']),
      '`good`: nothing to do. `mind`: should be looked at. `bad`: needs action at once.',
    ),
    says: field(z.string(), 'What was found, for people.'),
    advice: field(z.string().nullable(), 'What to do, if anything.'),
  }),
  'Finding',
  'The result of one check of the service.',
  { about: 'jobs', state: 'good', says: 'none is late', advice: null },
);
export type Finding = z.infer<typeof Finding>;

const count = (description: string) => field(z.number().int().min(0), description);

export const SystemStatus = component(
  z.object({
    as_of: field(DateTime, 'When all this was so.'),
    state: field(z.enum(['good', 'mind', 'bad']), 'The worst state of all findings.'),
    findings: field(z.array(Finding), 'The results of all checks, good ones included.'),
    version: field(z.string(), 'Version of the process that answers.'),
    started_on: field(DateTime, 'When that process was started.'),
    users: field(
      z.object({
        members: count('Users without the built-in one and guests.'),
        guests: count('Guests of a corporation.'),
      }),
      'How many there are.',
    ),
    refresh_tokens: field(
      z.object({
        valid: count('Refresh tokens that are valid.'),
        invalid: count('Refresh tokens that the game has declared invalid.'),
      }),
      "Of the game's sign-on.",
    ),
    synced_on: field(
      DateTime.nullable(),
      'All users were compared with the game since this time; null if that has not happened yet.',
    ),
    provider_errors_left: field(
      z.number().int().nullable(),
      "Errors that the game's API still allows in its present minute; null: it has not said.",
    ),
    crash_reports: count('Crash reports of the last day.'),
    jobs: field(
      z.array(
        z.object({
          job_id: field(z.string(), "The schedule's name."),
          ran_on: field(DateTime.nullable(), 'When its last run began; null before the first one.'),
          next_run_time: field(DateTime.nullable(), 'When it runs next.'),
          waiting: count('Runs that are due and wait for a worker.'),
          failed: count('Runs that failed for good within a day.'),
        }),
      ),
      'The scheduled jobs, by name.',
    ),
  }),
  'SystemStatus',
  'How the instance is.',
  {
    as_of: '2026-03-02T07:45:00.000Z',
    state: 'good',
    findings: [{ about: 'jobs', state: 'good', says: 'none is late', advice: null }],
    version: '0.1.0',
    started_on: '2026-03-01T20:00:00.000Z',
    users: { members: 4210, guests: 12 },
    refresh_tokens: { valid: 3980, invalid: 230 },
    synced_on: '2026-03-02T07:30:00.125Z',
    provider_errors_left: 97,
    crash_reports: 0,
    jobs: [
      {
        job_id: 'sync-users',
        ran_on: '2026-03-02T07:30:00.125Z',
        next_run_time: '2026-03-02T08:00:00.000Z',
        waiting: 0,
        failed: 0,
      },
    ],
  },
);
export type SystemStatus = z.infer<typeof SystemStatus>;

export const systemRoutes = c.router({
  status: {
    method: 'GET',
    path: '/system/status',
    summary: 'Get the state of the instance',
    description:
      'An overview for administrators: whether anything is wrong with database, jobs, sync or the game, and what to do.',
    responses: { 200: field(SystemStatus, 'The state.'), ...errors() },
    metadata: { operationId: 'getSystemStatus', ...level(9) },
  },
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
  held: {
    method: 'GET',
    path: '/system/held',
    summary: 'List the changes that are held back',
    description:
      'What runs of jobs would take away from so many users at once that they changed nothing, by the name of the job. What a run saw while the game failed is not among them. They are let through when they were found often enough, or by level 10: `POST /system/job/{job_id}?approve={held_id}`.',
    responses: { 200: field(z.array(HeldChange), 'What is held back.'), ...errors() },
    metadata: { operationId: 'listHeldChanges', ...level(9) },
  },
  runJob: {
    method: 'POST',
    path: '/system/job/:job_id',
    summary: 'Run a job now',
    description:
      'Puts a run into the queue and answers without waiting for its end. It checks every grant and refreshes organizations, due by the schedule or not: the 500 alliances and 2,000 corporations that were refreshed longest ago. A run that would take something away from suspiciously many users changes nothing, unless it is forced, or exactly that was approved: what is not held back any more is a 404. A dry run answers what would change for anybody, and changes nothing; while the game or the voice server fails, it is an error. Jobs that only collect, count or delete what has expired change nothing for anybody. It is a 422 for `check-grants`, as only refreshing a token tells whether it is valid.',
    pathParams: z.object({ job_id: field(text(1, 100), "The schedule's name.", 'sync-users') }),
    query: z.object({
      force: field(FlagInQuery, 'Let the run pass the guard, however much it takes away.', false),
      approve: field(
        z.string().regex(HELD_ID, 'Must be the id of held changes').optional(),
        'Let the run pass the guard with exactly the changes that `GET /system/held` shows under this id.',
        '47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU',
      ),
      dry_run: field(FlagInQuery, 'Only answer what the run would change.', true),
    }),
    body: c.noBody(),
    responses: {
      200: field(z.union([JobRun, JobDryRun]), 'The run, or what it would change.'),
      ...errors(404, 413, 415, 502, 504),
    },
    metadata: {
      operationId: 'runJob',
      codes: ['provider_unavailable', 'voice_server_unavailable'],
      ...level(10),
    },
  },
});

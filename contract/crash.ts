/** Crash reports about unforeseen errors. */
import { extendApi } from '@anatine/zod-openapi';
import { z } from 'zod';
import { level, TOKEN_KINDS } from './access.ts';
import { c, component, DateTime, field, ObjectId, ObjectIdInUrl } from './common.ts';
import { errors } from './error-body.ts';
import { UserShort } from './user.ts';

export const CrashReportShort = component(
  z.object({
    id: ObjectId,
    timestamp: DateTime,
    url: z.string(),
    user: field(UserShort.nullable(), 'Owner of the token of the failing request, if it had one.'),
  }),
  'CrashReportShort',
  'A crash report by its outline.',
  {
    id: '66f2a1b3c4d5e6f708192a3b',
    timestamp: '2026-03-02T07:05:30.125Z',
    url: '/user/Ada%20Vale',
    user: { character_id: 2112000001, character_name: 'Ada Vale' },
  },
);
export type CrashReportShort = z.infer<typeof CrashReportShort>;

export const CrashReport = component(
  z.object({
    id: ObjectId,
    _version: extendApi(z.literal(1), { type: 'integer', description: 'Schema version of the record.' }),
    request: z.object({
      headers: field(z.record(z.string()), 'Headers of the request, credentials redacted.'),
      method: z.string(),
      params: field(z.record(z.unknown()), 'Parameters of the path and the query, secrets redacted.'),
      url: field(z.string(), 'Secrets in the query are redacted.'),
    }),
    timestamp: DateTime,
    token: field(
      z
        .object({
          uuid: z.string().uuid(),
          token_type: z.enum(TOKEN_KINDS),
          owner: UserShort,
          created_on: DateTime,
          expires_on: DateTime.nullable(),
        })
        .nullable(),
      'The token of the failing request as it was then, without its text.',
    ),
    trace: field(z.string(), 'The stack trace.'),
  }),
  'CrashReport',
  'What is known of an unforeseen error. Kept for 90 days; credentials are removed before it is stored.',
  {
    id: '66f2a1b3c4d5e6f708192a3b',
    _version: 1,
    request: {
      headers: { accept: 'application/json', authorization: '**********' },
      method: 'GET',
      params: { character_name: 'Ada Vale' },
      url: '/user/Ada%20Vale',
    },
    timestamp: '2026-03-02T07:05:30.125Z',
    token: {
      uuid: '9d1f0c2b-7a3e-4b5c-8d6e-0f1a2b3c4d5e',
      token_type: 'use',
      owner: { character_id: 2112000001, character_name: 'Ada Vale' },
      created_on: '2026-03-02T07:00:00.000Z',
      expires_on: '2026-03-03T07:00:00.000Z',
    },
    trace: 'TypeError: cannot read properties of undefined\n    at …',
  },
);
export type CrashReport = z.infer<typeof CrashReport>;

const byId = z.object({
  crash_report_id: field(ObjectIdInUrl, 'Id of the report.', '66f2a1b3c4d5e6f708192a3b'),
});

export const crashRoutes = c.router({
  list: {
    method: 'GET',
    path: '/crash',
    summary: 'List crash reports',
    description: 'The 50 newest, newest first.',
    responses: { 200: field(z.array(CrashReportShort), 'The reports.'), ...errors() },
    metadata: { operationId: 'listCrashReports', ...level(10) },
  },
  get: {
    method: 'GET',
    path: '/crash/:crash_report_id',
    summary: 'Get a crash report',
    description: 'Everything that was stored about the error.',
    pathParams: byId,
    responses: { 200: field(CrashReport, 'The report.'), ...errors(404) },
    metadata: { operationId: 'getCrashReport', ...level(10) },
  },
  delete: {
    method: 'DELETE',
    path: '/crash/:crash_report_id',
    summary: 'Delete a crash report',
    description: 'Reports are deleted after 90 days in any case.',
    pathParams: byId,
    responses: { 200: c.noBody(), ...errors(404, 413, 415) },
    metadata: { operationId: 'deleteCrashReport', ...level(10) },
  },
});

/** The bodies of errors, and which of them an operation can answer with. */
import { z } from 'zod';
import { component, field, GROWS, ObjectId } from './common.ts';
import { type ErrorCode as Code, ERROR_CODES } from './error-codes.ts';

const CODES = Object.keys(ERROR_CODES) as [Code, ...Code[]];

export const ErrorCode = component(
  z.enum(CODES),
  'ErrorCode',
  `What went wrong, for programs; each code comes with one status. ${GROWS}go by the status where you do not know the code.\n\n${CODES.map(codeLine).join('\n')}`,
  'level_too_low',
);

function codeLine(code: Code): string {
  const [status, meaning] = ERROR_CODES[code];
  return `- \`${code}\` (${status}): ${meaning}`;
}

/** A schema for the code of an error that has only one. */
export function always<C extends Code>(code: C) {
  return field(z.literal(code), 'What went wrong, for programs.');
}

export const Problem = component(
  z.object({
    detail: field(z.string(), 'What went wrong, in one sentence.'),
    code: ErrorCode,
  }),
  'Problem',
  'Body of an error.',
  {
    detail: "Insufficient clearance level: this needs 6, and the token's owner has 2.",
    code: 'level_too_low',
  },
);
export type Problem = z.infer<typeof Problem>;

export const ValidationIssue = component(
  z.object({
    loc: field(
      z.array(z.union([z.string(), z.number().int()])),
      'Where: `path`, `query`, `header` or `body`, then the way to the value.',
    ),
    msg: field(z.string(), 'What is wrong with the value.'),
    type: field(z.string(), 'Kind of the issue, for programs.'),
  }),
  'ValidationIssue',
  'One thing wrong with a request.',
  { loc: ['body', 'ticker'], msg: 'Must not be empty', type: 'too_small' },
);
export type ValidationIssue = z.infer<typeof ValidationIssue>;

export const ValidationProblem = component(
  z.object({
    detail: field(z.array(ValidationIssue), 'Everything that is wrong with the request.'),
    code: always('invalid_request'),
  }),
  'ValidationProblem',
  'Path, query, headers or body are not what the operation takes.',
  {
    detail: [{ loc: ['body', 'ticker'], msg: 'Must not be empty', type: 'too_small' }],
    code: 'invalid_request',
  },
);
export type ValidationProblem = z.infer<typeof ValidationProblem>;

export const CrashProblem = component(
  z.object({
    detail: field(z.string(), 'Always the same sentence: what happened is in the crash report.'),
    code: always('internal_error'),
    crash_report_id: field(
      ObjectId.optional(),
      'The stored report, for administrators: `GET /crash/{crash_report_id}`. Absent when none could be stored.',
    ),
  }),
  'CrashProblem',
  'An unforeseen error. A crash report is stored.',
  {
    detail: 'Internal Server Error',
    code: 'internal_error',
    crash_report_id: '66f2a1b3c4d5e6f708192a3b',
  },
);
export type CrashProblem = z.infer<typeof CrashProblem>;

const ERRORS = {
  401: Problem,
  403: Problem,
  404: Problem,
  409: Problem,
  410: Problem,
  413: Problem,
  415: Problem,
  422: ValidationProblem,
  429: Problem,
  500: CrashProblem,
  502: Problem,
  503: Problem,
  504: Problem,
} as const;

/** The errors of every operation with a token; a 422 is among them, as any unknown query parameter causes one. */
const ALWAYS = {
  401: Problem,
  403: Problem,
  422: ValidationProblem,
  429: Problem,
  500: CrashProblem,
  503: Problem,
} as const;

/** The error answers of a route: those that every operation can give, and `more`. */
export function errors<S extends Exclude<keyof typeof ERRORS, keyof typeof ALWAYS> = never>(
  ...more: readonly S[]
): typeof ALWAYS & Pick<typeof ERRORS, S> {
  const named = Object.fromEntries(more.map((status) => [status, ERRORS[status]]));
  return { ...ALWAYS, ...(named as Pick<typeof ERRORS, S>) };
}

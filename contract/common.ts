/** What several resources share: identifiers, text, timestamps, the page header and the bodies of errors. */
import { extendApi } from '@anatine/zod-openapi';
import { initContract } from '@ts-rest/core';
import { z } from 'zod';
import { type ErrorCode as Code, ERROR_CODES } from './error-codes.ts';

export const c = initContract();

/** Largest id that JSON carries without loss: 2^53 − 1 (D3b). */
export const MAX_ID = Number.MAX_SAFE_INTEGER;
/** Longest list that a request may hold (D3b). */
export const MAX_LIST = 10_000;
/** Items on one page of a history (interface "Limits"). */
export const PAGE_SIZE = 50;

/**
 * Documents a field. To be called last: every other method of a Zod schema returns a copy without the
 * documentation, and `describe` would lose the component's name.
 */
export function field<T extends z.ZodTypeAny>(schema: T, description: string, example?: unknown): T {
  return extendApi(schema, example === undefined ? { description } : { description, example });
}

/** Names a schema, which makes it a component of the OpenAPI document and a type of the SDK. Call it last. */
export function component<T extends z.ZodTypeAny>(
  schema: T,
  title: string,
  description: string,
  example: z.input<T>,
): T {
  return extendApi(schema, { title, description, example });
}

// Text -----------------------------------------------------------------------------------------------------

const LONE_SURROGATE = /\p{Surrogate}/u;

interface TextDef extends z.ZodStringDef {
  readonly least: 0 | 1;
  readonly most: number;
}

/** Checks by itself, at a fraction of what refinements cost: a body may hold 20,000 names (D3c). */
class Text extends z.ZodString {
  declare readonly _def: TextDef;

  override _parse(input: z.ParseInput): z.ParseReturnType<string> {
    const { data } = input;
    if (typeof data !== 'string') return super._parse(input);
    const fault = faultIn(data, this._def);
    if (fault === undefined) return z.OK(data);
    z.addIssueToContext(this._getOrReturnCtx(input), fault);
    return z.INVALID;
  }
}

function faultIn(value: string, { least, most }: TextDef): z.IssueData | undefined {
  if (value.length < least) {
    const message = 'Must not be empty';
    return { code: 'too_small', minimum: least, type: 'string', inclusive: true, message };
  }
  // A code point has one or two units: they need to be counted only where that makes the difference.
  const { length } = value.length > most && value.length <= 2 * most ? [...value] : value;
  if (length > most) {
    const message = `Must have at most ${most} characters`;
    return { code: 'too_big', maximum: most, type: 'string', inclusive: true, message };
  }
  if (!value.includes('\0') && !LONE_SURROGATE.test(value)) return undefined;
  return { code: 'custom', message: 'Must be well-formed Unicode without U+0000' };
}

/** Text of so many code points that PostgreSQL can store: no U+0000, no lone surrogate (D3b). */
export function text(least: 0 | 1, most: number): z.ZodType<string, z.ZodStringDef> {
  const def: TextDef = { ...z.string()._def, least, most };
  return extendApi(new Text(def), { ...(least > 0 && { minLength: least }), maxLength: most });
}

export const Name = text(1, 100);
export const Ticker = text(1, 20);
export const LongText = text(0, 4000);
export const StateCode = text(1, 100);

// Identifiers ----------------------------------------------------------------------------------------------

const DIGITS = z.string().regex(/^(0|[1-9][0-9]{0,15})$/, 'Must be a whole number in decimal digits');

/** An id of the game in a request body: 1 to 2^53 − 1. */
export const IdInBody = extendApi(z.number().int().min(1).max(MAX_ID), { format: 'int64' });

/** An id of the game as path or query text, in its canonical decimal form: "007", "+7" and "7.0" are refused. */
export const IdInUrl = DIGITS.transform(Number).pipe(IdInBody);

/** The same where the built-in user, character 0, can be meant (D3b). */
export const IdOrBuiltInInUrl = DIGITS.transform(Number).pipe(
  extendApi(z.number().int().min(0).max(MAX_ID), { format: 'int64' }),
);

/** An id of the game in an answer. */
export const Id = extendApi(z.number().int(), { format: 'int64' });

/** A whole number of a range as query text, in its canonical decimal form. */
export function wholeNumberInQuery(least: number, most: number) {
  return DIGITS.transform(Number).pipe(z.number().int().min(least).max(most));
}

/** An object identifier in a path: 24 hexadecimal digits in any case, read as lower case. */
export const ObjectIdInUrl = z
  .string()
  .regex(/^[0-9a-fA-F]{24}$/, 'Must be 24 hexadecimal digits')
  .transform((id) => id.toLowerCase());

/** An object identifier in an answer. */
export const ObjectId = z.string().regex(/^[0-9a-f]{24}$/);

/** ISO 8601 in UTC with milliseconds and `Z`, as `Date.prototype.toISOString` prints it (D10). */
export const DateTime = z.string().datetime();

/** A JSON Web Token in compact form. */
export const Jwt = extendApi(z.string(), { format: 'jwt' });

// Query and headers ----------------------------------------------------------------------------------------

/** "true" or "false" in a query; absent is false. */
export const FlagInQuery = extendApi(
  z
    .enum(['true', 'false'], { errorMap: () => ({ message: 'Must be true or false' }) })
    .default('false')
    .transform((value) => value === 'true')
    .pipe(z.boolean()),
  { default: false },
);

/** The query of an operation that can be tried beforehand: `metadata.previews` says that it can. */
export const DryRun = z.object({
  dry_run: field(FlagInQuery, 'Change nothing, and only answer who would gain or lose what.', true),
});

/** How many elements a page of a list may hold (D71). */
export const MAX_PAGE = 1000;
export const LimitInQuery = wholeNumberInQuery(1, MAX_PAGE);

/** Where a page of a list begins: what `X-Next` said beside the page before (D71). */
export const AfterInQuery = field(
  text(1, 2000),
  'Begins after the page whose answer had this value in `X-Next`.',
  'WyJhZGEgdmFsZSIsMjExMjAwMDAwMV0',
);

/** The request header `page` of the histories: a positive whole number, 1 where absent (interface "Limits"). */
export const PageHeader = z.object({
  page: extendApi(
    z
      .string()
      .regex(/^[1-9][0-9]{0,9}$/, 'Must be a positive whole number')
      .default('1')
      .transform(Number)
      .pipe(
        z
          .number()
          .int()
          .min(1)
          .max(2 ** 31 - 1),
      ),
    { default: 1, description: `Page of the listing, ${PAGE_SIZE} items each, newest first.`, example: 1 },
  ),
});

// Combinations ---------------------------------------------------------------------------------------------

/** Refuses a full list together with additions or removals: which of them should win would be a guess. */
export function fullListAlone(full: string, ...changes: readonly string[]) {
  return (body: Readonly<Record<string, unknown>>, ctx: z.RefinementCtx): void => {
    if (body[full] == null) return;
    const clashing = changes.filter((change) => body[change] != null);
    if (clashing.length === 0) return;
    ctx.addIssue({
      code: 'custom',
      path: [full],
      message:
        `${full} replaces the whole list and cannot be combined with ${clashing.join(' and ')}: ` +
        'send either the full list, or additions and removals',
    });
  };
}

/** Refuses what holds more text than this, all of its texts together: each by itself may be longer. */
export function atMostBytes(most: number, textsOf: (body: never) => readonly string[]) {
  return (body: unknown, ctx: z.RefinementCtx): void => {
    const bytes = textsOf(body as never).reduce((sum, one) => sum + Buffer.byteLength(one), 0);
    if (bytes <= most) return;
    ctx.addIssue({
      code: 'custom',
      message: `Must hold at most ${most} bytes of text in all, and holds ${bytes}`,
    });
  };
}

// Errors ---------------------------------------------------------------------------------------------------

const CODES = Object.keys(ERROR_CODES) as [Code, ...Code[]];

export const ErrorCode = component(
  z.enum(CODES),
  'ErrorCode',
  `What went wrong, for programs; each code comes with one status.\n\n${CODES.map(codeLine).join('\n')}`,
  'level_too_low',
);

function codeLine(code: Code): string {
  const [status, meaning] = ERROR_CODES[code];
  return `- \`${code}\` (${status}): ${meaning}`;
}

/** The code of an error that can have no other. */
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
  'An error that nobody foresaw. A report of it is stored.',
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

/** What every operation with a token can answer, whatever it does: also a query that it does not take is a 422. */
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

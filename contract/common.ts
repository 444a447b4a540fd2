/** Shared by several resources: identifiers, timestamps, flags, names and descriptions of schemas. */
import { extendApi } from '@anatine/zod-openapi';
import { initContract } from '@ts-rest/core';
import { z } from 'zod';

export const c = initContract();

/** Largest id that JSON carries without loss: 2^53 − 1 (D3b). */
export const MAX_ID = Number.MAX_SAFE_INTEGER;
/** Longest list that a request may hold (D3b). */
export const MAX_LIST = 10_000;

/**
 * Documents a field. Call it last: all other methods of a Zod schema return a copy without the documentation, and
 * `describe` would lose the component's name.
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

/**
 * Begins a sentence of an enum's description to which a minor release may add values. The SDK's schemas of answers let
 * values through that they do not know, those of requests do not.
 */
export const GROWS = 'The list grows: ';

// Identifiers ----------------------------------------------------------------------------------------------

const DIGITS = z.string().regex(/^(0|[1-9][0-9]{0,15})$/, 'Must be a whole number in decimal digits');

/** An id of the game in a request body: 1 to 2^53 − 1. */
export const IdInBody = extendApi(z.number().int().min(1).max(MAX_ID), { format: 'int64' });

/** An id of the game as path or query text, in its canonical decimal form: "007", "+7" and "7.0" are refused. */
export const IdInUrl = DIGITS.transform(Number).pipe(IdInBody);

/** Like {@link IdInUrl}, where the built-in user (0) is allowed, too (D3b). */
export const IdOrBuiltInInUrl = DIGITS.transform(Number).pipe(
  extendApi(z.number().int().min(0).max(MAX_ID), { format: 'int64' }),
);

/** An id of the game in an answer. */
export const Id = extendApi(z.number().int(), { format: 'int64' });

/** A whole number of a range as query text, in its canonical decimal form. */
export function wholeNumberInQuery(least: number, most: number) {
  const number = z.number().int().min(least).max(most);
  return DIGITS.transform(Number).pipe(most === MAX_ID ? extendApi(number, { format: 'int64' }) : number);
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

/** ISO 8601 with any offset that exists: `datetime` accepts any digits for its hours and minutes. */
export const MomentInQuery = extendApi(
  z
    .string()
    .datetime({ offset: true })
    .pipe(z.string().refine((text) => !Number.isNaN(Date.parse(text)), 'Must have an offset that exists')),
  { type: 'string', format: 'date-time' },
);

/** How else clients write a flag: PHP makes numbers of its booleans. */
const ALSO_FLAGS: ReadonlyMap<unknown, string> = new Map([
  ['1', 'true'],
  ['0', 'false'],
]);

/**
 * "true" or "false" in a query, in any case, as Python and R write `True` and `TRUE`, or 1 or 0, as clients in PHP do;
 * absent is false. Whoever reads a flag before the query is validated does so by this schema, too.
 */
export const FlagInQuery = extendApi(
  z
    .preprocess(
      (value) => ALSO_FLAGS.get(value) ?? (typeof value === 'string' ? value.toLowerCase() : value),
      z.enum(['true', 'false'], { errorMap: () => ({ message: 'Must be true or false' }) }).default('false'),
    )
    .transform((value) => value === 'true')
    .pipe(z.boolean()),
  { default: false },
);

/** The query of an operation with a dry run, as `metadata.previews` declares. */
export const DryRun = z.object({
  dry_run: field(FlagInQuery, 'Change nothing, and only answer who would gain or lose what.', true),
});

// Combinations ---------------------------------------------------------------------------------------------

/** Refuses a full list together with additions or removals, because it would be ambiguous. */
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

import { z } from 'zod';

/** Maximum number of faults listed in one answer: a list of 10,000 wrong elements needs no 10,000 explanations. */
export const MOST_ISSUES = 100;

class Enough extends Error {}

/** The array that Zod adds its issues to. It throws at the maximum, which ends the validation. */
class FirstIssues extends Array<z.ZodIssue> {
  override push(...issues: z.ZodIssue[]): number {
    if (this.length >= MOST_ISSUES) throw new Enough();
    return super.push(...issues);
  }
}

/** Like `schema.safeParse`, but stops at {@link MOST_ISSUES} issues, while Zod would go on to the end (D3c). */
export function parseToFirstIssues(
  schema: z.ZodTypeAny,
  data: unknown,
): z.SafeParseReturnType<unknown, unknown> {
  const issues = new FirstIssues();
  const parent: z.ParseContext = {
    common: { issues, async: false },
    path: [],
    schemaErrorMap: schema._def.errorMap,
    parent: null,
    data,
    parsedType: z.getParsedType(data),
  };
  try {
    const result = schema._parseSync({ data, path: [], parent });
    if (z.isValid(result)) return { success: true, data: result.value };
  } catch (error) {
    if (!(error instanceof Enough)) throw error;
  }
  return { success: false, error: new z.ZodError([...issues]) };
}

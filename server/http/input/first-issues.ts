import { z } from 'zod';

/** Faults that one answer explains: a list of 10,000 wrong elements needs no 10,000 explanations. */
export const MOST_ISSUES = 100;

class Enough extends Error {}

/** What Zod reports its issues to; refuses to take more than an answer shows. */
class FirstIssues extends Array<z.ZodIssue> {
  override push(...issues: z.ZodIssue[]): number {
    if (this.length >= MOST_ISSUES) throw new Enough();
    return super.push(...issues);
  }
}

/** `schema.safeParse`, but that it ends at the hundredth issue, where Zod goes on to the last one (D3c). */
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

import { z } from 'zod';
import { type Limits, limitsOf } from '../../../contract/json/limits.ts';
import { parseToFirstIssues } from './first-issues.ts';
import { nearest } from './nearest.ts';

/** The part of a Zod schema that ts-rest uses. */
export interface Validator {
  safeParse(data: unknown): z.SafeParseReturnType<unknown, unknown>;
}

/** Wording of messages about one part of a request. */
export interface Words {
  readonly noun: 'field' | 'parameter' | 'header';
  /** Tells where a name belongs that is unknown in this part of the request but known in another. */
  readonly elsewhere?: (name: string) => string | undefined;
}

/**
 * A validator for one part of a request, with bounded cost. Each unknown name is an issue of its own, with the most
 * similar known name as a suggestion (D3, D5).
 */
export function validator(schema: z.ZodTypeAny, words: Words): Validator {
  const limits = limitsOf(schema);
  return {
    safeParse(data) {
      const parsed = parseToFirstIssues(schema, data);
      if (parsed.success) return parsed;
      const issues = parsed.error.issues.flatMap((issue) => explained(issue, limits, words));
      return { success: false, error: new z.ZodError(issues) };
    },
  };
}

function explained(issue: z.ZodIssue, limits: Limits, { noun, elsewhere }: Words): z.ZodIssue[] {
  switch (issue.code) {
    case 'unrecognized_keys': {
      const known = fieldsAt(limits, issue.path);
      return issue.keys.map((name) => {
        const message = `Unknown ${noun}${elsewhere?.(name) ?? didYouMean(name, known)}`;
        return { ...issue, keys: [name], path: [...issue.path, name], message };
      });
    }
    case 'invalid_enum_value': {
      const known = issue.options.map(String);
      return [{ ...issue, message: issue.message + didYouMean(String(issue.received), known) }];
    }
    case 'invalid_type':
      // Query parameters are text; an array means that the parameter was given twice, unless its text is JSON.
      if (noun === 'parameter' && issue.received === 'array' && issue.expected !== 'object')
        return [{ ...issue, message: 'Must be given once' }];
      return [issue];
    default:
      return [issue];
  }
}

function didYouMean(given: string, known: readonly string[]): string {
  const meant = nearest(given, known);
  return meant === undefined ? '' : `: did you mean "${meant}"?`;
}

/** Names of the fields that the object at the end of a path may have. */
function fieldsAt(limits: Limits, path: readonly (string | number)[]): readonly string[] {
  const { object } = path.reduce<Limits>(
    (at, step) => at.object?.fields.get(String(step)) ?? at.object?.others ?? at.list?.each ?? {},
    limits,
  );
  return [...(object?.fields.keys() ?? [])];
}

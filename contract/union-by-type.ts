import { z } from 'zod';

/** Zod's type names, as returned by `getParsedType`. */
const TYPES: Readonly<Record<string, z.ZodParsedType>> = {
  ZodString: 'string',
  ZodNumber: 'number',
  ZodBoolean: 'boolean',
  ZodArray: 'array',
};

/**
 * A union whose member is selected by the JSON type of the value. Zod's own union tries all members and collects an
 * error for each; this validates one, so that a wrong value costs one issue with a precise message.
 */
class UnionByType<Members extends z.ZodUnionOptions> extends z.ZodUnion<Members> {
  readonly #members = new Map(this.options.map((member) => [typeOf(member), member]));

  override _parse(input: z.ParseInput): z.ParseReturnType<this['_output']> {
    const member = this.#members.get(z.getParsedType(input.data));
    if (member !== undefined) return member._parse(input);
    z.addIssueToContext(this._getOrReturnCtx(input), { code: 'invalid_union', unionErrors: [] });
    return z.INVALID;
  }
}

function typeOf(schema: z.ZodTypeAny): z.ZodParsedType {
  if (schema instanceof z.ZodEffects) return typeOf(schema.innerType());
  const type = TYPES[schema._def.typeName];
  if (type === undefined) throw new Error(`${schema._def.typeName} has no JSON type of its own`);
  return type;
}

/** A value of one of several JSON types; `message` names them when another is sent. */
export function byType<const Members extends readonly [z.ZodTypeAny, z.ZodTypeAny, ...z.ZodTypeAny[]]>(
  members: Members,
  message: string,
): z.ZodUnion<Members> {
  return new UnionByType(z.union(members, { errorMap: () => ({ message }) })._def);
}

import { z } from 'zod';

/** Zod's names of the types that can stand beside each other, as `getParsedType` calls their values. */
const TYPES: Readonly<Record<string, z.ZodParsedType>> = {
  ZodString: 'string',
  ZodNumber: 'number',
  ZodBoolean: 'boolean',
  ZodArray: 'array',
};

/**
 * A union whose member is told by the JSON type of the value. Zod tries all members in turn and builds an error for
 * each that fails; this looks at one, so that a wrong value costs one issue, which also says what is wrong with it.
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

/** A value of one of several JSON types; `message` says which, to whoever sends another. */
export function byType<const Members extends readonly [z.ZodTypeAny, z.ZodTypeAny, ...z.ZodTypeAny[]]>(
  members: Members,
  message: string,
): z.ZodUnion<Members> {
  return new UnionByType(z.union(members, { errorMap: () => ({ message }) })._def);
}

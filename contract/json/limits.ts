/** Limits on the size of a request, derived from its schema. */
import { z } from 'zod';

/** The first fault in a JSON text: its path from the root, a message, and a kind for programs. */
export interface JsonFault {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
}

/** Maximum number of fields of any object in a request; all operations need far fewer. */
export const MAX_FIELDS = 100;

/** The limits of a value that is a list or an object; empty where the schema allows neither. */
export interface Limits {
  readonly list?: { readonly most: number; readonly each: Limits };
  readonly object?: { readonly fields: ReadonlyMap<string, Limits>; readonly others: Limits };
}

const UNBOUND: Limits = {};

/** Derives the limits from a schema. Throws for a list without a limit, which is a mistake in the contract. */
export function limitsOf(schema: z.ZodTypeAny): Limits {
  const inner = unwrapped(schema);
  if (inner instanceof z.ZodArray) {
    const most: number | undefined = inner._def.maxLength?.value;
    if (most === undefined) throw new Error('A list of a request needs a limit');
    return { list: { most, each: limitsOf(inner.element) } };
  }
  if (inner instanceof z.ZodRecord) {
    return { object: { fields: new Map(), others: limitsOf(inner.valueSchema) } };
  }
  if (inner instanceof z.ZodObject) {
    const shape = Object.entries<z.ZodTypeAny>(inner.shape);
    return { object: { fields: new Map(shape.map(([name, of]) => [name, limitsOf(of)])), others: UNBOUND } };
  }
  if (inner instanceof z.ZodUnion) return Object.assign({}, ...inner.options.map(limitsOf));
  return UNBOUND;
}

function unwrapped(schema: z.ZodTypeAny): z.ZodTypeAny {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return unwrapped(schema.unwrap());
  if (schema instanceof z.ZodDefault) return unwrapped(schema.removeDefault());
  if (schema instanceof z.ZodEffects) return unwrapped(schema.innerType());
  return schema;
}

/** The first list or object that no schema should read, found before its contents are validated (D3c). */
export function beyond(value: unknown, limits: Limits, loc: JsonFault['loc'] = []): JsonFault | undefined {
  if (Array.isArray(value)) {
    const { list } = limits;
    if (list === undefined) return undefined;
    if (value.length > list.most) return tooBig(loc, list.most, 'elements');
    return firstBeyond(value.entries(), () => list.each, loc);
  }
  if (typeof value !== 'object' || value === null || limits.object === undefined) return undefined;
  const { fields, others } = limits.object;
  const entries = Object.entries(value);
  if (entries.length > MAX_FIELDS) return tooBig(loc, MAX_FIELDS, 'fields');
  // Schemas of maps leave this name out without a word.
  if (Object.hasOwn(value, '__proto__'))
    return { loc: [...loc, '__proto__'], msg: 'Unknown field', type: 'unrecognized_keys' };
  return firstBeyond(entries, (name) => fields.get(name) ?? others, loc);
}

function firstBeyond<Key extends string | number>(
  entries: Iterable<[Key, unknown]>,
  limitsAt: (key: Key) => Limits,
  loc: JsonFault['loc'],
): JsonFault | undefined {
  for (const [key, value] of entries) {
    if (typeof value !== 'object') continue;
    const fault = beyond(value, limitsAt(key), [...loc, key]);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function tooBig(loc: JsonFault['loc'], most: number, what: string): JsonFault {
  return { loc, msg: `Must have at most ${most} ${what}`, type: 'too_big' };
}

/** How much a request may hold, read from its schema. */
import { z } from 'zod';

/** What is wrong with a JSON text, at the first fault: the way to it from the root, words, and a kind for programs. */
export interface JsonFault {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
}

/** Fields that any object of a request may have; what an operation takes has far fewer. */
export const MAX_FIELDS = 100;

/** What a value may hold where it is a list or an object; where a schema wants neither, nothing is said. */
export interface Limits {
  readonly list?: { readonly most: number; readonly each: Limits };
  readonly object?: { readonly fields: ReadonlyMap<string, Limits>; readonly others: Limits };
}

const UNBOUND: Limits = {};

/** The limits that a schema implies. A list without a limit of its own is a mistake of the contract and throws. */
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

/** The first list or object that holds more than it may, before anything in it is looked at (D3c). */
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

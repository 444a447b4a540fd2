import { z } from 'zod';
import { MAX_VALUES } from '../../../contract/json/measure.ts';
import { EXT_SCOPES } from '../../../contract/scopes.ts';
import { LISTS, SHAPES, TEXTS, WORST_LISTS, WORST_TEXTS } from './shapes.ts';

/** A request body with a name that says which expensive shape it has, and where. */
export interface HeavyBody {
  readonly name: string;
  readonly text: string;
}

/** Placeholder for a shape; occurs in no text of the contract. */
const HERE = '@here@';
const BODY = 'body';
/** What a field that no schema knows takes. */
const NOTHING = z.never();

/**
 * Every heavy shape that a schema gets to see at every place within a body where it takes anything, each as long as the
 * limit allows. Of fields that take the same the first stands for all, also for those of other schemas: `tried` contains
 * what they take. But every schema gets each shape once where that costs most: lists in a list, texts as a text.
 */
export function heavyBodies(schema: z.ZodTypeAny, bytes: number, tried = new Set<string>()): HeavyBody[] {
  const within = placesIn(schema).filter(([place]) => place !== BODY);
  const lists = within.find(([, , takes]) => takesParts(takes)) ?? within[0];
  const texts = within.find(([, , takes]) => unwrapped(takes) instanceof z.ZodString) ?? within[0];
  const bodies = within.flatMap((place) => {
    const [, , takes] = place;
    const isNew = !tried.has(definitionOf(takes));
    tried.add(definitionOf(takes));
    // What looks into no list refuses all lists alike; so do texts.
    const shapes = (isDearest: boolean, looks: boolean, all: typeof SHAPES, worst: typeof SHAPES) =>
      isDearest || (isNew && looks) ? all : isNew ? worst : {};
    const planting = {
      ...shapes(place === lists, takesParts(takes), LISTS, WORST_LISTS),
      ...shapes(place === texts, takesTexts(takes), TEXTS, WORST_TEXTS),
    };
    return planted(place, planting, bytes);
  });
  return [...bodies, ...fullBodies(schema)].filter(({ text }) => Buffer.byteLength(text) <= bytes);
}

/** Whether a schema may look into lists or objects. */
function takesParts(schema: z.ZodTypeAny): boolean {
  return !isOneOf(schema, z.ZodString, z.ZodNumber, z.ZodBoolean, z.ZodEnum, z.ZodNever);
}

/** Whether a schema may look into texts. */
function takesTexts(schema: z.ZodTypeAny): boolean {
  return !isOneOf(schema, z.ZodArray, z.ZodObject, z.ZodRecord, z.ZodNumber, z.ZodBoolean);
}

function isOneOf(schema: z.ZodTypeAny, ...kinds: readonly (abstract new (...given: never[]) => unknown)[]) {
  const inner = unwrapped(schema);
  return kinds.some((kind) => inner instanceof kind);
}

/** Every heavy shape in place of the body: what no operation with an object for its body reads any further. */
export function heavyInstead(bytes: number): HeavyBody[] {
  return planted([BODY, HERE], SHAPES, bytes);
}

function planted(
  [name, value]: readonly [string, unknown, ...unknown[]],
  shapes: typeof SHAPES,
  bytes: number,
): HeavyBody[] {
  const [before = '', after = ''] = JSON.stringify(value).split(JSON.stringify(HERE));
  return Object.entries(shapes).map(([shape, text]) => ({
    name: `${shape} at ${name}`,
    text: before + text(bytes - Buffer.byteLength(before + after)) + after,
  }));
}

type Place = readonly [name: string, value: unknown, takes: z.ZodTypeAny];

/** The value once for each position in it, with the placeholder there, and what takes it; the rest is valid. */
function placesIn(schema: z.ZodTypeAny, name = BODY): Place[] {
  const inner = unwrapped(schema);
  const here: Place = [name, HERE, schema];
  if (inner instanceof z.ZodArray) {
    const within = placesIn(inner.element, `${name}[]`);
    return [here, ...within.map(([at, value, takes]): Place => [at, [value], takes])];
  }
  if (inner instanceof z.ZodRecord) {
    const within = placesIn(inner.valueSchema, `${name}.*`);
    return [here, ...within.map(([at, value, takes]): Place => [at, { any: value }, takes])];
  }
  if (inner instanceof z.ZodUnion) {
    const lists = (inner.options as z.ZodTypeAny[]).filter((one) => one instanceof z.ZodArray);
    return [here, ...lists.flatMap((one) => placesIn(one, name).slice(1))];
  }
  if (!(inner instanceof z.ZodObject)) return [here];
  const example = exampleOf(schema);
  const fields = unlike(Object.entries<z.ZodTypeAny>(inner.shape)).flatMap(([field, of]) =>
    placesIn(of, `${name}.${field}`).map(
      ([at, value, takes]): Place => [at, { ...example, [field]: value }, takes],
    ),
  );
  return [here, ...fields, [`${name}.unknown`, { ...example, unknown: HERE }, NOTHING]];
}

/** The first of the fields with equal schemas. */
function unlike(fields: readonly (readonly [name: string, of: z.ZodTypeAny])[]) {
  const definitions = fields.map(([, of]) => definitionOf(of));
  return fields.filter((_, index) => definitions.indexOf(definitions[index] ?? '') === index);
}

/** A schema as text, with its parts, limits and checks, without its documentation. */
function definitionOf(schema: z.ZodTypeAny): string {
  return JSON.stringify(schema, (_, value: unknown) => {
    if (value instanceof z.ZodObject) return { fields: value.shape, unknown: value._def.unknownKeys };
    if (value instanceof z.ZodType) return value._def;
    return typeof value === 'function' || value instanceof RegExp ? String(value) : value;
  });
}

/** Valid bodies: every list, and every pair of lists, filled up to the maximum number of values of a body. */
function fullBodies(schema: z.ZodTypeAny): HeavyBody[] {
  const inner = unwrapped(schema);
  if (!(inner instanceof z.ZodObject)) return [];
  const lists = Object.entries<z.ZodTypeAny>(inner.shape).flatMap(([field, of]) => {
    const list = unwrapped(of);
    return list instanceof z.ZodArray ? [{ field, list }] : [];
  });
  const example = exampleOf(schema);
  return lists.flatMap((one, index) =>
    [undefined, ...lists.slice(index + 1)].map((other) => {
      const both = [one, ...(other === undefined ? [] : [other])];
      const most = Math.floor((MAX_VALUES - 20) / both.length);
      const full = both.map(({ field, list }) => [field, filled(list, most)]);
      return {
        name: `full ${both.map(({ field }) => field).join(' and ')}`,
        text: JSON.stringify({ ...example, ...Object.fromEntries(full) }),
      };
    }),
  );
}

function filled(list: z.ZodArray<z.ZodTypeAny>, most: number): unknown[] {
  const length = Math.min(most, list._def.maxLength?.value ?? most);
  const element = unwrapped(list.element);
  const make = (i: number) => {
    if (element instanceof z.ZodNumber) return i + 1;
    if (element instanceof z.ZodEnum) return EXT_SCOPES[i % EXT_SCOPES.length];
    if (element instanceof z.ZodString) return `${i} Nobody, né`.padEnd(40, '-');
    throw new Error(`There is nothing to fill a list of ${element.constructor.name} with`);
  };
  return Array.from({ length }, (_, i) => make(i));
}

function exampleOf(schema: z.ZodTypeAny): object {
  const { example } = (unmarked(schema) as { metaOpenApi?: { example?: object } }).metaOpenApi ?? {};
  return example ?? {};
}

/** The innermost schema that is no default; it has the documentation. */
function unmarked(schema: z.ZodTypeAny): z.ZodTypeAny {
  return schema instanceof z.ZodDefault ? unmarked(schema.removeDefault()) : schema;
}

function unwrapped(schema: z.ZodTypeAny): z.ZodTypeAny {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return unwrapped(schema.unwrap());
  if (schema instanceof z.ZodDefault) return unwrapped(schema.removeDefault());
  if (schema instanceof z.ZodEffects) return unwrapped(schema.innerType());
  return schema;
}

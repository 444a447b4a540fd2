/** Zod schemas as JSON Schema 2020-12, the dialect of OpenAPI 3.1, with named schemas as references. */
import { generateSchema, type OpenApiZodAny } from '@anatine/zod-openapi';
import type { z } from 'zod';
import * as exported from '../index.ts';
import type { JsonSchema } from './types.ts';
import { VOCABULARY } from './vocabulary.ts';

/** The generator's output: lists of types, `oneOf` for unions, `title` for components. */
type RawSchema = Omit<JsonSchema, 'properties' | 'items' | 'additionalProperties'> & {
  title?: string;
  example?: unknown;
  oneOf?: RawSchema[];
  properties?: Record<string, RawSchema>;
  items?: RawSchema;
  additionalProperties?: boolean | RawSchema;
};

/** Whether a schema is documented by its input (requests) or by its output (parameters: text that becomes a number). */
type Reading = 'sent' | 'meant';

const REF = '#/components/schemas/';

/** What was generated already: most operations answer with the same errors. */
const GENERATED: Readonly<Record<Reading, WeakMap<z.ZodTypeAny, RawSchema>>> = {
  sent: new WeakMap(),
  meant: new WeakMap(),
};

function raw(schema: z.ZodTypeAny, reading: Reading): RawSchema {
  const known = GENERATED[reading].get(schema);
  if (known !== undefined) return known;
  const generated = generateSchema(schema, reading === 'meant', '3.1') as RawSchema;
  GENERATED[reading].set(schema, generated);
  return generated;
}

let namedSchemas: ReadonlyMap<string, RawSchema> | undefined;

/** The named schemas of the contract, generated at the first call. */
function named(): ReadonlyMap<string, RawSchema> {
  if (namedSchemas === undefined) for (const _ of nameInSteps());
  return namedSchemas as ReadonlyMap<string, RawSchema>;
}

/** Generates the named schemas of the contract, one at a time: all of them take some hundredths of a second. */
export function* nameInSteps(): Generator<undefined, void> {
  if (namedSchemas !== undefined) return;
  const found = new Map<string, RawSchema>();
  for (const value of Object.values(exported)) {
    const meta = (value as OpenApiZodAny).metaOpenApi;
    if (meta === undefined || Array.isArray(meta) || meta.title === undefined) continue;
    if (found.has(meta.title)) throw new Error(`Two schemas of the contract are called ${meta.title}`);
    found.set(meta.title, raw(value as z.ZodTypeAny, 'sent'));
    yield;
  }
  namedSchemas = found;
}

/** The JSON Schema of a Zod schema. */
export function schemaOf(schema: z.ZodTypeAny, reading: Reading = 'sent'): JsonSchema {
  return tidy(raw(schema, reading));
}

/** Every named schema of the contract, by name, in alphabetical order. */
export function componentSchemas(): Record<string, JsonSchema> {
  const schemas = named();
  const names = [...schemas.keys()].sort();
  return Object.fromEntries(names.map((name) => [name, unnamed(schemas.get(name) as RawSchema)]));
}

/** The schemas that a part of the document refers to, directly or indirectly. */
export function schemasFor(part: unknown): Record<string, JsonSchema> {
  const all = componentSchemas();
  const wanted = new Set<string>();
  const collect = (from: unknown): void => {
    for (const [, name = ''] of JSON.stringify(from).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (wanted.has(name)) continue;
      wanted.add(name);
      collect(all[name]);
    }
  };
  collect(part);
  return Object.fromEntries(Object.entries(all).filter(([name]) => wanted.has(name)));
}

/** Converts a generated schema to the published form. */
function tidy(schema: RawSchema): JsonSchema {
  return schema.title === undefined ? unnamed(schema) : reference(schema, schema.title);
}

function unnamed(schema: RawSchema): JsonSchema {
  const { title: _, type, example, oneOf, properties, items, additionalProperties, ...rest } = schema;
  const tidied: JsonSchema = {};
  if (type !== undefined) tidied.type = Array.isArray(type) && type.length === 1 ? (type[0] as string) : type;
  Object.assign(tidied, rest);
  if (properties !== undefined) {
    tidied.properties = Object.fromEntries(
      Object.entries(properties).map(([key, of]) => [key, property(key, of)]),
    );
  }
  // A parameter that is read as a list may be documented as the text that is sent.
  if (items !== undefined && [type].flat().includes('array')) tidied.items = tidy(items);
  if (additionalProperties !== undefined) {
    tidied.additionalProperties =
      typeof additionalProperties === 'boolean' ? additionalProperties : tidy(additionalProperties);
  }
  if (oneOf !== undefined) {
    tidied.anyOf = flat(oneOf.map(tidy), Array.isArray(type));
    delete tidied.type;
  }
  if (example !== undefined) tidied.examples = [example];
  return tidied;
}

const NULL: JsonSchema = { type: 'null' };

/**
 * The members of a union, without unions in it, and null once and last: within an inner union generators overlook it,
 * and their clients fail on a null.
 */
function flat(members: readonly JsonSchema[], nullable: boolean): JsonSchema[] {
  const all = members.flatMap((member) =>
    Object.keys(member).join() === 'anyOf' ? (member.anyOf ?? []) : [member],
  );
  const others = all.filter(({ type }) => type !== 'null');
  return nullable || others.length < all.length ? [...others, NULL] : others;
}

/**
 * Adds a description where the field has none, and mentions a default in it: generators treat a field with a `default`
 * as required.
 */
function property(name: string, schema: RawSchema): JsonSchema {
  const { default: absent, description = VOCABULARY[name], ...tidied } = tidy(schema);
  const words = [description, absent !== undefined && `\`${JSON.stringify(absent)}\` where absent.`];
  const told = words.filter(Boolean).join(' ');
  return told === '' ? tidied : { ...tidied, description: told };
}

function reference(schema: RawSchema, title: string): JsonSchema {
  const original = named().get(title);
  if (original === undefined) throw new Error(`The schema ${title} is not exported by the contract`);
  const own =
    schema.description === original.description ? {} : { description: schema.description as string };
  const ref = { $ref: REF + title };
  const nullable = Array.isArray(schema.type) && schema.type.includes('null');
  return nullable ? { anyOf: [ref, { type: 'null' }], ...own } : { ...ref, ...own };
}

/** An example of a schema: its own, or one composed of its parts' examples. */
export function exampleOf(schema: JsonSchema): unknown {
  if (schema.examples !== undefined) return schema.examples[0];
  if (schema.$ref !== undefined) {
    const target = named().get(schema.$ref.slice(REF.length));
    return target?.example;
  }
  if (schema.anyOf?.[0] !== undefined) return exampleOf(schema.anyOf[0]);
  if (schema.items !== undefined) return [exampleOf(schema.items)];
  return schema.default;
}

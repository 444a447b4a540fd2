/** Generates Zod schemas of the contract's components from their JSON Schemas, for validation at run time. */
import { z } from 'zod';
import { GROWS } from '../../contract/common.ts';
import { componentSchemas, schemaOf, schemasFor } from '../../contract/openapi/schema.ts';
import type { JsonSchema } from '../../contract/openapi/types.ts';
import { operations } from '../../contract/openapi.ts';
import { docComment, literal } from './typescript.ts';

const HEAD = `// Written by \`npm run generate\` from the contract; changes here are lost.
import { z } from 'zod';

/** Counts characters as the service does, by code points: an emoji is one, and two UTF-16 units. */
const text = (least: number, most: number) =>
  z.string().regex(new RegExp(\`^[\\\\s\\\\S]{\${least},\${most}}$\`, 'u'), \`Must have \${least} to \${most} characters\`);

// The schemas name their types, because those that a compiler infers are written for one major version of Zod alone.
type Strings<T extends string> = z.ZodString extends { readonly _zod: unknown } ? { [K in T]: K } : [T, ...T[]];
type Enum<T extends string> = z.ZodEnum<Strings<T>>;
`;

/** A schema and its type, as both are written in TypeScript. */
interface Written {
  readonly value: string;
  readonly type: string;
}

const NULL: Written = { value: 'z.null()', type: 'z.ZodNull' };
const UNKNOWN: Written = { value: 'z.unknown()', type: 'z.ZodUnknown' };

/** Text of sdk/src/generated/zod.ts, with each component after those that it refers to. */
export function sdkZod(): string {
  const schemas = componentSchemas();
  const sent = schemasFor(bodies());
  const grows = Object.keys(sent).filter((name) => sent[name]?.description?.includes(GROWS));
  const written = new Map<string, string>();
  const write = (name: string) => {
    const schema = schemas[name];
    if (schema === undefined || written.has(name)) return;
    // What requests hold takes no values of later releases; what answers hold of it does, where they refer to it.
    const { value, type } = name in sent ? zodOf(schema, 0, []) : orLater(schema, zodOf(schema, 0, grows));
    for (const [, needed = ''] of JSON.stringify(schema).matchAll(/#\/components\/schemas\/(\w+)/g))
      write(needed);
    written.set(name, `${docComment(schema.description)}export const ${name}: ${type} = ${value};\n`);
  };
  for (const name of Object.keys(schemas)) write(name);
  return [HEAD, ...written.values()].join('\n');
}

function bodies(): JsonSchema[] {
  return operations().flatMap(({ route }) =>
    'body' in route && route.body instanceof z.ZodType ? [schemaOf(route.body)] : [],
  );
}

function orLater({ description }: JsonSchema, written: Written): Written {
  return description?.includes(GROWS) ? withLater(written) : written;
}

/** Lets values of later releases through. The type stays that of the SDK, whose answers may hold them, too. */
function withLater({ value, type }: Written): Written {
  return {
    value: `${value}.or(z.string() as unknown as z.ZodNever)`,
    type: `z.ZodUnion<[${type}, z.ZodNever]>`,
  };
}

const INDENT = '  ';

/** `open` are the components of which values of later releases are let through here. */
function zodOf(schema: JsonSchema, depth: number, open: readonly string[]): Written {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.slice('#/components/schemas/'.length);
    const known = { value: name, type: `typeof ${name}` };
    return open.includes(name) ? withLater(known) : known;
  }
  if (schema.anyOf !== undefined) return unionOf(schema.anyOf.map((of) => zodOf(of, depth, open)));
  if (schema.enum !== undefined) return enumOf(schema.enum, depth);
  if (schema.type === undefined) return UNKNOWN;
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  return unionOf(types.map((type) => named(type, schema, depth, open)));
}

function unionOf(members: readonly Written[]): Written {
  const others = members.filter((member) => member !== NULL);
  const [first = NULL, second] = others;
  const list = (key: keyof Written) => others.map((member) => member[key]).join(', ');
  const union =
    second === undefined
      ? first
      : { value: `z.union([${list('value')}])`, type: `z.ZodUnion<[${list('type')}]>` };
  if (first === NULL || members.length === others.length) return union;
  return { value: `${union.value}.nullable()`, type: `z.ZodNullable<${union.type}>` };
}

function enumOf(values: readonly unknown[], depth: number): Written {
  const literals = values.map(literal);
  if (values.some((value) => typeof value !== 'string')) {
    return unionOf(literals.map((of) => ({ value: `z.literal(${of})`, type: `z.ZodLiteral<${of}>` })));
  }
  const type = `Enum<${literals.join(' | ')}>`;
  if (values.length <= 3) return { value: `z.enum([${literals.join(', ')}])`, type };
  const indent = INDENT.repeat(depth);
  const lines = literals.map((of) => `${indent}${INDENT}${of},\n`).join('');
  return { value: `z.enum([\n${lines}${indent}])`, type };
}

function named(type: string, schema: JsonSchema, depth: number, open: readonly string[]): Written {
  switch (type) {
    case 'null':
      return NULL;
    case 'boolean':
      return { value: 'z.boolean()', type: 'z.ZodBoolean' };
    case 'integer':
      return { value: `z.number().int()${bounds(schema.minimum, schema.maximum)}`, type: 'z.ZodNumber' };
    case 'number':
      return { value: `z.number()${bounds(schema.minimum, schema.maximum)}`, type: 'z.ZodNumber' };
    case 'string':
      return {
        value: `${textOf(schema)}${schema.format === 'date-time' ? '.datetime()' : ''}${schema.pattern === undefined ? '' : `.regex(new RegExp(${literal(schema.pattern)}))`}`,
        type: 'z.ZodString',
      };
    case 'array': {
      const items = zodOf(schema.items ?? {}, depth, open);
      return {
        value: `z.array(${items.value})${bounds(schema.minItems, schema.maxItems)}`,
        type: `z.ZodArray<${items.type}>`,
      };
    }
    case 'object':
      return objectOf(schema, depth, open);
    default:
      throw new Error(`no Zod schema for the type ${type}`);
  }
}

function textOf({ minLength, maxLength }: JsonSchema): string {
  return maxLength === undefined
    ? `z.string()${bounds(minLength, undefined)}`
    : `text(${minLength ?? 0}, ${maxLength})`;
}

function bounds(least: number | undefined, most: number | undefined): string {
  return `${least === undefined ? '' : `.min(${least})`}${most === undefined ? '' : `.max(${most})`}`;
}

function objectOf(schema: JsonSchema, depth: number, open: readonly string[]): Written {
  if (schema.properties === undefined) {
    const given = schema.additionalProperties;
    const { value, type } = typeof given === 'object' ? zodOf(given, depth, open) : UNKNOWN;
    return { value: `z.record(z.string(), ${value})`, type: `z.ZodRecord<z.ZodString, ${type}>` };
  }
  const required = new Set(schema.required);
  const indent = INDENT.repeat(depth + 1);
  const fields = Object.entries(schema.properties).map(([name, field]) => {
    const { value, type } = orLater(field, zodOf(field, depth + 1, open));
    const doc = docComment(field.description, depth + 1);
    return required.has(name)
      ? { value: `${indent}${name}: ${value},\n`, type: `${doc}${indent}${name}: ${type};\n` }
      : {
          value: `${indent}${name}: ${value}.optional(),\n`,
          type: `${doc}${indent}${name}: z.ZodOptional<${type}>;\n`,
        };
  });
  const lines = (key: keyof Written) =>
    `{\n${fields.map((field) => field[key]).join('')}${INDENT.repeat(depth)}}`;
  return { value: `z.object(${lines('value')})`, type: `z.ZodObject<${lines('type')}>` };
}

/** Generates Zod schemas of the contract's components from their JSON Schemas, for validation at run time. */
import { GROWS } from '../../contract/common.ts';
import { componentSchemas } from '../../contract/openapi/schema.ts';
import type { JsonSchema } from '../../contract/openapi/types.ts';
import { docComment, literal } from './typescript.ts';

const HEAD = `// Written by \`npm run generate\` from the contract; changes here are lost.
import { z } from 'zod';

/** Counts characters as the service does, by code points: an emoji is one, and two UTF-16 units. */
const text = (least: number, most: number) =>
  z.string().regex(new RegExp(\`^[\\\\s\\\\S]{\${least},\${most}}$\`, 'u'), \`Must have \${least} to \${most} characters\`);
`;

/** Lets values of later releases through. The type stays that of the SDK, whose answers may hold them, too. */
const OR_LATER = '.or(z.string() as unknown as z.ZodType<never>)';

/** Text of sdk/src/generated/zod.ts, with each component after those that it refers to. */
export function sdkZod(): string {
  const schemas = componentSchemas();
  const written = new Map<string, string>();
  const write = (name: string) => {
    const schema = schemas[name];
    if (schema === undefined || written.has(name)) return;
    const text = zodOf(schema, 0) + orLater(schema);
    for (const [, needed = ''] of JSON.stringify(schema).matchAll(/#\/components\/schemas\/(\w+)/g))
      write(needed);
    written.set(name, `${docComment(schema.description)}export const ${name} = ${text};\n`);
  };
  for (const name of Object.keys(schemas)) write(name);
  return [HEAD, ...written.values()].join('\n');
}

function orLater({ description }: JsonSchema): string {
  return description?.includes(GROWS) ? OR_LATER : '';
}

const INDENT = '  ';

function zodOf(schema: JsonSchema, depth: number): string {
  if (schema.$ref !== undefined) return schema.$ref.slice('#/components/schemas/'.length);
  if (schema.anyOf !== undefined) return unionOf(schema.anyOf.map((of) => zodOf(of, depth)));
  if (schema.enum !== undefined) return enumOf(schema.enum, depth);
  if (schema.type === undefined) return 'z.unknown()';
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  return unionOf(types.map((type) => named(type, schema, depth)));
}

function unionOf(members: readonly string[]): string {
  const others = members.filter((member) => member !== 'z.null()');
  if (others.length === 0) return 'z.null()';
  const union = others.length === 1 ? others[0] : `z.union([${others.join(', ')}])`;
  return members.length > others.length ? `${union}.nullable()` : `${union}`;
}

function enumOf(values: readonly unknown[], depth: number): string {
  const indent = INDENT.repeat(depth);
  if (values.some((value) => typeof value !== 'string')) {
    return unionOf(values.map((value) => `z.literal(${literal(value)})`));
  }
  if (values.length <= 3) return `z.enum([${values.map(literal).join(', ')}])`;
  return `z.enum([\n${values.map((value) => `${indent}${INDENT}${literal(value)},\n`).join('')}${indent}])`;
}

function named(type: string, schema: JsonSchema, depth: number): string {
  switch (type) {
    case 'null':
      return 'z.null()';
    case 'boolean':
      return 'z.boolean()';
    case 'integer':
      return `z.number().int()${bounds(schema.minimum, schema.maximum)}`;
    case 'number':
      return `z.number()${bounds(schema.minimum, schema.maximum)}`;
    case 'string':
      return `${textOf(schema)}${schema.format === 'date-time' ? '.datetime()' : ''}${schema.pattern === undefined ? '' : `.regex(new RegExp(${literal(schema.pattern)}))`}`;
    case 'array':
      return `z.array(${zodOf(schema.items ?? {}, depth)})${bounds(schema.minItems, schema.maxItems)}`;
    case 'object':
      return objectOf(schema, depth);
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

function objectOf(schema: JsonSchema, depth: number): string {
  if (schema.properties === undefined) {
    const values = schema.additionalProperties;
    return `z.record(z.string(), ${typeof values === 'object' ? zodOf(values, depth) : 'z.unknown()'})`;
  }
  const required = new Set(schema.required);
  const fields = Object.entries(schema.properties).map(([name, field]) => {
    const indent = INDENT.repeat(depth + 1);
    const optional = required.has(name) ? '' : '.optional()';
    return `${docComment(field.description, depth + 1)}${indent}${name}: ${zodOf(field, depth + 1)}${orLater(field)}${optional},\n`;
  });
  return `z.object({\n${fields.join('')}${INDENT.repeat(depth)}})`;
}

/** JSON Schema as TypeScript types. */
import type { JsonSchema } from '../../contract/openapi/types.ts';

const INDENT = '  ';

/** The TypeScript type of a schema; `depth` is the indentation of the surrounding text. */
export function typeOf(schema: JsonSchema, depth = 0): string {
  if (schema.$ref !== undefined) return schema.$ref.slice('#/components/schemas/'.length);
  if (schema.anyOf !== undefined) return schema.anyOf.map((of) => typeOf(of, depth)).join(' | ');
  if (schema.enum !== undefined) return schema.enum.map(literal).join(' | ');
  if (schema.type === undefined) return 'unknown';
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  return types.map((type) => named(type, schema, depth)).join(' | ');
}

function named(type: string, schema: JsonSchema, depth: number): string {
  switch (type) {
    case 'integer':
      return 'number';
    case 'array': {
      const items = typeOf(schema.items ?? {}, depth);
      return items.includes(' | ') ? `(${items})[]` : `${items}[]`;
    }
    case 'object':
      return objectType(schema, depth);
    default:
      return type;
  }
}

function objectType(schema: JsonSchema, depth: number): string {
  if (schema.properties !== undefined) return `{\n${fieldsOf(schema, depth + 1)}${INDENT.repeat(depth)}}`;
  const values = schema.additionalProperties;
  return `Record<string, ${typeof values === 'object' ? typeOf(values, depth) : 'unknown'}>`;
}

/** The fields of an object, at least one line each. */
export function fieldsOf(schema: JsonSchema, depth: number): string {
  const required = new Set(schema.required);
  return Object.entries(schema.properties ?? {})
    .map(([name, field]) => {
      const indent = INDENT.repeat(depth);
      const type = typeOf(field, depth);
      const declared = required.has(name) ? `${name}: ${type}` : `${name}?: ${type} | undefined`;
      return `${docComment(field.description, depth)}${indent}${declared};\n`;
    })
    .join('');
}

/** A JSDoc comment with its line end; empty without a text. */
export function docComment(text: string | undefined, depth = 0): string {
  if (text === undefined || text === '') return '';
  const indent = INDENT.repeat(depth);
  const lines = text.replaceAll('*/', '*\\/').split('\n');
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  const body = lines.map((line) => `${indent} *${line === '' ? '' : ` ${line}`}\n`).join('');
  return `${indent}/**\n${body}${indent} */\n`;
}

/** A value as a TypeScript literal, strings in single quotes. */
export function literal(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

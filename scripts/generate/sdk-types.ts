/** Generates the SDK's types as plain interfaces, so that its users do not need Zod. */
import { z } from 'zod';
import { componentSchemas, schemaOf } from '../../contract/openapi/schema.ts';
import { TAGS } from '../../contract/openapi/texts.ts';
import type { JsonSchema } from '../../contract/openapi/types.ts';
import { accessSentence, type Operation, operations } from '../../contract/openapi.ts';
import { grouped } from './grouped.ts';
import { queryOf } from './query-of.ts';
import { docComment, fieldsOf, typeOf } from './typescript.ts';

const HEAD = `// Written by \`npm run generate\` from the contract; changes here are lost.
import type { Answer, CallOptions } from '../call.ts';
`;

/** Text of sdk/src/generated/types.ts. */
export function sdkTypes(): string {
  const all = operations();
  const sections = [
    HEAD,
    ...Object.entries(componentSchemas()).map(([name, schema]) => component(name, schema)),
    ...all.flatMap((operation) => [requestType(operation), answerType(operation)]),
    api(all),
  ];
  return sections.filter((section) => section !== '').join('\n');
}

function component(name: string, schema: JsonSchema): string {
  const doc = docComment(schema.description);
  return schema.properties === undefined
    ? `${doc}export type ${name} =${alternatives(typeOf(schema))};\n`
    : `${doc}export interface ${name} {\n${fieldsOf(schema, 1)}}\n`;
}

/** A long union with one member per line, anything else on the same line. */
function alternatives(type: string): string {
  const members = type.split(' | ');
  return members.length > 3 ? members.map((member) => `\n  | ${member}`).join('') : ` ${type}`;
}

function typeName({ metadata: { operationId } }: Operation, suffix: string): string {
  return `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}${suffix}`;
}

// Requests -------------------------------------------------------------------------------------------------

interface Group {
  readonly key: 'params' | 'query' | 'headers' | 'body';
  readonly type: string;
  readonly required: boolean;
}

function groupsOf({ route, metadata }: Operation): Group[] {
  const body = 'body' in route && route.body instanceof z.ZodType ? route.body : undefined;
  return [
    ...parameters('params', shapeOf(route.pathParams)),
    ...parameters('query', queryOf(route, metadata)),
    ...parameters('headers', shapeOf(route.headers)),
    ...(body === undefined
      ? []
      : [{ key: 'body' as const, type: typeOf(schemaOf(body), 1), required: !body.isOptional() }]),
  ];
}

function shapeOf(group: unknown): [string, z.ZodTypeAny][] {
  return group instanceof z.ZodObject ? Object.entries(group.shape as z.ZodRawShape) : [];
}

function parameters(key: Group['key'], shape: readonly [string, z.ZodTypeAny][]): Group[] {
  if (shape.length === 0) return [];
  const required = shape.filter(([, of]) => !of.isOptional()).map(([name]) => name);
  const properties = Object.fromEntries(shape.map(([name, of]) => [name, schemaOf(of, 'meant')]));
  const fields = fieldsOf({ properties, required }, 2);
  const others = key === 'headers' ? '    [name: string]: string | number | undefined;\n' : '';
  return [{ key, type: `{\n${fields}${others}  }`, required: required.length > 0 }];
}

function requestType(operation: Operation): string {
  const groups = groupsOf(operation);
  if (groups.length === 0) return '';
  const fields = groups.map(({ key, type, required }) =>
    required ? `  ${key}: ${type};\n` : `  ${key}?: ${type} | undefined;\n`,
  );
  const base = groups.some(({ key }) => key === 'headers') ? "Omit<CallOptions, 'headers'>" : 'CallOptions';
  return `export interface ${typeName(operation, 'Request')} extends ${base} {\n${fields.join('')}}\n`;
}

// Answers --------------------------------------------------------------------------------------------------

function answerType(operation: Operation): string {
  const byBody = grouped(Object.entries(operation.route.responses), ([, response]) => bodyType(response));
  const members = [...byBody].map(
    ([body, statuses]) => `\n  | Answer<${statuses.map(([status]) => status).join(' | ')}, ${body}>`,
  );
  return `export type ${typeName(operation, 'Answer')} =${members.join('')};\n`;
}

function bodyType(response: unknown): string {
  if (response instanceof z.ZodType) return typeOf(schemaOf(response));
  return typeof response === 'symbol' ? 'undefined' : 'string';
}

// Client ---------------------------------------------------------------------------------------------------

function api(all: readonly Operation[]): string {
  const resources = [...grouped(all, ({ resource }) => resource)].map(([resource, of]) => {
    const about = TAGS.find(({ name }) => name === resource)?.description;
    return `${docComment(about, 1)}  readonly ${resource}: {\n${of.map(method).join('')}  };\n`;
  });
  return `${docComment('Every operation of the service, under the names of its contract.')}export interface Api {\n${resources.join('')}}\n`;
}

function method(operation: Operation): string {
  const { name, route, metadata } = operation;
  const groups = groupsOf(operation);
  const type = groups.length === 0 ? 'CallOptions' : typeName(operation, 'Request');
  const request = groups.some(({ required }) => required) ? `request: ${type}` : `request?: ${type}`;
  const doc = `${route.summary}.\n\n${route.description}\n\nAccess: ${accessSentence(metadata.access)}`;
  const answer = typeName(operation, 'Answer');
  const signature = metadata.previews
    ? `readonly ${name}: ((${request}) => Promise<${answer}>) & {\n${preview(request, operation)}    };`
    : `${name}(${request}): Promise<${answer}>;`;
  return `${docComment(doc, 2)}    ${signature}\n`;
}

function preview(request: string, operation: Operation): string {
  const doc = 'Answers who would gain or lose what, and changes nothing.';
  const failures = `Exclude<${typeName(operation, 'Answer')}, { readonly status: 200 }>`;
  return `${docComment(doc, 3)}      preview(${request}): Promise<Answer<200, Preview> | ${failures}>;\n`;
}

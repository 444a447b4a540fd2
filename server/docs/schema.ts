/** Renders JSON Schemas as text and lists. */
import type { JsonSchema } from '../../contract/openapi.ts';
import { html, type Inserted, Markup } from '../shared/html.ts';
import { renderMarkdown } from './markdown.ts';

const REF = '#/components/schemas/';

/** The anchor of a schema on the page. */
export function schemaId(name: string): string {
  return `schema-${name}`;
}

/** The type of a value on one line; named schemas are links. */
export function typeOf(schema: JsonSchema): Markup {
  const { $ref, anyOf, enum: values, items, type, contentSchema } = schema;
  if ($ref !== undefined) {
    const name = $ref.slice(REF.length);
    return html`<a href="#${schemaId(name)}">${name}</a>`;
  }
  if (anyOf !== undefined) return joined(anyOf.map(typeOf), ' or ');
  if (values !== undefined) {
    return joined(
      values.map((value) => html`<code>${JSON.stringify(value)}</code>`),
      ' or ',
    );
  }
  if (contentSchema !== undefined) return html`text that holds JSON: ${typeOf(contentSchema)}`;
  const types = [type ?? 'anything'].flat().map((name) => {
    if (name === 'array') return items === undefined ? html`list` : html`list of ${typeOf(items)}`;
    return html`${name}${schema.format !== undefined && ` (${schema.format})`}`;
  });
  return html`${joined(types, ' or ')}${bounds(schema)}`;
}

function joined(parts: readonly Markup[], by: string): Markup {
  return new Markup(parts.map(({ text }) => text).join(by));
}

function bounds({ pattern, ...schema }: JsonSchema): Inserted {
  const ranges = [
    range(schema.minimum, schema.maximum, ''),
    range(schema.minLength, schema.maxLength, ' characters'),
    range(undefined, schema.maxItems, ' elements'),
    range(undefined, schema.maxProperties, ' fields'),
  ];
  return [
    ranges.filter(Boolean).map((words) => `, ${words}`),
    pattern !== undefined && html`, as <code>${pattern}</code>`,
  ];
}

function range(least: number | undefined, most: number | undefined, unit: string): string {
  if (least !== undefined && most !== undefined) return `${least} to ${most}${unit}`;
  if (most !== undefined) return `at most ${most}${unit}`;
  return least === undefined ? '' : `at least ${least}${unit}`;
}

/** The fields of an object and of nested objects; nothing for any other schema. */
export function fieldsOf(schema: JsonSchema): Inserted {
  const { properties, required = [], items, anyOf = [] } = schema;
  if (properties === undefined) return [...(items ? [items] : []), ...anyOf].map(fieldsOf);
  const fields = Object.entries(properties).map(([name, of]) =>
    field({ name, schema: of, description: of.description, optional: !required.includes(name) }),
  );
  return html`<ul class="fields">${fields}</ul>`;
}

interface Field {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly description: string | undefined;
  readonly optional: boolean;
  readonly where?: string;
}

/** One field or parameter: name, type, whether it is optional, description. */
export function field({ name, schema, description, optional, where }: Field): Markup {
  return html`<li><code class="name">${name}</code> <span class="type">${typeOf(schema)}${
    where !== undefined && `, in the ${where}`
  }${optional && ', may be left out'}</span>${
    description !== undefined && renderMarkdown(description).markup
  }${fieldsOf(schema)}</li>
`;
}

/** A value as JSON. */
export function jsonExample(value: unknown): Markup {
  return html`<pre><code>${typeof value === 'string' ? value : JSON.stringify(value, null, 2)}</code></pre>`;
}

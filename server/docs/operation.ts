/** Renders one operation of the OpenAPI document: description, access, parameters, answers. */
import {
  accessSentence,
  type OpenApiDocument,
  type OpenApiExample,
  type OpenApiOperation,
  type OpenApiResponse,
} from '../../contract/openapi.ts';
import { html, type Inserted, type Markup } from '../shared/html.ts';
import type { Described } from './described.ts';
import { renderInline, renderMarkdown } from './markdown.ts';
import { field, fieldsOf, jsonExample, typeOf } from './schema.ts';
import { tryItOut } from './try-it-out.ts';

/** Components that references in the document may point to. */
export type Components = Pick<OpenApiDocument['components'], 'responses' | 'examples'>;

/** The anchor of the error codes of a status. */
export function codesId(status: string): string {
  return `codes-${status}`;
}

export function methodBadge(method: string): Markup {
  return html`<span class="method ${method.toLowerCase()}">${method}</span>`;
}

export function operationArticle(described: Described, components: Components, callable = true): Markup {
  const { method, path, operation } = described;
  const { operationId, summary, description, parameters = [], requestBody } = operation;
  // The access rule is removed from the description, as it is shown separately.
  const [about = ''] = description.split('\n\n**Access:**');
  return html`<article id="${operationId}">
<h3><a href="#${operationId}">${summary}</a></h3>
<p class="route">${methodBadge(method)} <code>${path}</code></p>
${renderMarkdown(about).markup}
${access(operation)}
${
  parameters.length > 0 &&
  html`<h4>Parameters</h4>
<ul class="fields">${parameters.map((parameter) => field({ ...parameter, optional: !parameter.required, where: parameter.in }))}</ul>`
}
${requestBody !== undefined && body(requestBody)}
<h4>Answers</h4>
<ul class="answers">${Object.entries(operation.responses).map(([status, response]) => answer(status, response, components))}</ul>
${callable && tryItOut(described)}
</article>
`;
}

function access({ 'x-access': rule, security }: OpenApiOperation): Inserted {
  if (rule === undefined) return security.length === 0 && html`<p class="access">Needs no token.</p>`;
  const sentence = accessSentence(rule);
  const words = `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}`;
  return html`<div class="access"><h4>Access</h4>${renderMarkdown(words).markup}</div>`;
}

function body({ required, content }: NonNullable<OpenApiOperation['requestBody']>): Inserted {
  return Object.entries(content).map(
    ([type, { schema, example }]) => html`<h4>Body</h4>
<p><code>${type}</code>: ${typeOf(schema)}${!required && ', may be left out'}</p>
${fieldsOf(schema)}
${jsonExample(example)}
`,
  );
}

function answer(
  status: string,
  listed: OpenApiResponse | { $ref: string },
  { responses, examples: shared }: Components,
): Markup {
  const response = '$ref' in listed ? responses[named(listed)] : listed;
  if (response === undefined) throw new Error(`No response in the document for ${JSON.stringify(listed)}`);
  const { description, content = {} } = response;
  const isError = !/^[23]/.test(status);
  return html`<li><span class="status${isError && ' error'}">${status}</span> ${renderInline(description)}
${Object.entries(content).map(([type, { schema, example, examples = {} }]) =>
  isError
    ? errorExamples(status, Object.entries(examples), shared)
    : html`<p>${type !== 'application/json' && html`<code>${type}</code>: `}${typeOf(schema)}</p>
<details><summary>Example</summary>${jsonExample(example)}</details>`,
)}</li>
`;
}

/** Examples of errors: they differ little, so the codes and one message are shown. */
function errorExamples(
  status: string,
  listed: readonly [code: string, OpenApiExample | { $ref: string }][],
  shared: Components['examples'],
): Inserted {
  const [[code, given] = [], ...others] = listed;
  if (given === undefined) return undefined;
  const { value } = '$ref' in given ? (shared[named(given)] as OpenApiExample) : given;
  const { detail } = value as { readonly detail: unknown };
  const words = typeof detail === 'string' ? detail : JSON.stringify(detail);
  const all = /^\d+$/.test(status) && html` (<a href="#${codesId(status)}">all codes of ${status}</a>)`;
  return html`<p class="example">Such as <code>${code}</code>: ${words}${others.length > 0 && html` Or ${others.map(([code]) => html`<code>${code}</code> `)}`}${all}</p>`;
}

function named({ $ref }: { readonly $ref: string }): string {
  return $ref.split('/').at(-1) ?? '';
}

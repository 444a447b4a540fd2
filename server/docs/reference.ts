/** The API reference: the whole OpenAPI document on one page. */
import { setImmediate } from 'node:timers/promises';
import { ERROR_CODES, type ErrorCode } from '../../contract/error-codes.ts';
import type { JsonSchema, OpenApiDocument, Tag } from '../../contract/openapi.ts';
import { html, type Markup } from '../shared/html.ts';
import { type Described, describedIn } from './described.ts';
import { guidePath, layout, navigation, type Site } from './layout.ts';
import { renderInline, renderMarkdown } from './markdown.ts';
import { type Components, codesId, methodBadge, operationArticle } from './operation.ts';
import { fieldsOf, jsonExample, schemaId, typeOf } from './schema.ts';

/** Renders one section at a time, with the event loop free in between: the whole takes some tenths of a second. */
export async function referencePage(site: Site, document: OpenApiDocument): Promise<string> {
  const { info, tags, components, webhooks } = document;
  const operations = describedIn(document.paths);
  const sent = describedIn(webhooks);
  const schemas = Object.entries(components.schemas);
  const ofTag = ({ name }: Tag) => operations.filter(({ operation }) => operation.tags[0] === name);
  const sections: Markup[] = [];
  for (const tag of tags) {
    sections.push(tagSection(site, tag, ofTag(tag), components));
    await setImmediate();
  }
  return layout(site, {
    title: 'Reference',
    path: '/docs',
    contents: html`<div class="search" role="search" hidden>
<label for="search">Find an operation or a schema</label>
<input id="search" type="search" autocomplete="off" spellcheck="false">
<p id="found" role="status"></p>
</div>
${tags.map((tag) => navigation(`tag-${tag.name}`, tag.name, ofTag(tag).map(operationLink)))}
${navigation('webhooks', 'Webhooks', sent.map(operationLink))}
${navigation('more', 'Errors and schemas', [
  html`<li><a href="#codes">Error codes</a></li>`,
  ...schemas.map(([name]) => html`<li data-find="${name}"><a href="#${schemaId(name)}">${name}</a></li>`),
])}`,
    main: html`<h1>Reference</h1>
<p class="lead">${info.title} ${info.version}: ${info.summary}</p>
<p>The same for programs: <a href="${site.base}/openapi.yaml">openapi.yaml</a>, <a href="${site.base}/openapi.json">openapi.json</a>.
Sources and questions: <a href="${info.contact.url}">${info.contact.name}</a>.</p>
<form class="token" hidden>
<label for="token">Token to try operations with</label>
<input id="token" type="password" autocomplete="off" spellcheck="false" aria-describedby="token-kept">
<button type="button" id="forget">Forget it</button>
<p id="token-kept">Kept in this tab alone, until it is closed.</p>
</form>
${renderMarkdown(info.description).markup}
${sections}
<section><h2 id="webhooks">Webhooks</h2>
<p>Requests that the service makes.</p>
${sent.map((described) => operationArticle(described, components, false))}</section>
<section><h2 id="codes">Error codes</h2>
<p>Each error answer carries one of these as <code>code</code>.</p>
${codeLists()}</section>
<section><h2 id="schemas">Schemas</h2>
${schemas.map(([name, schema]) => schemaArticle(name, schema))}</section>`,
  });
}

function operationLink({ method, path, operation: { operationId, summary } }: Described): Markup {
  return html`<li data-find="${method} ${path} ${operationId}"><a href="#${operationId}">${methodBadge(method)} ${summary}</a></li>
`;
}

function tagSection(
  { base, guides }: Site,
  { name, description, externalDocs }: Tag,
  operations: readonly Described[],
  components: Components,
): Markup {
  const guide = guides.find((it) => externalDocs?.url.endsWith(`/${it.name}.md`));
  return html`<section><h2 id="tag-${name}">${name}</h2>
<p>${renderInline(description)}${guide && html` More in the guide: <a href="${base}${guidePath(guide.name)}">${guide.title}</a>.`}</p>
${operations.map((described) => operationArticle(described, components))}</section>
`;
}

function codeLists(): Markup[] {
  const codes = Object.entries(ERROR_CODES) as [ErrorCode, readonly [number | string, string]][];
  const statuses = [...new Set(codes.map(([, [status]]) => status))];
  return statuses.map((status) => {
    const listed = codes.filter(([, [of]]) => of === status);
    const title = typeof status === 'number' ? status : 'With the status of the provider';
    return html`<h3 id="${codesId(String(status).replaceAll(' ', '-'))}">${title}</h3>
<ul class="fields">${listed.map(([code, [, meaning]]) => html`<li><code class="name">${code}</code> ${renderInline(meaning)}</li>`)}</ul>
`;
  });
}

function schemaArticle(name: string, schema: JsonSchema): Markup {
  const { description = '', ...shape } = schema;
  const [example] = schema.examples ?? [];
  return html`<article id="${schemaId(name)}"><h3><a href="#${schemaId(name)}">${name}</a></h3>
${renderMarkdown(description).markup}
${schema.properties === undefined ? html`<p>${typeOf(shape)}</p>` : fieldsOf(schema)}
${example !== undefined && html`<details><summary>Example of ${name}</summary>${jsonExample(example)}</details>`}
</article>
`;
}

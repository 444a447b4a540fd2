import type { OpenApiParameter } from '../../contract/openapi.ts';
import { html, type Inserted, type Markup } from '../shared/html.ts';
import type { Described } from './described.ts';

/** A form whose content the page's script sends as a request; hidden without JavaScript. */
export function tryItOut({ method, path, operation }: Described): Inserted {
  const { operationId, parameters = [], requestBody, security } = operation;
  const body = requestBody?.content['application/json'];
  const id = (name: string) => `try-${operationId}-${name}`;
  return html`<details class="try" hidden><summary>Try it: ${operation.summary}</summary>
<form data-method="${method}" data-path="${path}"${security.length > 0 && html` data-token`}>
${parameters.map((parameter) => input(id(parameter.name), parameter))}
${
  body !== undefined &&
  html`<label for="${id('body')}">Body</label>
<textarea id="${id('body')}" name="body" rows="8" spellcheck="false">${JSON.stringify(body.example, null, 2)}</textarea>`
}
<button type="submit">Send</button>
<div class="outcome" role="status"></div>
</form>
</details>`;
}

function input(id: string, { name, in: where, required, example }: OpenApiParameter): Markup {
  const words = `${name}, in the ${where}${required ? '' : ', may be left out'}`;
  return html`<label for="${id}">${words}</label>
<input id="${id}" data-in="${where}" data-name="${name}" value="${required && String(example)}" placeholder="${String(example)}"${required && html` required`} autocomplete="off" spellcheck="false">
`;
}

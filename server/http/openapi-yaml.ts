import { stringify } from 'yaml';
import type { OpenApiDocument } from '../../contract/openapi.ts';

const texts = new WeakMap<OpenApiDocument, string>();

/** The OpenAPI document as YAML; deterministic, so equal contracts give equal text. */
export function openApiYaml(document: OpenApiDocument): string {
  const text = texts.get(document) ?? stringify(document, { lineWidth: 0, aliasDuplicateObjects: false });
  texts.set(document, text);
  return text;
}

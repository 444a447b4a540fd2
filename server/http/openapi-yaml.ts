import { stringify } from 'yaml';
import type { OpenApiDocument } from '../../contract/openapi.ts';

const texts = new WeakMap<OpenApiDocument, string>();

/** The OpenAPI document as YAML, the same for the same contract. */
export function openApiYaml(document: OpenApiDocument): string {
  const text = texts.get(document) ?? stringify(document, { lineWidth: 0, aliasDuplicateObjects: false });
  texts.set(document, text);
  return text;
}

import { stringify } from 'yaml';
import type { OpenApiDocument } from '../../contract/openapi.ts';

const texts = new WeakMap<OpenApiDocument, string>();

/**
 * Quotes what readers of YAML 1.1, as in Python, Java and Ruby, would else take for something else than text: `yes` and
 * `no` for booleans, times for dates.
 */
const OPTIONS = { lineWidth: 0, aliasDuplicateObjects: false, compat: 'yaml-1.1' };

/** The OpenAPI document as YAML; deterministic, so equal contracts give equal text. */
export function openApiYaml(document: OpenApiDocument): string {
  const text = texts.get(document) ?? stringify(document, OPTIONS);
  texts.set(document, text);
  return text;
}

import { stringify } from 'yaml';
import type { OpenApiDocument } from '../../contract/openapi.ts';

/** The OpenAPI document as YAML, the same for the same contract. */
export function openApiYaml(document: OpenApiDocument): string {
  return stringify(document, { lineWidth: 0, aliasDuplicateObjects: false });
}

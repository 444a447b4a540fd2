/** Reads JSON from clients at a cost that the operation limits, not the client (D3c). */
import { beyond, type JsonFault, type Limits } from './limits.ts';
import { measure } from './measure.ts';

export type JsonRead = { readonly value: unknown } | { readonly fault: JsonFault };

/**
 * Checks in order of cost: number of values and nesting on the raw text, then parsing, then the size of each list and
 * object, before the schema validates the contents.
 */
export function readJson(text: string, limits: Limits): JsonRead {
  const excess = measure(text);
  if (excess !== undefined) return { fault: { loc: [], ...excess } };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { fault: { loc: [], msg: 'Must be valid JSON', type: 'json_invalid' } };
  }
  const fault = beyond(value, limits);
  return fault === undefined ? { value } : { fault };
}

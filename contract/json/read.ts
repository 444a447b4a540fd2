/** JSON as clients send it, read at a cost that the operation bounds and not the client (D3c). */
import { beyond, type JsonFault, type Limits } from './limits.ts';
import { measure } from './measure.ts';

export type JsonRead = { readonly value: unknown } | { readonly fault: JsonFault };

/**
 * Counts before it parses and parses before it looks: too many values or levels are refused on the bare text, a list
 * or object beyond its limit before anything in it is looked at.
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

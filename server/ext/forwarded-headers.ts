/** Headers of the provider's answer that clients may see: they describe the answer, not this service (D30). */
const HARMLESS = new Set([
  'age',
  'cache-control',
  'content-language',
  'content-type',
  'date',
  'etag',
  'expires',
  'last-modified',
  'retry-after',
  'x-esi-error-limit-remain',
  'x-esi-error-limit-reset',
  'x-pages',
  'x-ratelimit-group',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-used',
]);

/** The headers of an answer that are passed on. */
export function forwardedHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => HARMLESS.has(name)));
}

/** Foreign text as PostgreSQL can hold it, in jsonb too: without U+0000 and lone surrogates. */
export function storable(text: string): string {
  return text.replaceAll('\0', '').replace(/\p{Surrogate}/gu, '\uFFFD');
}

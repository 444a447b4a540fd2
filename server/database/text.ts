/** Text from outside without U+0000 and lone surrogates, which PostgreSQL (jsonb too) cannot store. */
export function storable(text: string): string {
  return text.replaceAll('\0', '').replace(/\p{Surrogate}/gu, '\uFFFD');
}

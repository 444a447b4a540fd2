declare const written: unique symbol;

/**
 * JSON text as the database produced it. Long lists are passed on as text, because parsing and serializing them would
 * block the event loop.
 */
export type JsonText<Value> = string & { readonly [written]?: Value };

/** The same as bytes: made once where several answers share a read, because each copy of a long list takes its memory. */
export type JsonBytes<Value> = Buffer & { readonly [written]?: Value };

/** The record as JSON text with one more field, whose value is JSON text from the database. */
export function withField<Fields extends object, Name extends string, Value>(
  record: Fields,
  name: Name,
  json: JsonText<Value>,
): JsonText<Fields & Record<Name, Value>> {
  return `${JSON.stringify(record).slice(0, -1)},${JSON.stringify(name)}:${json}}`;
}

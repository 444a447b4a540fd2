declare const written: unique symbol;

/**
 * JSON of a value as the database wrote it. Long lists are handed on as they are: to read all of one and to write it
 * again would hold up everybody else.
 */
export type JsonText<Value> = string & { readonly [written]?: Value };

/** The record as JSON, with one more field, which the database wrote. */
export function withField<Fields extends object, Name extends string, Value>(
  record: Fields,
  name: Name,
  json: JsonText<Value>,
): JsonText<Fields & Record<Name, Value>> {
  return `${JSON.stringify(record).slice(0, -1)},${JSON.stringify(name)}:${json}}`;
}

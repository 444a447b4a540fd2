/** Queries of the game's API: their lists are written as its document declares for the parameter (D30). */

/** Names and values in order; a name may be repeated. */
export type Query = readonly [name: string, value: string][];

/** What separates the values of a list: `&` where each has the parameter's name before it. */
export const SEPARATORS = ['&', ',', ' ', '\t', '|'] as const;
export type Separator = (typeof SEPARATORS)[number];

/** A query parameter that takes a list. */
export interface ListParameter {
  readonly name: string;
  readonly separator: Separator;
}

/** What a document says about a parameter that takes a list. */
interface DescribedList {
  /** Only Swagger 2.0 has a type here. */
  readonly type?: string | undefined;
  readonly collectionFormat?: string | undefined;
  readonly style?: string | undefined;
  readonly explode?: boolean | undefined;
}

const OF_FORMAT: ReadonlyMap<string, Separator> = new Map([
  ['multi', '&'],
  ['ssv', ' '],
  ['tsv', '\t'],
  ['pipes', '|'],
]);
const OF_STYLE: ReadonlyMap<string, Separator> = new Map([
  ['spaceDelimited', ' '],
  ['pipeDelimited', '|'],
]);

/** With the defaults of Swagger 2.0 (`csv`) and of OpenAPI 3 (`form`, which alone explodes by default). */
export function separatorOf({
  type,
  collectionFormat = '',
  style = 'form',
  explode,
}: DescribedList): Separator {
  if (type !== undefined) return OF_FORMAT.get(collectionFormat) ?? ',';
  return (explode ?? style === 'form') ? '&' : (OF_STYLE.get(style) ?? ',');
}

/** The pairs for one parameter; none for an empty list, which could only be written as a list of one empty text. */
export function pairsOf(name: string, value: unknown, separator: Separator): Query {
  const values = [value].flat().map(String);
  if (separator === '&') return values.map((one) => [name, one]);
  return values.length === 0 ? [] : [[name, values.join(separator)]];
}

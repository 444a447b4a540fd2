import fc from 'fast-check';
import { z } from 'zod';

/** Present values of records in the service, by the name of the field that refers to them. */
export type Hints = Readonly<Record<string, readonly unknown[]>>;

interface Documented {
  readonly metaOpenApi?: {
    readonly minLength?: number;
    readonly maxLength?: number;
    readonly example?: unknown;
  };
}

const meta = (schema: z.ZodTypeAny) => (schema as Documented).metaOpenApi ?? {};

/**
 * A code point of each Unicode plane, letters with case folding, composition or right-to-left direction, and plain
 * ones.
 */
const PLANES = Array.from({ length: 17 }, (_, plane) => String.fromCodePoint(plane * 0x10000 + 0xfffd));
const LETTERS = [
  ...'aZ09 -_.%/\\\'"<>&?#+,;:@=\u0001\u007f',
  'ß',
  'İ',
  'ς',
  'a\u0301',
  'ﬁ',
  '\u200f',
  '\ufeff',
  '🚀',
];
const text = (minLength: number, maxLength: number) =>
  fc
    .array(fc.constantFrom(...PLANES, ...LETTERS), {
      minLength,
      maxLength: Math.min(maxLength, minLength + 12),
    })
    .map((services) => [...services.join('')].slice(0, Math.max(minLength, maxLength)).join(''));

/** Values for a schema; nearly all are valid, as faults are added elsewhere. */
export function fitting(schema: z.ZodTypeAny, hints: Hints, name = ''): fc.Arbitrary<unknown> {
  const { example } = meta(schema);
  const own = generated(schema, hints, name);
  const known = hints[name];
  if (known !== undefined && known.length > 0 && !(unwrapped(schema) instanceof z.ZodArray)) {
    return fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...known) }, { weight: 1, arbitrary: own });
  }
  return example === undefined
    ? own
    : fc.oneof({ weight: 4, arbitrary: own }, { weight: 1, arbitrary: fc.constant(example) });
}

function unwrapped(schema: z.ZodTypeAny): z.ZodTypeAny {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return unwrapped(schema.unwrap());
  if (schema instanceof z.ZodEffects) return unwrapped(schema.innerType());
  if (schema instanceof z.ZodDefault) return unwrapped(schema.removeDefault());
  return schema;
}

function generated(schema: z.ZodTypeAny, hints: Hints, name: string): fc.Arbitrary<unknown> {
  if (schema instanceof z.ZodObject) return object(schema, hints);
  if (schema instanceof z.ZodArray) return list(schema, hints, name);
  if (schema instanceof z.ZodString) return string(schema, meta(schema));
  if (schema instanceof z.ZodNumber) {
    const { minValue, maxValue } = schema;
    if (!schema.isInt) return fc.double({ noNaN: true, noDefaultInfinity: true });
    const min = minValue ?? Number.MIN_SAFE_INTEGER;
    const max = maxValue ?? Number.MAX_SAFE_INTEGER;
    return fc.oneof(
      fc.integer({ min, max }),
      fc.constantFrom(min, max),
      fc.integer({ min, max: Math.min(max, min + 20) }),
    );
  }
  if (schema instanceof z.ZodBoolean) return fc.boolean();
  if (schema instanceof z.ZodEnum) return fc.constantFrom(...(schema.options as unknown[]));
  if (schema instanceof z.ZodLiteral) return fc.constant(schema.value);
  if (schema instanceof z.ZodNullable) return fc.option(fitting(schema.unwrap(), hints, name), { freq: 8 });
  // Mutually exclusive fields are optional, so bodies with few fields are often valid.
  if (schema instanceof z.ZodOptional) {
    return fc.oneof(
      { weight: 2, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: fitting(schema.unwrap(), hints, name) },
    );
  }
  if (schema instanceof z.ZodDefault) {
    return fc.option(fitting(schema.removeDefault(), hints, name), { nil: undefined, freq: 8 });
  }
  if (schema instanceof z.ZodCatch) return fitting(schema.removeCatch(), hints, name);
  if (schema instanceof z.ZodPipeline) return fitting(schema._def.in as z.ZodTypeAny, hints, name);
  if (schema instanceof z.ZodUnion) {
    return fc.oneof(...(schema.options as z.ZodTypeAny[]).map((one) => fitting(one, hints, name)));
  }
  if (schema instanceof z.ZodRecord) {
    return fc.dictionary(text(1, 20), fitting(schema.valueSchema as z.ZodTypeAny, hints), { maxKeys: 4 });
  }
  if (schema instanceof z.ZodEffects) {
    return fitting(schema.innerType() as z.ZodTypeAny, hints, name);
  }
  throw new Error(`There is no generator for ${schema.constructor.name} (${name})`);
}

/** By pattern, because fast-check computes for a long time how to generate what matches one. */
const matching = new Map<string, fc.Arbitrary<string>>();

function matchingOf(pattern: RegExp): fc.Arbitrary<string> {
  const known = matching.get(String(pattern));
  if (known !== undefined) return known;
  const made = fc.stringMatching(pattern);
  matching.set(String(pattern), made);
  return made;
}

/** Times in ISO 8601 of any century, precision and offset, those included that do not exist. */
const moments = fc
  .record({
    date: fc.constantFrom(
      ...['2026-03-02', '2024-02-29', '2026-02-29', '0000-01-01', '0001-01-01', '9999-12-31', '2026-13-01'],
    ),
    time: fc.constantFrom(
      ...['00:00:00', '23:59:59.999', '23:59:60', '24:00:00', '12:00', '07:07:30.123456789012345678'],
    ),
    offset: fc.constantFrom('Z', '+00:00', '-00:00', '+14:00', '-23:59', '+24:00', '+99:99', '+0200', ''),
  })
  .map(({ date, time, offset }) => `${date}T${time}${offset}`);

function string(schema: z.ZodString, { minLength = 0, maxLength = 40 }: ReturnType<typeof meta>) {
  const checks = schema._def.checks;
  const pattern = checks.find((check) => check.kind === 'regex');
  if (pattern?.kind === 'regex') return matchingOf(pattern.regex);
  if (checks.some((check) => check.kind === 'uuid')) return fc.uuid({ version: 4 });
  if (checks.some((check) => check.kind === 'datetime')) return moments;
  return fc.oneof(
    { weight: 8, arbitrary: text(minLength, maxLength) },
    { weight: 1, arbitrary: fc.constant('x'.repeat(maxLength)) },
  );
}

function object(schema: z.AnyZodObject, hints: Hints): fc.Arbitrary<unknown> {
  const fields = schema.shape as Record<string, z.ZodTypeAny>;
  return fc
    .record(Object.fromEntries(Object.entries(fields).map(([key, of]) => [key, fitting(of, hints, key)])))
    .map((all) => Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)));
}

/** Mostly short lists; sometimes one of the maximum length, and one longer than that. */
function list(schema: z.ZodArray<z.ZodTypeAny>, hints: Hints, name: string): fc.Arbitrary<unknown[]> {
  const element = fitting(schema.element, hints, name);
  const values = hints[name];
  const one =
    values === undefined || values.length === 0 ? element : fc.oneof(fc.constantFrom(...values), element);
  const most = schema._def.maxLength?.value ?? 100;
  const long = fc
    .tuple(one, fc.constantFrom(most, most + 1))
    .map(([value, length]) => Array.from({ length }, () => value));
  return fc.oneof({ weight: 60, arbitrary: fc.array(one, { maxLength: 4 }) }, { weight: 1, arbitrary: long });
}

const HOSTILE: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  2 ** 53,
  1e308,
  '',
  ' ',
  '0',
  'a\0b',
  '\ud800',
  '\udc00x',
  'null',
  '../..',
  "'; drop table users; --",
  'x'.repeat(5_000),
  [],
  {},
  [[]],
  [null],
  ['\0'],
  [2 ** 53],
  { length: 3 },
  { __proto__: null, constructor: 1 },
  Array.from({ length: 10_000 }, () => null),
  Array.from({ length: 10_001 }, (_, i) => i + 1),
];

/** The value with one part replaced, removed or added. */
export function damaged(value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc
    .tuple(
      value,
      fc.nat(),
      fc.constantFrom(...HOSTILE),
      fc.constantFrom('replace', 'replace', 'add', 'remove'),
    )
    .map(([whole, where, wrong, how]) => {
      const places = placesIn(whole);
      const place = places[where % places.length] as Place;
      const found = at(whole, place);
      if (how === 'add' && found !== null && typeof found === 'object') {
        return put(
          whole,
          place,
          Array.isArray(found) ? [...found, wrong] : { ...found, [`unknown_${where % 5}`]: wrong },
        );
      }
      return how === 'remove' && place.length > 0 ? put(whole, place, undefined) : put(whole, place, wrong);
    });
}

type Place = readonly (string | number)[];

function placesIn(value: unknown, way: Place = []): Place[] {
  if (value === null || typeof value !== 'object') return [way];
  const entries = Object.entries(value).slice(0, 20);
  return [way, ...entries.flatMap(([key, of]) => placesIn(of, [...way, key]))];
}

function at(value: unknown, [first, ...rest]: Place): unknown {
  return first === undefined ? value : at((value as Record<string, unknown>)[first], rest);
}

function put(value: unknown, [first, ...rest]: Place, wrong: unknown): unknown {
  if (first === undefined) return wrong;
  const inner = put((value as Record<string, unknown>)[first], rest, wrong);
  if (Array.isArray(value)) return value.map((one, i) => (String(i) === String(first) ? inner : one));
  const { [first]: _, ...others } = value as Record<string, unknown>;
  return inner === undefined ? others : { ...others, [first]: inner };
}

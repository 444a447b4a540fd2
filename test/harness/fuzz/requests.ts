import { gzipSync } from 'node:zlib';
import type { AppRoute } from '@ts-rest/core';
import fc from 'fast-check';
import { z } from 'zod';
import { contract } from '../../../contract/index.ts';
import { damaged, fitting, type Hints } from './schemas.ts';

/** A request as sent, with the operation that it is for. */
export interface FuzzRequest {
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
  /** Whether the body is JSON that the contract's schema accepts. */
  readonly bodyFits: boolean;
  /** The caller, as one of {@link CALLERS}. */
  readonly as: string;
}

/** Every operation of the contract, by "resource.name". */
export const OPERATIONS: ReadonlyMap<string, AppRoute> = new Map(
  Object.entries(contract).flatMap(([resource, routes]) =>
    Object.entries(routes as Record<string, AppRoute>).map(
      ([name, route]) => [`${resource}.${name}`, route] as const,
    ),
  ),
);

/** The callers: one for every kind of token and every level, and one without a token. */
const CALLERS = [
  ...(['root', 'highest', 'user', 'bot', 'member', 'chief', 'reader', 'linked', 'plain', 'guest'] as const),
  ...(['dyn', 'nobody', 'garbage'] as const),
];

/** Requests to one operation: most are valid, many have one fault, some have several. */
export function requestsTo(operation: string, hints: Hints): fc.Arbitrary<FuzzRequest> {
  const route = OPERATIONS.get(operation);
  if (route === undefined) throw new Error(`The contract has no operation ${operation}`);
  return fc
    .record({
      params: fitting(schemaIn(route.pathParams), hints),
      wrongParam: rarely(fc.constantFrom(...WRONG_IN_URL)),
      query: queryOf(route, hints),
      headers: fitting(schemaIn(route.headers), hints),
      wrongHeader: rarely(fc.constantFrom('0', '-1', 'x', '1e3', '99999999999', '')),
      body: bodyOf(route, hints),
      as: fc.oneof(
        { weight: 8, arbitrary: fc.constant('root' as const) },
        { weight: 9, arbitrary: fc.constantFrom(...CALLERS) },
      ),
    })
    .map(({ params, wrongParam, query, headers, wrongHeader, body, as }) => ({
      operation,
      method: route.method,
      path: pathOf(route, params as Record<string, unknown>, wrongParam) + query,
      headers: {
        ...body.headers,
        ...Object.fromEntries(
          Object.entries(headers as object).map(([key, value]) => [key, wrongHeader ?? String(value)]),
        ),
      },
      body: body.bytes,
      bodyFits: body.fits,
      as,
    }));
}

/** Whether ts-rest's router has a schema here; it has a plain object where none is defined. */
const schemaIn = (part: unknown): z.ZodTypeAny => (part instanceof z.ZodType ? part : z.object({}));

function rarely<T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.oneof({ weight: 7, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });
}

/** Broken path segments: no number, no UTF-8, more than one segment, invalid percent-encoding. */
const WRONG_IN_URL = [
  '0',
  '007',
  '+7',
  '-1',
  '1e3',
  '7.0',
  '9007199254740992',
  '99999999999999999999',
  '%',
  '%zz',
  '%00',
  '%ff%fe',
  '%ed%a0%80',
  '..',
  '.',
  '%2e%2e',
  'a%2fb',
  '%F0%9F%9A%80',
  'NaN',
  'null',
  '~',
  'a'.repeat(3000),
  '%20',
  ';x=1',
];

/** Percent-encoded UTF-8; lone surrogates are replaced, as UTF-8 cannot express them. */
const encoded = (text: string) => encodeURIComponent(Buffer.from(text).toString());

function pathOf(route: AppRoute, params: Record<string, unknown>, wrong: string | undefined): string {
  return route.path.replace(/:(\w+)/g, (_, name: string) => {
    if (wrong !== undefined) return wrong;
    const text = String(params[name]);
    return name === 'esi_path' ? text.split('/').map(encoded).join('/') : encoded(text);
  });
}

const WRONG_QUERIES = [
  '?',
  '?&&==',
  '?%',
  '?%ff=1',
  '?a[]=1&a[b]=2',
  '?__proto__[x]=1',
  '?uuid=%00',
  '?a=1&a=2',
  '?x=%F0%9F%9A%80',
];

/** Node itself answers requests with more than 16 KiB of path and headers. */
const LONGEST_QUERY = 8_000;

function queryOf(route: AppRoute, hints: Hints): fc.Arbitrary<string> {
  const schema = route.query as z.ZodTypeAny | undefined;
  const wrong = fc.constantFrom(...WRONG_QUERIES);
  if (schema === undefined)
    return fc.oneof({ weight: 12, arbitrary: fc.constant('') }, { weight: 1, arbitrary: wrong });
  const pairs = (query: unknown) =>
    Object.entries(query as Record<string, unknown>).filter(
      ([, value]) => typeof value === 'string' || typeof value === 'number',
    );
  const proper = fc.oneof(
    { weight: 3, arbitrary: fitting(schema, hints) },
    { weight: 1, arbitrary: damaged(fitting(schema, hints)) },
  );
  const sent = proper.map((query) =>
    query === null || typeof query !== 'object'
      ? ''
      : `?${pairs(query)
          .map(([key, value]) => `${key}=${encoded(String(value))}`)
          .join('&')}`.slice(0, LONGEST_QUERY),
  );
  return fc.oneof({ weight: 6, arbitrary: sent }, { weight: 1, arbitrary: wrong });
}

interface Body {
  readonly bytes: Buffer | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly fits: boolean;
}

const NO_BODY: Body = { bytes: undefined, headers: {}, fits: true };
const JSON_TYPE = { 'content-type': 'application/json' };

function bodyOf(route: AppRoute, hints: Hints): fc.Arbitrary<Body> {
  const schema =
    'body' in route && route.body instanceof z.ZodType ? (route.body as z.ZodTypeAny) : undefined;
  const odd = fc.constantFrom(...ODD_BODIES);
  if (schema === undefined)
    return fc.oneof(
      { weight: 12, arbitrary: fc.constant(NO_BODY) },
      { weight: 1, arbitrary: odd.map(accepted) },
    );
  const json = (value: unknown): Body => {
    const text = JSON.stringify(value);
    const parsed: unknown = text === undefined ? undefined : JSON.parse(text);
    // Null is an absent body where every field may be left out (D3).
    const sent = parsed === null && schema.safeParse({}).success ? {} : parsed;
    return {
      bytes: text === undefined ? undefined : Buffer.from(text),
      headers: JSON_TYPE,
      fits: schema.safeParse(sent).success,
    };
  };
  const value = fitting(schema, hints);
  return fc.oneof(
    { weight: 10, arbitrary: value.map(json) },
    { weight: 10, arbitrary: damaged(value).map(json) },
    { weight: 2, arbitrary: odd },
    {
      weight: 1,
      arbitrary: fc.tuple(value, fc.constantFrom(...ENCODINGS)).map(([one, encode]) => encode(json(one))),
    },
  );
}

/** Bodies for operations that read none. */
const accepted = (body: Body): Body => ({ ...body, fits: true });

const bad = (bytes: Buffer | string, headers: Record<string, string> = JSON_TYPE): Body => ({
  bytes: Buffer.from(bytes),
  headers,
  fits: false,
});

/** Bodies that are no JSON object in UTF-8, or have a wrong content type. */
const ODD_BODIES: readonly Body[] = [
  bad('{'),
  bad('{"a":1,}'),
  bad('[1,2'),
  bad('"text"'),
  bad('17'),
  bad('[]'),
  bad('nul'),
  bad('{"ticker":"\\ud800","coalition_name":"x","group_name":"\\udfff"}'),
  bad(Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])),
  bad(Buffer.from('\ufeff{"ticker":1}')),
  bad(Buffer.from('{"ticker":1}', 'utf16le'), { 'content-type': 'application/json; charset=utf-16' }),
  bad('{"ticker":1}', { 'content-type': 'application/json; charset=x-unknown' }),
  bad('{"ticker":1}', { ...JSON_TYPE, 'content-encoding': 'x-unknown' }),
  bad('not gzip at all', { ...JSON_TYPE, 'content-encoding': 'gzip' }),
  bad(gzipSync('{"ticker":1}').subarray(0, 12), { ...JSON_TYPE, 'content-encoding': 'gzip' }),
  bad(gzipSync(Buffer.alloc(1_200_000, 0x20)), { ...JSON_TYPE, 'content-encoding': 'gzip' }),
  bad(Buffer.alloc(1_100_000, 0x20)),
  bad('a=1&b=2', { 'content-type': 'application/x-www-form-urlencoded' }),
  bad(`${'['.repeat(5_000)}${']'.repeat(5_000)}`),
  bad('{"__proto__":{"ticker":"X"},"constructor":{"prototype":1}}'),
];

/** The same JSON in another encoding or with another content type, which must be accepted. */
const ENCODINGS: readonly ((body: Body) => Body)[] = [
  (body) => ({ ...body, headers: { 'content-type': 'text/plain' } }),
  (body) => ({ ...body, headers: {} }),
  (body) => ({ ...body, headers: { 'content-type': 'application/json; charset=UTF-8' } }),
  (body) =>
    body.bytes === undefined
      ? body
      : { ...body, bytes: gzipSync(body.bytes), headers: { ...JSON_TYPE, 'content-encoding': 'gzip' } },
];

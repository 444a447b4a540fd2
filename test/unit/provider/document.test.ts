import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openApiDocument, swaggerDocument } from '../../../dev/provider/document.ts';
import { parseDocument } from '../../../server/provider/document.ts';
import { createDocument, type ProviderOperation } from '../../../server/provider/operations.ts';

const CHARACTER = '/characters/{character_id}';

function openApi(paths: object, components: object = {}): unknown {
  return { openapi: '3.1.0', paths, components };
}

const integer = (name: string) => ({ name, in: 'path', schema: { type: 'integer' } });
const scoped = (...scopes: string[]) => ({ security: [{ OAuth2: scopes }] });

describe('D31: the provider’s document', () => {
  it('gives scope, rate group, paging and lifetime of each operation', () => {
    const { operations, skipped } = parseDocument(
      openApi(
        {
          '/characters/{character_id}/assets': {
            get: {
              parameters: [{ $ref: '#/components/parameters/CharacterId' }, { name: 'page', in: 'query' }],
              responses: { 200: { headers: { 'X-Pages': {} } } },
              'x-rate-limit': { group: 'char-asset', 'max-tokens': 1800, 'window-size': '15m' },
              'x-cache-age': 3600,
              ...scoped('esi-assets.read_assets.v1'),
            },
          },
          '/status': { get: {} },
        },
        {
          parameters: {
            CharacterId: {
              name: 'character_id',
              in: 'path',
              schema: { $ref: '#/components/schemas/Id' },
            },
          },
          schemas: { Id: { type: 'integer' } },
        },
      ),
      'esi-',
    );
    expect(skipped).toEqual([]);
    expect(operations).toEqual([
      {
        method: 'GET',
        template: '/characters/{character_id}/assets',
        integers: ['character_id'],
        query: ['page'],
        lists: [],
        scope: 'ext-assets.read_assets.v1',
        rateGroup: { name: 'char-asset', maxTokens: 1800, windowSeconds: 900 },
        paged: true,
        cacheSeconds: 3600,
      },
      {
        method: 'GET',
        template: '/status',
        integers: [],
        query: [],
        lists: [],
        scope: null,
        rateGroup: null,
        paged: false,
        cacheSeconds: null,
      },
    ]);
  });

  it('understands paths and answers by reference, and what secures all operations', () => {
    const { operations, skipped } = parseDocument(
      {
        ...(openApi(
          {
            '/characters/{id}/assets': { $ref: '#/components/pathItems/Assets' },
            '/status': { get: { security: [] } },
            '/nowhere': { $ref: 'https://elsewhere.example/item.json' },
          },
          {
            pathItems: { Assets: { get: { responses: { 200: { $ref: '#/components/responses/Pages' } } } } },
            responses: { Pages: { headers: { 'X-Pages': {} } } },
          },
        ) as object),
        ...scoped('esi-assets.read_assets.v1'),
      },
      'esi-',
    );
    expect(operations).toMatchObject([
      { template: '/characters/{id}/assets', scope: 'ext-assets.read_assets.v1', paged: true },
      { template: '/status', scope: null, paged: false },
    ]);
    expect(skipped).toEqual(['/nowhere']);
  });

  it('skips what is secured in an unknown form for all operations, and nothing else', () => {
    const paths = { '/status': { get: { security: [] } }, '/secured': { get: {} } };
    const { operations, skipped } = parseDocument(
      { ...(openApi(paths) as object), security: 'keys' },
      'esi-',
    );
    expect(operations).toMatchObject([{ template: '/status', scope: null }]);
    expect(skipped).toEqual(['GET /secured']);
  });

  it('D30: gives the query parameters, including those of the path and of components, each once', () => {
    const page = { name: 'page', in: 'query' };
    const { operations } = parseDocument(
      openApi(
        {
          '/war~s/{id}': {
            parameters: [{ $ref: '#/components/parameters/max~0id' }, page, { name: 'Accept', in: 'header' }],
            get: { parameters: [{ $ref: '#/components/parameters/a~1b' }, page] },
          },
        },
        {
          parameters: {
            'max~id': { name: 'max_war_id', in: 'query' },
            'a/b': { name: 'state', in: 'query' },
          },
        },
      ),
      'esi-',
    );
    expect(operations[0]?.query).toEqual(['max_war_id', 'page', 'state']);
  });

  const LIST = { name: 'ids', in: 'query' };
  const listsOf = (document: unknown) => parseDocument(document, 'esi-').operations[0]?.lists;

  it.each([
    [{}, '&'],
    [{ style: 'form' }, '&'],
    [{ explode: true }, '&'],
    [{ explode: false }, ','],
    [{ style: 'form', explode: false }, ','],
    [{ style: 'spaceDelimited' }, ' '],
    [{ style: 'pipeDelimited', explode: false }, '|'],
    [{ style: 'pipeDelimited', explode: true }, '&'],
    [{ style: 7, explode: 'no' }, '&'],
  ])('D30: OpenAPI says by style and explode how a list is written: %j', (form, separator) => {
    for (const type of ['array', ['array', 'null']]) {
      const parameters = [{ ...LIST, schema: { $ref: '#/components/schemas/Ids' }, ...form }];
      const document = openApi({ '/a': { get: { parameters } } }, { schemas: { Ids: { type } } });
      expect(listsOf(document)).toEqual([{ name: 'ids', separator }]);
    }
  });

  it.each([
    [{}, ','],
    [{ collectionFormat: 'csv' }, ','],
    [{ collectionFormat: 'multi' }, '&'],
    [{ collectionFormat: 'ssv' }, ' '],
    [{ collectionFormat: 'tsv' }, '\t'],
    [{ collectionFormat: 'pipes' }, '|'],
    [{ collectionFormat: 'constructor' }, ','],
    [{ collectionFormat: 1 }, ','],
  ])('D30: Swagger says it by collectionFormat: %j', (form, separator) => {
    const parameters = [{ ...LIST, type: 'array', items: { type: 'integer' }, ...form }];
    const document = { swagger: '2.0', paths: { '/a': { get: { parameters } } } };
    expect(listsOf(document)).toEqual([{ name: 'ids', separator }]);
  });

  it('D30: of a list that path and operation declare, the operation says how it is written', () => {
    const schema = { type: 'array' };
    const get = { parameters: [{ ...LIST, schema, explode: false }] };
    const document = openApi({ '/a': { parameters: [{ ...LIST, schema }], get } });
    expect(listsOf(document)).toEqual([{ name: 'ids', separator: ',' }]);
  });

  it('D30: parameters that only the service sets are not offered to callers', () => {
    const query = ['token', 'datasource', 'user_agent', 'page'].map((name) => ({ name, in: 'query' }));
    const { operations } = parseDocument(openApi({ '/status': { get: { parameters: query } } }), 'esi-');
    expect(operations[0]?.query).toEqual(['page']);
  });

  it('reads the former form of the document with the same result, without trailing slashes', () => {
    const by = ({ template, method }: ProviderOperation, other: ProviderOperation) =>
      `${template} ${method}` < `${other.template} ${other.method}` ? -1 : 1;
    const urls = ['http://127.0.0.1/api', 'http://127.0.0.1', 'esi-'] as const;
    const present = parseDocument(openApiDocument(...urls), 'esi-');
    const former = parseDocument(swaggerDocument(...urls), 'esi-');
    expect(former.operations.length).toBeGreaterThan(20);
    // Only the present form has rate groups.
    const withoutLists = (operation: ProviderOperation) => ({ ...operation, lists: [] });
    expect(former.operations.map(withoutLists).sort(by)).toEqual(
      present.operations.map((operation) => ({ ...withoutLists(operation), rateGroup: null })).sort(by),
    );
    expect([present, former].map(({ operations }) => operations.flatMap(({ lists }) => lists))).toEqual([
      [{ name: 'labels', separator: '&' }],
      [{ name: 'labels', separator: ',' }],
    ]);
  });

  it.each([
    ['a scope that we have no name for', { get: scoped('esi-odd.read_odd.v1') }],
    ['two scopes', { get: scoped('esi-skills.read_skills.v1', 'esi-wallet.read_character_wallet.v1') }],
    ['security that is no list', { get: { security: { OAuth2: [] } } }],
    ['a reference in a circle', { get: { parameters: [{ $ref: '#/paths/~1odd/get/parameters/0' }] } }],
  ])('%s: the operation is left out, never taken for a public one', (_, item) => {
    const { operations, skipped } = parseDocument(openApi({ '/odd': item, '/status': { get: {} } }), 'esi-');
    expect(operations.map(({ template }) => template)).toEqual(['/status']);
    expect(skipped).toEqual(['GET /odd']);
  });

  it.each([
    { group: 'g', 'max-tokens': 1, 'window-size': 'week' },
    { group: 'g', 'max-tokens': '1', 'window-size': 900 },
    'fifteen minutes',
  ])('D31: an operation is known, however its rate limit is described: %j', (limit) => {
    const { operations } = parseDocument(openApi({ '/odd': { get: { 'x-rate-limit': limit } } }), 'esi-');
    expect(operations).toMatchObject([{ template: '/odd', rateGroup: null }]);
  });

  it.each([
    [{ 'x-cache-age': '30' }, null],
    [{ 'x-cache-age': null }, null],
    [{ 'x-cache-age': -1 }, null],
    [{ 'x-cached-seconds': 'a day' }, null],
    [{ 'x-cache-age': '30', 'x-cached-seconds': 60 }, 60],
  ])('D31: nor however its lifetime is: %j', (lifetime, cacheSeconds) => {
    const { operations, skipped } = parseDocument(openApi({ '/odd': { get: lifetime } }), 'esi-');
    expect(skipped).toEqual([]);
    expect(operations).toMatchObject([{ template: '/odd', cacheSeconds }]);
  });

  it.each([
    ['null', null],
    ['an error', { error: 'Not found' }],
    ['another version', { openapi: '4.0.0', paths: { '/status': { get: {} } } }],
    ['no operation', openApi({ '/status': { head: {} } })],
  ])('%s is no document', (_, json) => {
    expect(() => parseDocument(json, 'esi-')).toThrow(expect.objectContaining({ fault: 'unusable' }));
  });
});

describe('D31: a path finds its operation', () => {
  const { operations } = parseDocument(
    openApi({
      '/characters/affiliation': { post: {} },
      [CHARACTER]: { get: { parameters: [integer('character_id')] } },
      '/universe/names': { post: {} },
      '/dogma/{kind}/list': { get: {} },
      '/dogma/types/{type_id}': { get: { parameters: [integer('type_id')] } },
      '/dogma/types/{type_id}/list': { get: { parameters: [integer('type_id')] } },
    }),
    'esi-',
  );
  const document = createDocument(operations);

  it.each([
    ['/characters/2112000001', CHARACTER],
    ['/dogma/types/5', '/dogma/types/{type_id}'],
    ['/dogma/types/list', '/dogma/{kind}/list'],
    ['/dogma/types/5/list', '/dogma/types/{type_id}/list'],
  ])('%s is %s', (path, template) => {
    expect(document.find(path)?.template).toBe(template);
  });

  it.each([
    '/characters/affiliation',
    '/characters/ada',
    '/characters/',
    '/characters',
    '/characters/1/',
    '/characters//1',
    '/characters/-1',
    'characters/1',
    '/Characters/1',
    '/constructor',
    '/__proto__',
    '/',
    '',
  ])('%s is none', (path) => {
    expect(document.find(path)).toBeUndefined();
  });

  it('finds operations with other methods', () => {
    expect(document.find('/characters/affiliation', 'POST')?.template).toBe('/characters/affiliation');
  });
});

/** The provider's own documents, if they are available; they are not part of the project. */
const OWN = join(import.meta.dirname, '../../../../shared/provider');

describe.each([
  ['esi-openapi.json', 210, 'OAuth2'],
  ['esi-swagger.json', 179, 'evesso'],
] as const)('D31: the provider’s own %s', (file, paths, scheme) => {
  const source = join(OWN, file);
  const raw = existsSync(source)
    ? (JSON.parse(readFileSync(source, 'utf8')) as {
        paths: Record<string, Record<string, Record<string, unknown>>>;
      })
    : undefined;
  const parsed = raw && parseDocument(raw, 'esi-').operations;

  it.skipIf(raw === undefined)('every path is parsed, every scope and rate group found', () => {
    const seen = new Set(parsed?.map(({ template }) => template));
    expect(seen.size).toBe(paths);
    let scopes = 0;
    let groups = 0;
    for (const [path, methods] of Object.entries(raw?.paths ?? {})) {
      for (const [method, described] of Object.entries(methods)) {
        const template = path.replace(/\/$/, '');
        const operation = parsed?.find(
          (one) => one.template === template && one.method === method.toUpperCase(),
        );
        const security = described['security'] as Record<string, string[]>[] | undefined;
        const scope = security?.[0]?.[scheme]?.[0]?.replace(/^esi-/, 'ext-') ?? null;
        const limit = described['x-rate-limit'] as Record<string, unknown> | undefined;
        expect(operation, `${method} ${path}`).toMatchObject({
          query: queryNames(raw, described),
          scope,
          rateGroup: limit === undefined ? null : { name: limit['group'], maxTokens: limit['max-tokens'] },
        });
        scopes += Number(scope !== null);
        groups += Number(limit !== undefined);
      }
    }
    expect(scopes).toBeGreaterThan(100);
    expect(groups).toBe(scheme === 'OAuth2' ? 163 : 0);
  });

  it.skipIf(raw === undefined)(
    'D30: lists are repeated in the present form, joined by commas in the former',
    () => {
      const lists = (parsed ?? []).filter(({ method }) => method === 'GET').flatMap((one) => one.lists);
      const separator = scheme === 'OAuth2' ? '&' : ',';
      expect(lists.map(({ name }) => name).sort()).toEqual(['categories', 'labels']);
      expect(new Set(lists.map((list) => list.separator))).toEqual(new Set([separator]));
    },
  );

  function queryNames(document: typeof raw, { parameters = [] }: Record<string, unknown>): string[] {
    const declared = (parameters as { name?: string; in?: string; $ref?: string }[]).map((one) => {
      const key = one.$ref?.split('/').at(-1) ?? '';
      const { components, parameters: shared } = document as unknown as Record<
        string,
        Record<string, unknown>
      >;
      return one.$ref === undefined ? one : { ...shared, ...(components?.['parameters'] as object) }[key];
    }) as { name: string; in: string }[];
    const ours = ['token', 'datasource'];
    return declared.flatMap(({ name, in: where }) =>
      where === 'query' && !ours.includes(name) ? [name] : [],
    );
  }

  it.skipIf(raw === undefined)('random concrete paths find the operation of their template', () => {
    const document = createDocument(parsed ?? []);
    const gets = (parsed ?? []).filter(({ method }) => method === 'GET');
    // Values that are no literal of a template; a whole number if one is required.
    const word = fc.stringMatching(/^[a-z0-9]{1,8}-x[a-z0-9]{1,8}$/);
    const number = fc.integer({ min: 1, max: 2 ** 53 - 1 }).map(String);
    const concrete = fc.constantFrom(...gets).chain((operation) => {
      const segments = operation.template.split('/').map((segment) => {
        const name = /^\{(\w+)\}$/.exec(segment)?.[1];
        if (name === undefined) return fc.constant(segment);
        return operation.integers.includes(name) ? number : word;
      });
      return fc.tuple(
        fc.constant(operation),
        fc.tuple(...segments).map((all) => all.join('/')),
      );
    });
    fc.assert(
      fc.property(concrete, ([operation, path]) => {
        expect(document.find(path)).toBe(operation);
        expect(document.find(`${path}/`)).toBeUndefined();
        expect(document.find(`${path}/x-unknown`)?.template.split('/').length ?? 99).toBeGreaterThan(
          operation.template.split('/').length,
        );
      }),
      { numRuns: 3_000 },
    );
  });
});

import { readFile } from 'node:fs/promises';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { ERROR_CODES, type ErrorCode } from '../../contract/error-codes.ts';
import type { JsonSchema, OpenApiOperation, OpenApiResponse } from '../../contract/openapi.ts';
import { accessSentence, openApiDocument, operations } from '../../contract/openapi.ts';
import { PREVIEW_TYPE } from '../../contract/preview.ts';
import { API_VERSION } from '../../contract/version.ts';
import { openApiYaml } from '../../server/http/openapi-yaml.ts';

/**
 * The table of interface "Endpoints" with D13 to D17 filled in, written out independently of the contract:
 * method, path, tokens (`app` per and use, `public` none), level, authority.
 */
const SPECIFIED = `
GET    /alliance                                                app 0
GET    /alliance/{alliance_id}                                  app 0
GET    /alliance/{alliance_id}/tracking                         app 3  read alliance
GET    /alliance/{alliance_id}/compliance app 3 read alliance
GET    /alliance/{alliance_id}/compliance/day app 3 read alliance
POST   /alliance/{alliance_id}                                  app 8
PUT    /alliance/{alliance_id}                                  app 4  write alliance
GET    /corporation                                             app 0
GET    /corporation/{corporation_id}                            app 0
GET    /corporation/{corporation_id}/tracking                   app 1  read corporation
GET    /corporation/{corporation_id}/compliance app 1 read corporation
GET    /corporation/{corporation_id}/compliance/day app 1 read corporation
POST   /corporation/{corporation_id}                            app 8
PUT    /corporation/{corporation_id}                            app 2  write corporation
GET    /corporation/{corporation_id}/guest                      app 1  read corporation
POST   /corporation/{corporation_id}/guest                      app 1  read corporation
DELETE /corporation/{corporation_id}/guest/{character_id}       app 2  write corporation
GET    /coalition                                               app 0
GET    /coalition/{coalition_id}                                app 0
POST   /coalition                                               app 9
PUT    /coalition/{coalition_id}                                app 6 write coalition
DELETE /coalition/{coalition_id}                                app 9
GET    /coalition/{coalition_id}/tracking                       app 5 read coalition
GET    /coalition/{coalition_id}/compliance app 5 read coalition
GET    /coalition/{coalition_id}/compliance/day app 5 read coalition
GET    /group                                                   app 0
GET    /group/{group_id}                                        app 0
POST   /group                                                   app 9
PUT    /group/{group_id}                                        app 0
DELETE /group/{group_id}                                        app 9
GET    /group/joinable                                          app 0
GET    /group/{group_id}/policy                                 app 0
PUT    /group/{group_id}/policy                                 app 0
POST   /group/{group_id}/application                            app 0
GET    /group/{group_id}/application                            app 0
DELETE /group/{group_id}/member/current                         app 0
GET    /application                                             app 0
PUT    /application/{application_id}                            app 0
DELETE /application/{application_id}                            app 0
GET    /user                                                    app 0
GET    /user/{character}                                        app 0
GET    /user/{character}/groups                                 app 0
GET    /user/{character}/person                                 app 0
GET    /person/current                                          app 0
PUT    /person/current                                          app 0
POST   /person/current/character                                use 0
DELETE /person/current/character/{character_id}                 app 0
POST   /person/{person_id}/merge                                app 9
POST   /person/{person_id}/split                                app 9
GET    /person/{person_id}/history                              app 9
GET    /user/{character}/why                                    app 0
PUT    /user/{character}                                        app 0
DELETE /user/{character}                                        app 9
GET    /token                                                   app 0
DELETE /token                                                   app 10
POST   /token/dyn                                               per 10
POST   /token/per                                               per 10
POST   /token/use/from/dyn                                      dyn 0
POST   /token/use/from/per                                      per 0
DELETE /token/current                                           app -1
POST   /voice/auth/start                                        app 0
POST   /voice/auth/complete                                     app 0
GET    /event                                                   app 0
GET    /audit                                                   app 0
POST   /ext/{esi_path}                                          app 0
GET    /ext/{esi_path}                                          app 0
GET    /ext/history/characters/{character_id}/location          app 0  read user
GET    /ext/history/characters/{character_id}/mail              app 0  read user
GET    /ext/history/characters/{character_id}/mail/{mail_id}    app 0  read user
GET    /ext/history/characters/{character_id}/skillpoints       app 0  read user
GET    /ext/history/characters/{character_id}/wallet            app 0  read user
POST   /ext/history/characters/{character_id}/location/now      app 0  read user
GET    /callback/ext                                            public
GET    /oidc/client                                             app 10
POST   /oidc/client                                             app 10
GET    /oidc/client/{client_id}                                 app 10
PUT    /oidc/client/{client_id}                                 app 10
DELETE /oidc/client/{client_id}                                 app 10
POST   /oidc/client/{client_id}/secret                          app 10
GET    /system/configuration                                    app 10
GET    /system/status                                           app 9
GET    /system/job                                              app 10
GET    /system/held                                             app 9
POST   /system/job/{job_id}                                     app 10
GET    /crash                                                   app 10
GET    /crash/{crash_report_id}                                 app 10
DELETE /crash/{crash_report_id}                                 app 10
GET    /webhook                                                 dyn,per,use 0
POST   /webhook                                                 dyn,per,use 0
GET    /webhook/{webhook_id}                                    dyn,per,use 0
PUT    /webhook/{webhook_id}                                    dyn,per,use 0
DELETE /webhook/{webhook_id}                                    dyn,per,use 0
POST   /webhook/{webhook_id}/rotate                             dyn,per,use 0
POST   /webhook/{webhook_id}/test                               dyn,per,use 0
GET    /webhook/{webhook_id}/delivery                           dyn,per,use 0
POST   /webhook/{webhook_id}/delivery/{delivery_id}/retry       dyn,per,use 0
POST   /webhook/{webhook_id}/replay                             dyn,per,use 0
`;

const document = openApiDocument('https://castellan.example');

const all = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]): [string, OpenApiOperation] => [
    `${method.toUpperCase()} ${path}`,
    operation,
  ]),
);
const contracted = all.filter(([, { tags }]) => !tags.includes('service'));

function resolved(response: OpenApiResponse | { $ref: string }): OpenApiResponse {
  if (!('$ref' in response)) return response;
  const name = response.$ref.slice('#/components/responses/'.length);
  return document.components.responses[name] as OpenApiResponse;
}

type Media = NonNullable<OpenApiResponse['content']>[string];

/** What the examples of an answer show. */
function examplesIn({ example, examples }: Media): unknown[] {
  if (examples === undefined) return [example];
  return Object.values(examples).map((given) => {
    if (!('$ref' in given)) return given.value;
    return document.components.examples[given.$ref.slice('#/components/examples/'.length)]?.value;
  });
}

/** The codes by which an operation is documented to refuse with a status. */
function codesIn(response: OpenApiResponse | { $ref: string } | undefined): unknown[] {
  const media = response && resolved(response).content?.['application/json'];
  return media === undefined ? [] : examplesIn(media).map((example) => (example as { code?: unknown }).code);
}

/** The rule of an operation as a line of the table above. */
function ruleLine([where, operation]: [string, OpenApiOperation]): string {
  const access = operation['x-access'];
  if (access === undefined) return `${where} without a rule`;
  if (access === 'public') return `${where} public`;
  const tokens = access.tokens.join() === 'per,use' ? 'app' : access.tokens.join();
  const authority =
    access.authority === undefined ? '' : ` ${access.authority.mode} ${access.authority.over}`;
  return `${where} ${tokens} ${access.level}${authority}`;
}

describe('the OpenAPI document', () => {
  it('is valid OpenAPI 3.1 whose references resolve', async () => {
    const validator = new Validator();
    const result = await validator.validate(JSON.parse(JSON.stringify(document)));
    expect(result.errors).toBeUndefined();
    expect(result.valid).toBe(true);
    expect(validator.version).toBe('3.1');
    expect(() => validator.resolveRefs()).not.toThrow();
  });

  it('lists all operations with the rules of the specification', () => {
    const specified = SPECIFIED.trim()
      .split('\n')
      .map((line) => line.replace(/\s+/g, ' '));
    expect(specified.length).toBeGreaterThan(52);
    expect(contracted.map(ruleLine).sort()).toEqual(specified.sort());
  });

  it('names its schemas', () => {
    const names = Object.keys(document.components.schemas);
    expect(names).toEqual(
      expect.arrayContaining([
        ...['Alliance', 'AllianceShort', 'Corporation', 'CorporationShort', 'Coalition', 'CoalitionShort'],
        ...['Group', 'GroupShort', 'User', 'UserShort', 'Tracking', 'Token', 'ExtScope', 'VoiceChallenge'],
        ...[
          'CharacterLocation',
          'CharacterMail',
          'CharacterMailShort',
          'MailRecipient',
          'CharacterSkillPoints',
        ],
        ...[
          'CharacterWalletBalance',
          'ExternalForwardRequest',
          'ExternalForwardAnswer',
          'Job',
          'CrashReport',
        ],
        ...['CrashReportShort', 'PutCoalition', 'PutGroup', 'Problem', 'ValidationProblem', 'CrashProblem'],
      ]),
    );
  });

  it('gives every operation a name of its own', () => {
    const ids = all.map(([, { operationId }]) => operationId);
    expect(ids.filter((id) => !/^[a-z][A-Za-z]+$/.test(id))).toEqual([]);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it.each(contracted)('documents %s', (_, operation) => {
    expect(document.tags.map(({ name }) => name)).toContain(operation.tags[0]);
    expect(operation.summary).toMatch(/^[A-Z][^.]+$/);
    expect(operation.description).toMatch(/\S+\n\n\*\*Access:\*\* \S+/);
    expect(operation.security).toEqual(operation['x-access'] === 'public' ? [] : [{ token: [] }]);
    for (const parameter of operation.parameters ?? []) {
      expect(parameter.description, parameter.name).not.toBe('');
      expect(parameter.example, parameter.name).toBeDefined();
    }
    for (const [status, response] of Object.entries(operation.responses).map(
      ([status, response]) => [status, resolved(response)] as const,
    )) {
      expect(response.description, status).toMatch(/\S/);
      expect(response.headers, status).toHaveProperty('X-Request-Id');
      for (const media of Object.values(response.content ?? {})) {
        expect(examplesIn(media), status).not.toEqual([]);
        expect(examplesIn(media), status).not.toContain(undefined);
      }
    }
  });

  it('describes what the service sends, each parameter with words and an example', () => {
    const sent = Object.values(document.webhooks).flatMap((methods) => Object.values(methods));
    expect(sent.map(({ operationId }) => operationId)).toContain('onSignIn');
    for (const { operationId, summary, description, parameters = [], responses } of sent) {
      expect(all.map(([, operation]) => operation.operationId)).not.toContain(operationId);
      expect(`${summary} ${description}`, operationId).toMatch(/^[A-Z].+\w{3}/);
      for (const parameter of parameters) {
        expect(parameter.description, parameter.name).toMatch(/\S/);
        expect(parameter.example, parameter.name).toBeDefined();
      }
      for (const response of Object.values(responses)) expect(resolved(response).description).toMatch(/\S/);
    }
  });

  it('says which headers an answer brings', () => {
    const mails = document.paths['/ext/history/characters/{character_id}/mail']?.get;
    expect(resolved(mails?.responses[200] as OpenApiResponse).headers).toHaveProperty('X-Pages');
    const { Unauthorized, TooMany, Unavailable } = document.components.responses;
    expect(Unauthorized?.headers).toHaveProperty('WWW-Authenticate');
    expect(TooMany?.headers).toHaveProperty('Retry-After');
    expect(Unavailable?.headers).toHaveProperty('Retry-After');
  });

  it('D30: says that the game’s refusals come with any 4xx, and beside ours of the same status', () => {
    const refusal = { $ref: '#/components/schemas/ExternalForwardRefusal' };
    const problem = { $ref: '#/components/schemas/Problem' };
    for (const method of ['get', 'post'] as const) {
      const responses = document.paths['/ext/{esi_path}']?.[method]?.responses ?? {};
      const schemaOf = (status: string) =>
        resolved(responses[status] as OpenApiResponse).content?.['application/json']?.schema;
      // A range such as 4XX is no name that every generator can write.
      expect(schemaOf('default')).toEqual(refusal);
      expect(schemaOf('400')).toEqual(refusal);
      for (const status of ['403', '404', '502'])
        expect(schemaOf(status)).toEqual({ anyOf: [refusal, problem] });
      expect(schemaOf('401')).toEqual(problem);
    }
    expect(all.filter(([, { responses }]) => 'default' in responses)).toHaveLength(2);
  });

  it('says that every operation with a token can answer 401, 403, 422 and 429', () => {
    for (const [where, { responses, security }] of contracted) {
      if (security.length === 0) continue;
      expect(Object.keys(responses), where).toEqual(expect.arrayContaining(['401', '403', '422', '429']));
    }
  });

  it('D3c, D73: says of which operations too many may wait: writes of levels below 9, compliance, and events', () => {
    const waiting = contracted.filter(([, { responses }]) => {
      const { content } = resolved(responses['429'] as OpenApiResponse);
      return 'too_many_waiting' in (content?.['application/json']?.examples ?? {});
    });
    const reads = waiting.map(([where]) => where).filter((where) => where.startsWith('GET'));
    expect(reads.sort()).toEqual([
      'GET /alliance/{alliance_id}/compliance',
      'GET /audit',
      'GET /coalition/{coalition_id}/compliance',
      'GET /corporation/{corporation_id}/compliance',
      'GET /event',
    ]);
    const writes = waiting.map(([where]) => where).filter((where) => !where.startsWith('GET'));
    expect(writes).toEqual(expect.arrayContaining(['PUT /group/{group_id}', 'POST /token/use/from/dyn']));
    expect(writes).not.toContain('DELETE /user/{character}');
    expect(writes).not.toContain('POST /ext/{esi_path}');
  });

  it('publishes how much the lists and objects of a request may hold', () => {
    const { ExternalForwardRequest, PutGroup, PutCoalition } = document.components.schemas;
    expect(ExternalForwardRequest?.properties?.params?.maxProperties).toBe(100);
    expect(PutGroup?.properties?.add_members?.maxItems).toBe(10_000);
    expect(PutCoalition?.properties?.mandatory_ext_scopes?.maxItems).toBe(10_000);
  });

  it('shows the refusal of an operation for one kind of token', () => {
    const refusal = document.paths['/token/use/from/dyn']?.post?.responses[401] as OpenApiResponse;
    const [example] = examplesIn(refusal.content?.['application/json'] as Media);
    expect(example).toEqual({
      detail: 'Must use a dynamic app token for this path.',
      code: 'token_type_refused',
    });
  });

  it('D73: shows of every error of an operation what it can be, by codes that come with its status', () => {
    const statusOf = (code: unknown) => ERROR_CODES[code as ErrorCode]?.[0];
    for (const [where, { responses, security }] of contracted) {
      if (security.length === 0) continue;
      for (const [status, response] of Object.entries(responses)) {
        if (Number(status) < 400 || status === 'default') continue;
        const codes = codesIn(response);
        expect(codes.length, `${where} ${status}`).toBeGreaterThan(0);
        const others = codes.filter((code) => ![Number(status), 'its own'].includes(statusOf(code) ?? 0));
        expect(others, `${where} ${status}`).toEqual([]);
      }
    }
  });

  it('D73: shows of an operation what it alone refuses with', () => {
    const of = (path: string, method: 'get' | 'post' | 'put' | 'delete', status: number) =>
      codesIn(document.paths[path]?.[method]?.responses[status]);
    expect(of('/group', 'post', 409)).toEqual(['name_taken']);
    expect(of('/group/{group_id}', 'put', 409)).toEqual(['autogroup_kept']);
    expect(of('/group/{group_id}/member/current', 'delete', 409)).toEqual([
      'autogroup_kept',
      'owner_stays',
      'member_stays',
    ]);
    expect(of('/alliance/{alliance_id}', 'get', 403)).toEqual(['level_too_low']);
    expect(of('/alliance/{alliance_id}', 'put', 403)).toEqual(['level_too_low', 'no_authority']);
    expect(of('/voice/auth/complete', 'post', 502)).toEqual(['voice_server_unavailable']);
    expect(of('/ext/{esi_path}', 'get', 400)).toEqual(['provider_refused']);
    expect(of('/docs/guides/{guide}', 'get', 404)).toEqual(['path_unknown']);
  });

  it('publishes both readings of /user/{character}', () => {
    const user = document.paths['/user/{character}'];
    expect(user?.get?.parameters?.[0]?.schema).toMatchObject({
      type: 'string',
      minLength: 1,
      maxLength: 100,
    });
    expect(user?.put?.parameters?.[0]?.schema).toMatchObject({ type: 'integer', minimum: 0 });
  });

  it('leaves no field without words', () => {
    const silent: string[] = [];
    const walk = (schema: JsonSchema, at: string) => {
      for (const [name, of] of Object.entries(schema.properties ?? {})) {
        const words = of.description ?? of.$ref ?? of.anyOf?.find(({ $ref }) => $ref)?.$ref;
        if (words === undefined) silent.push(`${at}.${name}`);
        walk(of, `${at}.${name}`);
      }
      for (const of of schema.anyOf ?? []) walk(of, at);
      if (schema.items !== undefined) walk(schema.items, `${at}[]`);
    };
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      expect(schema.description, name).toMatch(/\S/);
      walk(schema, name);
    }
    for (const [at, { responses }] of all) {
      for (const response of Object.values(responses)) {
        for (const { schema } of Object.values(resolved(response).content ?? {})) walk(schema, at);
      }
    }
    expect(silent).toEqual([]);
  });

  it('holds nothing that makes generators stumble', () => {
    // A field with a default counts as required; a parameter with a media type of its own has no schema to read.
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      const defaults = Object.values(schema.properties ?? {}).filter((of) => 'default' in of);
      expect(defaults, name).toEqual([]);
    }
    for (const [at, { parameters = [] }] of all) {
      for (const parameter of parameters)
        expect(parameter, `${at} ${parameter.name}`).toHaveProperty('schema');
    }
  });

  it('gives entries to no schema that is no array: the types of events in a query are a text', () => {
    const others: string[] = [];
    const walk = (part: unknown, at: string) => {
      if (typeof part !== 'object' || part === null) return;
      const { type, items } = part as JsonSchema;
      if (items !== undefined && ![type].flat().includes('array')) others.push(at);
      for (const [name, of] of Object.entries(part)) walk(of, `${at}/${name}`);
    };
    walk({ paths: document.paths, components: document.components }, '');
    expect(others).toEqual([]);
    const types = document.paths['/event']?.get?.parameters?.find(({ name }) => name === 'types');
    expect(types?.schema).toEqual({ type: 'string' });
  });

  it('holds no pattern that Java or Rust refuses: there `\\0` is an error', () => {
    const patterns = new Set<string>();
    const walk = (part: unknown) => {
      if (typeof part !== 'object' || part === null) return;
      const { pattern } = part as JsonSchema;
      if (typeof pattern === 'string') patterns.add(pattern);
      for (const of of Object.values(part)) walk(of);
    };
    walk(document);
    expect(patterns).toContain('^[0-9a-f]{24}$');
    expect([...patterns].filter((pattern) => pattern.includes('\\0'))).toEqual([]);
  });

  it('D91: holds unions that generators read: none in another one, and lists that changed before values', () => {
    // One within another hides that a value may be null. A list that is read as a value loses who came and who left.
    const nested: string[] = [];
    const walk = (part: unknown, at: string) => {
      if (typeof part !== 'object' || part === null) return;
      const { anyOf = [] } = part as JsonSchema;
      const nulls = anyOf.filter(({ type }) => type === 'null');
      if (anyOf.some((member) => member.anyOf) || (nulls.length > 0 && nulls[0] !== anyOf.at(-1)))
        nested.push(at);
      for (const [name, of] of Object.entries(part)) walk(of, `${at}/${name}`);
    };
    walk(document, '');
    expect(nested).toEqual([]);
    const { Change, ValueChange } = document.components.schemas;
    const names = ['ListChange', 'ValueChange'];
    expect(Change?.anyOf).toEqual(names.map((name) => ({ $ref: `#/components/schemas/${name}` })));
    const types = ValueChange?.properties?.before?.anyOf?.map(({ type }) => type);
    expect(types).toEqual(['string', 'number', 'boolean', 'array', 'null']);
  });

  it('D1, D121: gives generators no content for the usual answer of a deletion, which has no body', () => {
    const previewed = contracted.filter(
      ([where, { parameters }]) =>
        where.startsWith('DELETE') && parameters?.some(({ name }) => name === 'dry_run'),
    );
    expect(previewed).toHaveLength(4);
    for (const [where, { responses }] of previewed) {
      const { content, description } = resolved(responses[200] as OpenApiResponse);
      expect(content, where).toBeUndefined();
      expect(description, where).toContain(`\`${PREVIEW_TYPE}\` with the schema \`Preview\``);
    }
  });

  it('D92: says of positions and ids everywhere that they need 64 bits', () => {
    const of = (path: string, name: string) =>
      document.paths[path]?.get?.parameters?.find((parameter) => parameter.name === name)?.schema;
    const int64 = { type: 'integer', format: 'int64', maximum: Number.MAX_SAFE_INTEGER };
    expect(of('/audit', 'actor')).toMatchObject(int64);
    expect(of('/event', 'limit')).not.toHaveProperty('format');
    const { headers, schemas } = document.components;
    expect(headers['Castellan-Position']?.schema.format).toBe('int64');
    expect(schemas.Why?.properties?.position?.format).toBe('int64');
  });

  it('D92: has no union among parameters, whose name generated clients write instead of the value', () => {
    const schemas = Object.values(document.paths)
      .flatMap((methods) => Object.values(methods))
      .flatMap(({ parameters = [] }) => parameters.map(({ schema }) => schema));
    expect(schemas.filter(({ type, anyOf }) => anyOf !== undefined || Array.isArray(type))).toEqual([]);
    const after = document.paths['/event']?.get?.parameters?.find(({ name }) => name === 'after');
    // Without a type some clients would write a cursor as JSON.
    expect(after).toMatchObject({
      description: expect.stringMatching(/^A cursor.+ without quotes/),
      schema: {},
    });
  });

  it('D92: says of every number that it has 64 bits, as ids are numbers in changes, too', () => {
    const short: unknown[] = [];
    const look = (part: unknown): void => {
      if (typeof part !== 'object' || part === null) return;
      const { type, format } = part as JsonSchema;
      if ([type].flat().includes('number') && format !== 'double') short.push(part);
      for (const inner of Object.values(part)) look(inner);
    };
    look([document.paths, document.components.schemas]);
    expect(short).toEqual([]);
  });

  it('links to contacts, and to guides that exist', async () => {
    expect(document.info.contact.url).toMatch(/^https:/);
    for (const { name, externalDocs } of document.tags) {
      const [guide] = externalDocs?.url.match(/docs\/[a-z-]+\.md$/) ?? [];
      const text = await readFile(new URL(`../../${guide}`, import.meta.url), 'utf8');
      expect(text, name).toMatch(/^# /);
    }
  });

  it('promises of no text that repeats a caller’s URL that generators can parse it: `{path}` and `é` may be in it', () => {
    const formatted = Object.entries(document.components.schemas).flatMap(([name, { properties = {} }]) =>
      Object.entries(properties).flatMap(([field, { format }]) =>
        format === 'uri' ? [`${name}.${field}`] : [],
      ),
    );
    // Made by the service and the provider.
    expect(formatted).toEqual(['Login.login_url']);
  });

  it('marks what may be null', () => {
    const { Corporation, PutGroup } = document.components.schemas;
    expect(Corporation?.properties?.alliance?.anyOf).toEqual([
      { $ref: '#/components/schemas/AllianceShort' },
      { type: 'null' },
    ]);
    expect(PutGroup?.properties?.members?.type).toEqual(['array', 'null']);
    expect(PutGroup?.required).toBeUndefined();
  });

  it('gives examples that the contract itself accepts', () => {
    const published = new Map(all.map(([, operation]) => [operation.operationId, operation]));
    for (const { route, metadata } of operations()) {
      const operation = published.get(metadata.operationId);
      if ('body' in route && route.body instanceof z.ZodType) {
        const example = operation?.requestBody?.content['application/json']?.example;
        expect(route.body.safeParse(example).error, metadata.operationId).toBeUndefined();
      }
      for (const [status, response] of Object.entries(route.responses)) {
        if (!(response instanceof z.ZodType)) continue;
        const answer = resolved(operation?.responses[status] as OpenApiResponse);
        // Unknown fields would be stripped, so equality also shows that an example has none.
        for (const example of examplesIn(answer.content?.['application/json'] as Media))
          expect(response.parse(example), `${metadata.operationId} ${status}`).toEqual(example);
      }
    }
  });

  it('carries the version of the package', async () => {
    const manifest = await readFile(new URL('../../package.json', import.meta.url), 'utf8');
    expect(JSON.parse(manifest)).toMatchObject({ version: API_VERSION });
    expect(document.info.version).toBe(API_VERSION);
  });

  it('reads the same from its YAML', () => {
    expect(parse(openApiYaml(document))).toEqual(JSON.parse(JSON.stringify(document)));
  });

  it('reads the same from its YAML for readers of YAML 1.1, to whom a plain `yes` is true and a plain time a date', () => {
    const read = parse(openApiYaml(document), { version: '1.1' });
    expect(read.components.schemas.Why.properties.answer.enum).toEqual(['yes', 'no', 'unknown']);
    expect(read).toEqual(JSON.parse(JSON.stringify(document)));
  });
});

describe('the sentence about access', () => {
  it('tells tokens, level, authority and what is checked besides', () => {
    const sentence = accessSentence({
      tokens: ['per', 'use'],
      level: 3,
      authority: { over: 'alliance', mode: 'read', param: 'alliance_id' },
      fields: { rank: 5 },
      besides: 'And the moon must be full.',
    });
    expect(sentence).toBe(
      'a permanent app token or a user token whose owner has clearance level 3 or more, and read authority over the alliance that `alliance_id` names. Setting rank needs level 5. And the moon must be full.',
    );
  });
});

import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type OpenApiOperation, openApiDocument } from '../../contract/openapi.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { type DatabaseProxy, startProxy } from '../harness/proxy.ts';
import { type Sent, send } from '../harness/send.ts';

interface Example {
  readonly method: string;
  readonly path: string;
  readonly operation: OpenApiOperation;
}

/** Every operation of the document as its examples have it, by its name. */
const all = Object.entries(openApiDocument().paths).flatMap(([template, methods]) =>
  Object.entries(methods).map(([method, operation]): [string, Example] => {
    const path = template.replace(/\{(\w+)\}/g, (_, name: string) => {
      const parameter = operation.parameters?.find((it) => it.in === 'path' && it.name === name);
      return encodeURI(String(parameter?.example));
    });
    return [operation.operationId, { method: method.toUpperCase(), path, operation }];
  }),
);
/** What the service answers for all operations alike, before any of them is at work. */
const withToken = all.filter(([, { operation }]) => operation.security.length > 0);
const withBody = withToken.filter(([, { operation }]) => '415' in operation.responses);
/** Health checks are about the database itself. */
const stateful = all.filter(
  ([, { operation }]) => '503' in operation.responses && !operation.tags.includes('service'),
);
const limited = all.filter(([, { operation }]) => '429' in operation.responses);

let app: TestApp;
let proxy: DatabaseProxy;
let tokens: Readonly<Record<string, string>>;
beforeAll(async () => {
  app = await startTestApp({
    databaseBy: async (url) => {
      proxy = await startProxy(url);
      return proxy.url;
    },
  });
  const user = await app.client(app.root).token.createUserToken();
  tokens = {
    per: app.root,
    dyn: await app.dynamicToken(),
    use: user.status === 200 ? user.body.user_token : '',
  };
});
afterEach(() => proxy.mend());
afterAll(() => app.stop());

/** The example of an operation, sent by somebody who may do everything. */
function ask({ method, path, operation }: Example, sent: Sent = {}, query = '') {
  const access = operation['x-access'];
  const [kind = 'per'] = typeof access === 'object' ? access.tokens : [];
  return send(app, method, path + query, { token: tokens[kind], ...sent });
}

/** The query of an operation that needs one to be looked at. */
function queryOf({ operation: { parameters = [], security } }: Example): string {
  const asked = parameters.filter((it) => it.in === 'query' && (it.required || security.length === 0));
  const values = Object.fromEntries(asked.map(({ name, example }) => [name, String(example)]));
  return `?${new URLSearchParams(values)}`;
}

describe.each(withToken)('%s', (_, example) => {
  it('answers a parameter that it does not know with 422', async () => {
    const { status, json } = await ask(example, {}, '?surprise=1');
    expect([status, json.code]).toEqual([422, 'invalid_request']);
  });
});

describe.each(withBody)('%s, which takes a body', (_, example) => {
  it('answers one in an encoding that it cannot read with 415', async () => {
    const answer = await ask(example, { body: '{}', headers: { 'content-encoding': 'br' } });
    expect([answer.status, answer.json.code]).toEqual([415, 'encoding_unsupported']);
  });

  it('answers one that is too large with 413', async () => {
    const answer = await ask(example, { body: `{"comments":"${'x'.repeat(1_100_000)}"}` });
    expect([answer.status, answer.json.code]).toEqual([413, 'body_too_large']);
  });
});

describe('every operation', () => {
  it('D8: answers 503 while the database cannot be reached', async () => {
    await proxy.cut();
    for (const [name, example] of stateful) {
      expect([name, (await ask(example, {}, queryOf(example))).status]).toEqual([name, 503]);
    }
  });

  it('D2: answers what nobody foresaw with 500, and the name of a report', async () => {
    await sql.raw('alter table tokens rename to tokens_away').execute(app.db);
    for (const [name, example] of withToken) {
      const { status, json } = await ask(example);
      expect([name, status, json.crash_report_id]).toEqual([name, 500, expect.any(String)]);
    }
    await sql.raw('alter table tokens_away rename to tokens').execute(app.db);
  });
});

describe('D60: every operation that is counted', () => {
  let narrow: TestApp;
  beforeAll(async () => {
    narrow = await startTestApp({ env: { RATE_LIMIT: '1' } });
  });
  beforeEach(() => narrow.clock.advance(60_000));
  afterAll(() => narrow.stop());

  it('answers 429 once the minute is used up', async () => {
    expect((await send(narrow, 'GET', '/token')).status).toBe(401);
    for (const [name, { method, path }] of limited) {
      expect([name, (await send(narrow, method, path)).status]).toEqual([name, 429]);
    }
  });
});

import { randomBytes } from 'node:crypto';
import type { Updateable } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ExternalForwardRequest } from '../../contract/ext.ts';
import { openApiDocument } from '../../contract/openapi.ts';
import type { Database } from '../../server/database/tables.ts';
import { refusal } from '../../server/ext/refusal.ts';
import { grantBinding } from '../../server/grant/grant.queries.ts';
import { createVault } from '../../server/keys/vault.ts';
import { createDocument } from '../../server/provider/operations.ts';
import { letIn, setLevel } from '../fixtures/registry.ts';
import { documentedFetch, type SignedIn, startTestApp, type TestApp } from '../harness/app.ts';
import { meanwhile } from '../harness/meanwhile.ts';
import { forgetProvider, madeAnswer } from '../harness/provider.ts';
import { type Problem, send } from '../harness/send.ts';

/** A CEO and two members of one corporation; the simulated world is the same in each run. */
let app: TestApp;
let caller: SignedIn;
let other: SignedIn;

const SCOPES = ['ext-skills.read_skills.v1', 'ext-wallet.read_character_wallet.v1', 'publicData'];

beforeAll(async () => {
  app = await startTestApp();
  const { world } = app.provider;
  const alliance = world.alliances[0]?.id ?? 0;
  await letIn(app, { alliances: [alliance] });
  const [corporation = 0] = world.corporationsOf(alliance);
  const [one = 0, two = 0] = world.membersOf(corporation).filter((id) => !world.character(id)?.isCeo);
  caller = await app.signIn(one, { scopes: SCOPES });
  other = await app.signIn(two, { scopes: SCOPES });
  await app.app.services.document.current();
});
afterAll(() => app.stop());
afterEach(() => app.provider.reset());

const skillsOf = ({ user }: SignedIn) => `characters/${user.character_id}/skills`;

/** Forwards by GET, as clients without the SDK do. */
function rawGet(path: string, init: RequestInit & { token?: string } = {}) {
  const { token = caller.token, ...rest } = init;
  return documentedFetch(`${app.url}/ext/${path}`, {
    ...rest,
    headers: { Authorization: `Bearer ${token}` },
  });
}

describe('D34: a process that was left out when a key was added', () => {
  it('answers with a clear 503, logs it once, and leaves the grant to the processes that have the key', async () => {
    const { db, clock } = app;
    const { character_id } = other.user;
    const [grant] = await db
      .selectFrom('grants')
      .selectAll()
      .where('character_id', '=', character_id)
      .execute();
    if (grant === undefined) throw new Error('there is no grant');
    const [id, elsewhere] = [grant.grant_id, createVault([{ id: 'new', key: randomBytes(32) }])];
    const store = (set: Updateable<Database['grants']>) =>
      db.updateTable('grants').set(set).where('grant_id', '=', id).execute();
    const crashes = async () => db.selectFrom('crash_reports').select('id').execute();
    const before = await crashes();
    for (const set of [
      {
        access_token: elsewhere.encrypt('access', grantBinding(id, 'access_token')),
        access_expires_on: new Date(clock.now().getTime() + 3_600_000),
      },
      {
        access_token: null,
        access_expires_on: null,
        refresh_token: elsewhere.encrypt('refresh', grantBinding(id, 'refresh_token')),
      },
    ]) {
      await store(set);
      const answer = await other.client.ext.forward({ params: { esi_path: skillsOf(other) } });
      expect(answer).toMatchObject({
        status: 503,
        body: { code: 'encryption_key_missing', detail: expect.stringContaining('encryption key new') },
      });
    }
    const [after] = await db
      .selectFrom('grants')
      .selectAll()
      .where('character_id', '=', character_id)
      .execute();
    expect(after).toMatchObject({ valid: true, refresh_started_on: null });
    expect(await crashes()).toEqual(before);
    expect(app.logged.filter((line) => line.includes('add it to ENCRYPTION_KEYS'))).toHaveLength(1);
    await store({
      access_token: grant.access_token,
      access_expires_on: grant.access_expires_on,
      refresh_token: grant.refresh_token,
    });
  });
});

describe('D30: forwarding', () => {
  it("answers with data, harmless headers, annotations and the provider's status", async () => {
    const answer = await caller.client.ext.forward({ params: { esi_path: skillsOf(caller) } });
    expect(answer).toMatchObject({
      status: 200,
      body: { data: { total_sp: expect.any(Number) }, id_annotations: {}, status_code: 200 },
    });
    const { headers } = answer.body as { headers: Record<string, string> };
    expect(headers).toHaveProperty('etag');
    expect(Object.keys(headers)).not.toContain('set-cookie');
    expect(JSON.stringify(answer.body)).not.toContain('eyJ');
  });

  it('sends only GET to the provider, whether it is called by POST or by GET', async () => {
    await caller.client.ext.forward({ params: { esi_path: 'universe/systems/30000142' } });
    const byGet = await caller.client.ext.forwardGet({ params: { esi_path: 'universe/systems/30000142' } });
    expect(byGet.status).toBe(200);
    const sent = app.provider.requests.filter(({ area }) => area === 'api');
    expect(new Set(sent.map(({ method }) => method))).toEqual(new Set(['GET']));
  });

  it('takes what the OpenAPI document shows as an example, in both forms', async () => {
    const forms = openApiDocument().paths['/ext/{esi_path}'];
    const shown = (forms?.get?.parameters ?? []).filter(({ example }) => example !== undefined);
    const path = String(shown.find(({ name }) => name === 'esi_path')?.example);
    const inQuery = shown.filter((parameter) => parameter.in === 'query');
    const query = new URLSearchParams(
      Object.fromEntries(inQuery.map(({ name, example }) => [name, String(example)])),
    );
    const body = forms?.post?.requestBody?.content['application/json']?.example as ExternalForwardRequest;
    const byPost = await caller.client.ext.forward({ params: { esi_path: path }, body });
    const byGet = await rawGet(`${path}?${query}`);
    expect([byPost.status, byGet.status]).toEqual([200, 200]);
    expect(Object.keys(body.params ?? {})).not.toEqual([]);
    expect(query.has('params')).toBe(true);
  });

  it.each(['9007199254740993', '-9007199254740993', '[1,12345678901234567890]', '1e300'])(
    'D3b: %s in `params`, which JSON rounds, is a 422 that asks for text',
    async (number) => {
      const params = `{"type_id":${number}}`;
      const refused = (from: string) => ({
        status: 422,
        json: { detail: [{ loc: [from, 'params', 'type_id'], msg: expect.stringContaining('as text') }] },
      });
      const { token } = caller;
      const byPost = await send(app, 'POST', '/ext/markets/10000001/orders', {
        token,
        body: `{"params":${params}}`,
      });
      expect(byPost).toMatchObject(refused('body'));
      const path = `/ext/markets/10000001/orders?params=${encodeURIComponent(params)}`;
      expect(await send(app, 'GET', path, { token })).toMatchObject(refused('query'));
    },
  );

  it('takes the fields of a GET from the query, `params` as JSON', async () => {
    const query = new URLSearchParams({ id_annotations: 'true', params: '{"page":2}' });
    const answer = await rawGet(`markets/10000001/orders?${query}`);
    expect(answer.status).toBe(200);
    const asked = app.provider.requests.filter(({ route }) => route === '/markets/{region_id}/orders');
    expect(asked.map(({ query }) => query)).toEqual(['page=2']);
  });

  it.each([
    ['params=%7B', ['query', 'params']],
    ['all_pages=yes', ['query', 'all_pages']],
    ['on_behalf_of=x', ['query', 'on_behalf_of']],
    ['params=%7B%22token%22%3A%22x%22%7D', ['query', 'params', 'token']],
    ['params=%7B%22__proto__%22%3A%22x%22%7D', ['query', 'params', '__proto__']],
  ])('refuses the query %s with a 422', async (query, loc) => {
    const answer = await rawGet(`status?${query}`);
    expect(answer.status).toBe(422);
    expect(await answer.json()).toMatchObject({ detail: [{ loc }] });
  });

  it('D3: `params` of a query that are null are none, and a list is told what it has to be', async () => {
    expect((await rawGet('status?params=null')).status).toBe(200);
    expect(await (await rawGet('status?params=[]')).json()).toMatchObject({
      detail: [{ loc: ['query', 'params'], msg: 'Expected object, received array' }],
    });
  });

  describe('writes a list in `params` as the provider’s document declares for the parameter', () => {
    const ask = async (labels: string | (number | string)[]) => {
      const id = caller.user.character_id;
      const { client } = await app.signIn(id, { scopes: [...SCOPES, 'ext-mail.read_mail.v1'] });
      await forgetProvider(app);
      app.provider.reset();
      const params = { esi_path: `characters/${id}/mail` };
      const fields = { params: { labels } };
      const byPost = await client.ext.forward({ params, body: fields });
      await forgetProvider(app);
      const byGet = await client.ext.forwardGet({ params, query: fields });
      const [query, ...others] = app.provider.requests
        .filter(({ route }) => route?.endsWith('/mail'))
        .map((request) => request.query);
      expect([byGet.status, others]).toEqual([byPost.status, [query]]);
      const { data } = byPost.body as { data: { labels: number[] }[] };
      return { status: byPost.status, query, data };
    };

    it('with a pair for each value, where it says nothing else', async () => {
      const { data, query } = await ask([2, '8']);
      expect(query).toBe('labels=2&labels=8');
      expect(new Set(data.flatMap(({ labels }) => labels))).toEqual(new Set([2, 8]));
    });

    it('an empty one is left out', async () => {
      expect(await ask([])).toMatchObject({ status: 200, query: '' });
    });

    it.each<[string | string[], number, string]>([
      ['8', 200, 'labels=8'],
      ['2,8', 400, 'labels=2%2C8'],
      [['2,8'], 400, 'labels=2%2C8'],
    ])('%j stays as it is', async (labels, status, query) => {
      expect(await ask(labels)).toMatchObject({ status, query });
    });
  });

  describe('refuses parameters that the provider’s document does not declare for the path', () => {
    const ORDERS = 'markets/10000001/orders';
    const refused = (loc: string[], takes: string) => ({
      loc,
      msg: `Not a parameter of this path, which takes ${takes}`,
      type: 'unrecognized_keys',
    });

    it('naming each, and the declared ones, without asking the provider', async () => {
      app.provider.reset();
      const answer = await caller.client.ext.forward({
        params: { esi_path: ORDERS },
        body: { params: { page: 1, n: 7, datasource: 'tranquility', token: 'x' } },
      });
      expect(answer).toMatchObject({
        status: 422,
        body: {
          detail: ['n', 'datasource', 'token'].map((name) =>
            refused(['body', 'params', name], 'order_type, page, type_id'),
          ),
        },
      });
      expect(app.provider.requests).toEqual([]);
    });

    it('at their location: body or query, of a GET with a body, too', async () => {
      const inQuery = await rawGet(`status?params=${encodeURIComponent('{"n":1}')}`);
      expect(inQuery.status).toBe(422);
      expect(await inQuery.json()).toEqual({
        detail: [refused(['query', 'params', 'n'], 'none')],
        code: 'invalid_request',
      });
      const inBody = await send(app, 'GET', '/ext/status', {
        token: caller.token,
        body: { params: { n: 1 } },
      });
      expect(inBody).toMatchObject({
        status: 422,
        json: { detail: [refused(['body', 'params', 'n'], 'none')] },
      });
    });

    it('those of a GET come in its query or its body, not in both', async () => {
      const { token } = caller;
      const body = { id_annotations: true };
      expect(await send(app, 'GET', '/ext/status?all_pages=true', { token, body })).toMatchObject({
        status: 422,
        json: { code: 'invalid_request', detail: [{ loc: ['query', 'all_pages'] }] },
      });
      const only = [
        send(app, 'GET', '/ext/status', { token, body }),
        send(app, 'GET', '/ext/status?all_pages=true', { token, body: {} }),
      ];
      expect((await Promise.all(only)).map(({ status }) => status)).toEqual([200, 200]);
    });

    it('D3: a list as body of a GET is refused', async () => {
      const answer = await send<Problem>(app, 'GET', '/ext/status', { token: caller.token, body: [] });
      expect(answer).toMatchObject({ status: 422, json: { code: 'invalid_request' } });
    });

    it('but not those that are null, which means absent', async () => {
      const body = { params: { n: null, token: null } };
      expect((await caller.client.ext.forward({ params: { esi_path: ORDERS }, body })).status).toBe(200);
    });

    it('names no more than twenty of them', async () => {
      const names = Array.from({ length: 100 }, (_, n) => [`n${n}`, 1]);
      const answer = await caller.client.ext.forward({
        params: { esi_path: 'status' },
        body: { params: Object.fromEntries(names) },
      });
      expect(answer.status === 422 && answer.body.detail).toHaveLength(20);
    });

    it('all_pages adds no page parameter to a path without pages', async () => {
      app.provider.reset();
      const path = `alliances/${app.provider.world.alliances[1]?.id}`;
      const answer = await caller.client.ext.forward({
        params: { esi_path: path },
        body: { all_pages: true },
      });
      expect(answer.status).toBe(200);
      expect(app.provider.requests.map(({ query }) => query)).toEqual(['']);
    });
  });

  it('answers a refusal of the provider with its status and message, and says that it is the provider’s', async () => {
    const answer = await caller.client.ext.forward({ params: { esi_path: 'corporations/99999999' } });
    expect(answer).toMatchObject({
      status: 404,
      body: {
        detail: 'Corporation not found',
        data: { error: 'Corporation not found' },
        headers: { 'content-type': expect.any(String) },
        status_code: 404,
      },
    });
    const ours = await caller.client.ext.forward({ params: { esi_path: 'corporations/none' } });
    expect(ours.status).toBe(404);
    expect(Object.keys(ours.body as object)).toEqual(['detail', 'code']);
  });

  it.each([
    [400, 400],
    [401, 502],
    [403, 403],
    [418, 418],
    [422, 422],
  ])('answers its %i with %i, single pages and joined ones alike', async (theirs, ours) => {
    app.clock.advance(301_000);
    app.provider.faults.add('/markets/10000002/orders', { kind: 'status', status: theirs });
    const params = { esi_path: 'markets/10000002/orders' };
    const { forward, forwardGet } = caller.client.ext;
    for (const answer of [
      await forward({ params, body: { all_pages: false } }),
      await forward({ params, body: { all_pages: true } }),
      await forwardGet({ params }),
    ]) {
      expect(answer).toMatchObject({
        status: ours,
        body: {
          detail: expect.stringMatching(/./),
          code: 'provider_refused',
          data: expect.anything(),
          status_code: theirs,
        },
      });
    }
  });

  it.each([
    ['{"error":""}', 'The game answered 403.'],
    ['{"message":"no"}', 'The game answered 403.'],
    ['"Not you"', 'Not you'],
    ['', 'The game answered 403.'],
    [JSON.stringify({ error: 'x'.repeat(9_999) }), 'x'.repeat(500)],
  ])('finds a sentence for %j', async (body, detail) => {
    const answered = refusal(madeAnswer(403, body === '' ? null : JSON.parse(body)));
    expect(answered.message).toBe(detail);
  });

  it('answers 502 to a failing provider, and to one that does not answer in JSON', async () => {
    app.provider.faults.add('/status', { kind: 'status', status: 500, as: 'html' } as never);
    expect((await caller.client.ext.forward({ params: { esi_path: 'status' } })).status).toBe(502);
    app.provider.faults.clear();
    app.provider.faults.add('/status', { kind: 'not json' });
    expect((await caller.client.ext.forward({ params: { esi_path: 'status' } })).status).toBe(502);
  });

  it('D2: answers 502 to a refusal that is nested too deeply to be repeated', async () => {
    app.provider.faults.add('/status', { kind: 'status', status: 404, as: 'nested' });
    expect(await caller.client.ext.forward({ params: { esi_path: 'status' } })).toMatchObject({
      status: 502,
      body: { code: 'provider_unavailable' },
    });
  });

  it('answers 404 without a valid refresh token with the scope', async () => {
    const path = `characters/${caller.user.character_id}/location`;
    const answer = await caller.client.ext.forward({ params: { esi_path: path } });
    expect(answer).toMatchObject({
      status: 404,
      body: {
        detail: `Could not find valid refresh token for character ${caller.user.character_id}`,
        code: 'no_refresh_token',
      },
    });
  });

  it('refuses unknown fields of the body, in both forms', async () => {
    const headers = { Authorization: `Bearer ${caller.token}` };
    const sent = { method: 'POST', headers, body: '{"pages": true}' };
    const answer = await documentedFetch(`${app.url}/ext/status`, sent);
    expect(answer.status).toBe(422);
    expect(await answer.json()).toMatchObject({ detail: [{ loc: ['body', 'pages'] }] });
  });
});

describe('D31: the path', () => {
  it('drops a version prefix and a trailing slash', async () => {
    for (const path of [`latest/${skillsOf(caller)}`, `v4/${skillsOf(caller)}`]) {
      expect((await caller.client.ext.forward({ params: { esi_path: path } })).status).toBe(200);
    }
    expect((await rawGet(`${skillsOf(caller)}/`)).status).toBe(200);
  });

  it('answers 404 to a path that the document does not list, without asking the provider', async () => {
    app.provider.reset();
    const answer = await caller.client.ext.forward({ params: { esi_path: 'characters/1/secrets' } });
    expect(answer.status).toBe(404);
    expect(app.provider.requests).toEqual([]);
  });

  it.each([
    ['latest/characters/1/secrets/', '/characters/1/secrets'],
    ['characters/ä<b>\u202e', '/characters/%C3%A4%3Cb%3E%E2%80%AE'],
    ['x'.repeat(900), `/${'x'.repeat(199)}…`],
  ])('a 404 repeats the path as it was understood: %s', async (esi_path, understood) => {
    const answer = await caller.client.ext.forward({ params: { esi_path } });
    expect(answer).toMatchObject({
      status: 404,
      body: { detail: `Could not find the path ${understood} in the game's API`, code: 'ext_path_unknown' },
    });
  });

  it.each([
    'status%252e',
    'x%2f..%2fstatus',
    'a%2f%2fb',
    'status%3Ftoken=x',
    'status%23',
    'http:%2f%2fevil.example',
    'status%0a',
    '%2fstatus',
  ])('answers 422 to %s, decoded once', async (path) => {
    const answer = await rawGet(path);
    expect(answer.status).toBe(422);
    expect(await answer.json()).toMatchObject({ detail: [{ loc: ['path', 'esi_path'] }] });
  });

  it.each(['ä', '{hash}', 'a|b', '"'])(
    'answers 422 to %s where the document takes any text',
    async (segment) => {
      const template = '/killmails/{killmail_id}/{killmail_hash}';
      const document = createDocument([
        {
          ...{ method: 'GET', template, integers: ['killmail_id'], query: [], lists: [] },
          ...{ scope: null, rateGroup: null, paged: false, cacheSeconds: null },
        },
      ]);
      const current = vi.spyOn(app.app.services.document, 'current').mockResolvedValue(document);
      try {
        app.provider.reset();
        const answer = await caller.client.ext.forward({ params: { esi_path: `killmails/1/${segment}` } });
        expect(answer).toMatchObject({ status: 422, body: { detail: [{ loc: ['path', 'esi_path'] }] } });
        expect(app.provider.requests).toEqual([]);
      } finally {
        current.mockRestore();
      }
    },
  );

  it('never forwards what lies below history/', async () => {
    app.provider.reset();
    expect((await rawGet('history/characters')).status).toBe(404);
    expect(app.provider.requests).toEqual([]);
  });
});

describe('D17: on behalf of another user', () => {
  it('needs read authority over that user', async () => {
    const request = {
      params: { esi_path: skillsOf(other) },
      body: { on_behalf_of: other.user.character_id },
    };
    await setLevel(app, caller.user.character_id, 0);
    expect((await caller.client.ext.forward(request)).status).toBe(403);
    await setLevel(app, caller.user.character_id, 1);
    expect(await caller.client.ext.forward(request)).toMatchObject({
      status: 200,
      body: { status_code: 200 },
    });
    await setLevel(app, caller.user.character_id, 0);
  });

  it('needs none if the path requires no scope', async () => {
    const body = { on_behalf_of: other.user.character_id };
    expect((await caller.client.ext.forward({ params: { esi_path: 'status' }, body })).status).toBe(200);
  });

  it('answers 404 for a user that is not registered', async () => {
    const body = { on_behalf_of: 2_199_999_999 };
    expect((await caller.client.ext.forward({ params: { esi_path: skillsOf(caller) }, body })).status).toBe(
      404,
    );
  });

  it('never shows a user what was fetched for another one', async () => {
    const mine = await caller.client.ext.forward({ params: { esi_path: skillsOf(caller) } });
    const theirs = await other.client.ext.forward({ params: { esi_path: skillsOf(caller) } });
    expect(mine).toMatchObject({ body: { status_code: 200 } });
    expect(theirs).toMatchObject({ status: 403, body: { status_code: 403 } });
  });
});

describe('D32: all_pages and id_annotations', () => {
  it('joins all pages in order', async () => {
    const path = 'universe/types';
    const first = await caller.client.ext.forward({ params: { esi_path: path } });
    const all = await caller.client.ext.forward({ params: { esi_path: path }, body: { all_pages: true } });
    const one = first.body as { data: number[]; headers: Record<string, string> };
    const joined = all.body as { data: number[] };
    const pages = Number(one.headers['x-pages']);
    expect(pages).toBeGreaterThan(1);
    expect(joined.data.slice(0, one.data.length)).toEqual(one.data);
    expect(joined.data.length).toBeGreaterThan(one.data.length * (pages - 1));
    expect(new Set(joined.data).size).toBe(joined.data.length);
  });

  it('a page among `params` says nothing where all pages are joined', async () => {
    await forgetProvider(app);
    app.provider.reset();
    const params = { esi_path: 'universe/types' };
    const all = await caller.client.ext.forward({ params, body: { all_pages: true, params: { page: 2 } } });
    expect(all.status).toBe(200);
    const asked = app.provider.requests.filter(({ route }) => route === '/universe/types');
    expect(asked.map(({ query }) => query).sort()).toEqual(asked.map((_, n) => `page=${n + 1}`));
  });

  it('requests names in bulk, and only once: later they are in the database', async () => {
    const request = {
      params: {
        esi_path: `corporations/${app.provider.world.character(caller.user.character_id)?.corporationId}`,
      },
      body: { id_annotations: true },
    };
    const first = await caller.client.ext.forward(request);
    const { data, id_annotations } = first.body as {
      data: { ceo_id: number };
      id_annotations: Record<string, string>;
    };
    expect(id_annotations[data.ceo_id]).toBe(app.provider.world.character(data.ceo_id)?.name);
    app.provider.reset();
    expect((await caller.client.ext.forward(request)).body).toMatchObject({ id_annotations });
    expect(app.provider.requests.filter(({ path }) => path.includes('names'))).toEqual([]);
  });

  it('names the recipients of mails and the parties of contracts, and asks for no mailing list', async () => {
    const { world } = app.provider;
    const id = caller.user.character_id;
    const { client } = await app.signIn(id, {
      scopes: [...SCOPES, 'ext-mail.read_mail.v1', 'ext-contracts.read_character_contracts.v1'],
    });
    await app.db.deleteFrom('names').execute();
    app.provider.reset();
    const ask = async <Entry>(what: string) => {
      const params = { esi_path: `characters/${id}/${what}` };
      const { status, body } = await client.ext.forward({ params, body: { id_annotations: true } });
      expect(status).toBe(200);
      return body as { data: Entry[]; id_annotations: Record<string, string> };
    };
    type Mail = { recipients: { recipient_id: number; recipient_type: string }[] };
    const mails = await ask<Mail>('mail');
    const recipients = mails.data.flatMap((mail) => mail.recipients);
    expect(new Set(recipients.map(({ recipient_type }) => recipient_type))).toEqual(
      new Set(['character', 'corporation', 'alliance', 'mailing_list']),
    );
    for (const { recipient_id, recipient_type } of recipients)
      expect(recipient_id in mails.id_annotations, recipient_type).toBe(recipient_type !== 'mailing_list');
    const contracts = await ask<{ issuer_id: number; assignee_id: number }>('contracts');
    expect(contracts.data.length).toBeGreaterThan(0);
    for (const { issuer_id, assignee_id } of contracts.data)
      expect(contracts.id_annotations).toMatchObject({
        [issuer_id]: world.character(issuer_id)?.name,
        [assignee_id]: world.character(assignee_id)?.name,
      });
    const named = app.provider.requests.filter(({ route }) => route === '/universe/names');
    expect(new Set(named.map(({ status }) => status))).toEqual(new Set([200]));
  });

  it('answers without names while they are not available', async () => {
    await app.db.deleteFrom('names').execute();
    app.provider.faults.add('/universe/names', { kind: 'reset' });
    const answer = await caller.client.ext.forward({
      params: { esi_path: `alliances/${app.provider.world.alliances[0]?.id}` },
      body: { id_annotations: true },
    });
    expect(answer).toMatchObject({ status: 200, body: { status_code: 200, id_annotations: {} } });
  });
});

describe('D20, D27b, D29b: a call that waits is judged again', () => {
  /** A moment at which the provider answers. */
  function gate(path: `/${string}`) {
    let open: () => void = () => undefined;
    const until = new Promise<void>((resolve) => {
      open = resolve;
    });
    app.provider.faults.add(path, { kind: 'hold', until });
    return open;
  }
  const arrived = (count: number) =>
    expect.poll(() => app.provider.requests.filter(({ area }) => area === 'api').length).toBe(count);
  /** As if so many milliseconds had passed. */
  function later(milliseconds: number) {
    const now = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => now() + milliseconds);
  }
  /** A user whose assets have several pages. */
  async function manyAssets(): Promise<number> {
    const { world } = app.provider;
    const home = Number(caller.user.corporation);
    for (const id of world.membersOf(home).filter((one) => one !== caller.user.character_id)) {
      const { client } = await app.signIn(id, { scopes: ['ext-assets.read_assets.v1'] });
      const { body } = await client.ext.forward({ params: { esi_path: `characters/${id}/assets` } });
      if (Number((body as { headers: Record<string, string> }).headers['x-pages']) > 1) return id;
    }
    return expect.unreachable();
  }
  afterEach(() => vi.restoreAllMocks());

  it('where its turn comes after its token was revoked: 401', async () => {
    const signedIn = await app.signIn(caller.user.character_id, { scopes: SCOPES });
    await forgetProvider(app);
    app.provider.reset();
    // With a rate group of their own they need not take turns to learn the error limit.
    app.provider.setRateLimit('market-order', 1_000_000);
    const paths = Array.from({ length: 17 }, (_, n) => `markets/${12_000_001 + n}/orders`);
    const opens = paths.map((path) => gate(`/${path}`));
    const forward = (esi_path: string) => signedIn.client.ext.forward({ params: { esi_path } });
    const calls = paths.slice(1).map(forward);
    await arrived(16);
    calls.push(forward(paths[0] ?? ''));
    // Takes the same way up to where the other one waits.
    expect((await forward('nowhere')).status).toBe(404);
    await app.client(signedIn.token).token.logout();
    later(500);
    for (const open of opens) open();
    // Those under way took long and are not answered either; the one that waited was not even asked.
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(Array(17).fill(401));
    await arrived(16);
  });

  it('where its caller was demoted while the use of another user’s token was recorded: 403', async () => {
    const { client, user } = await app.signIn(caller.user.character_id, { scopes: SCOPES });
    await setLevel(app, user.character_id, 1);
    const on_behalf_of = other.user.character_id;
    const esi_path = `characters/${on_behalf_of}/wallet`;
    app.provider.reset();
    const answer = await meanwhile(
      app,
      'lock table events in share mode',
      [],
      () => client.ext.forward({ params: { esi_path }, body: { on_behalf_of } }),
      async () => {
        await setLevel(app, user.character_id, 0);
        later(500);
      },
    );
    expect(answer).toMatchObject({ status: 403, body: { code: 'no_authority' } });
    await arrived(0);
  });

  it('before further pages of a joined answer, the authority over another user too: 403', async () => {
    const on_behalf_of = await manyAssets();
    const esi_path = `characters/${on_behalf_of}/assets`;
    await setLevel(app, caller.user.character_id, 1);
    await forgetProvider(app);
    app.provider.reset();
    const open = gate(`/${esi_path}`);
    const body = { all_pages: true, on_behalf_of };
    const call = caller.client.ext.forward({ params: { esi_path }, body });
    await arrived(1);
    await setLevel(app, caller.user.character_id, 0);
    later(2_000);
    open();
    expect(await call).toMatchObject({ status: 403, body: { code: 'no_authority' } });
    await arrived(1);
  });
});

describe('D33: one caller cannot starve the others', () => {
  it('answers 429 after 20 provider errors in a minute, to that caller alone', async () => {
    app.clock.advance(61_000);
    const statuses: number[] = [];
    for (let id = 0; id < 25; id += 1) {
      const answer = await other.client.ext.forward({
        params: { esi_path: `corporations/${97_000_000 + id}` },
      });
      statuses.push(answer.status);
    }
    expect(statuses.filter((status) => status === 404)).toHaveLength(20);
    expect(statuses.slice(20)).toEqual([429, 429, 429, 429, 429]);
    expect((await caller.client.ext.forward({ params: { esi_path: 'status' } })).status).toBe(200);
    expect((await app.signIn(caller.user.character_id)).user.character_id).toBe(caller.user.character_id);
    app.clock.advance(61_000);
    expect((await other.client.ext.forward({ params: { esi_path: 'status' } })).status).toBe(200);
  });
});

import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ok } from '../../sdk/src/index.ts';
import { allEvents } from '../fixtures/events.ts';
import { uuidOf } from '../fixtures/users.ts';
import { type Client, newSigningKey, startTestApp, type TestApp } from '../harness/app.ts';
import { callerAt } from '../harness/caller.ts';

const BACK = 'https://wiki.example/back';
const UNKNOWN = '0123456789abcdef01234567';

let app: TestApp;
let root: Client;
beforeAll(async () => {
  app = await startTestApp();
  root = app.client(app.root);
});
afterAll(() => app.stop());

type Body = Parameters<Client['oidc']['createClient']>[0]['body'];
const create = (body: Partial<Body> = {}) =>
  root.oidc.createClient({ body: { client_name: 'Wiki', redirect_uris: [BACK], ...body } });
const made = (body: Partial<Body> = {}) => ok(create(body));
const newGroup = (group_name: string) => ok(root.group.create({ body: { group_name } }));

describe('D81: clients', () => {
  it('D81: creating one answers 201 with its secret, which is never shown again', async () => {
    const answer = await create();
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      client_id: expect.stringMatching(/^[0-9a-f]{24}$/),
      client_secret: expect.stringMatching(/^[\w-]{43}$/),
      client_name: 'Wiki',
      redirect_uris: [BACK],
      post_logout_redirect_uris: [],
      backchannel_logout_uri: null,
      public: false,
      allowed_groups: null,
      first_party: false,
      id_token_signed_response_alg: 'RS256',
      created_on: app.clock.now().toISOString(),
      last_used_on: null,
    });
  });

  it('D81: the secret is stored as a hash, and no other answer contains it', async () => {
    const { client_id, client_secret = '' } = await made();
    const row = await app.db
      .selectFrom('oidc_clients')
      .selectAll()
      .where('client_id', '=', client_id)
      .executeTakeFirstOrThrow();
    expect(row.secret_hash).toBe(createHash('sha256').update(client_secret).digest('hex'));
    const shown = [
      await ok(root.oidc.getClient({ params: { client_id } })),
      await ok(root.oidc.listClients()),
      await ok(root.oidc.updateClient({ params: { client_id }, body: {} })),
    ];
    expect(JSON.stringify(shown)).not.toContain(client_secret);
    expect(JSON.stringify(shown)).not.toContain(row.secret_hash);
    expect(app.logged.join()).not.toContain(client_secret);
  });

  it('D81: a public one has no secret; renewing it is a 409', async () => {
    const client = await made({ public: true });
    expect(client).toMatchObject({ public: true });
    expect(client).not.toHaveProperty('client_secret');
    const { client_id } = client;
    expect(await root.oidc.renewSecret({ params: { client_id } })).toMatchObject({
      status: 409,
      body: { code: 'client_is_public' },
    });
  });

  it('D81: a new secret replaces the former one', async () => {
    const { client_id, client_secret } = await made();
    const renewed = await ok(root.oidc.renewSecret({ params: { client_id } }));
    expect(renewed).toEqual({ client_id, client_secret: expect.stringMatching(/^[\w-]{43}$/) });
    expect(renewed.client_secret).not.toBe(client_secret);
  });

  it('D9: they are listed by name, ignoring case', async () => {
    for (const client_name of ['zebra', 'Aardvark', 'apple']) await made({ client_name });
    const names = (await ok(root.oidc.listClients())).map(({ client_name }) => client_name);
    expect(names.filter((name) => name !== 'Wiki')).toEqual(['Aardvark', 'apple', 'zebra']);
  });

  it('D81: an update changes what it holds; null changes nothing (D3)', async () => {
    const group = await newGroup('Editors');
    const {
      client_id,
      client_secret: _,
      ...before
    } = await made({
      backchannel_logout_uri: 'http://127.0.0.1:9/logout',
      allowed_groups: [group.group_id],
      post_logout_redirect_uris: ['https://wiki.example/'],
    });
    expect(before.allowed_groups).toEqual([group.group_id]);
    const put = (body: Parameters<Client['oidc']['updateClient']>[0]['body']) =>
      ok(root.oidc.updateClient({ params: { client_id }, body }));
    expect(await put({})).toEqual({ client_id, ...before });
    const nothing = {
      ...{ client_name: null, redirect_uris: null, first_party: null, allowed_groups: null },
      ...{ post_logout_redirect_uris: null, backchannel_logout_uri: null },
    };
    expect(await put(nothing)).toEqual({ client_id, ...before });
    // What can be changed of what was answered, sent back as it is.
    const { public: _p, created_on: _c, last_used_on: _l, ...changeable } = before;
    expect(await put(changeable)).toEqual({ client_id, ...before });
    // D81: and so can what it was registered with.
    expect(await put({ public: false })).toEqual({ client_id, ...before });
    expect(await root.oidc.updateClient({ params: { client_id }, body: { public: true } })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'public'] }] },
    });
    expect(await put({ first_party: true, id_token_signed_response_alg: 'EdDSA' })).toEqual({
      client_id,
      ...before,
      first_party: true,
      id_token_signed_response_alg: 'EdDSA',
    });
    expect(await put({ backchannel_logout_uri: '', allowed_groups: [] })).toMatchObject({
      backchannel_logout_uri: null,
      allowed_groups: null,
    });
    expect(await put({ allowed_groups: [] })).toMatchObject({ allowed_groups: null });
  });

  it('D84: when its only allowed group is deleted, nobody may sign in, not everybody', async () => {
    const { group_id } = await newGroup('Short-lived');
    const { client_id } = await made({ allowed_groups: [group_id] });
    await ok(root.group.delete({ params: { group_id } }));
    expect(await ok(root.oidc.getClient({ params: { client_id } }))).toMatchObject({ allowed_groups: [] });
    // Nor does whoever sends back what he was shown let in everybody.
    const update = (allowed_groups: string[]) =>
      ok(root.oidc.updateClient({ params: { client_id }, body: { allowed_groups } }));
    expect(await update([])).toMatchObject({ allowed_groups: [] });
    const other = await newGroup('Long-lived');
    expect(await update([other.group_id])).toMatchObject({ allowed_groups: [other.group_id] });
    expect(await update([])).toMatchObject({ allowed_groups: null });
  });

  it('D90: events tell what was changed about a client and by whom, and never its secret', async () => {
    const before = new Set((await allEvents(app.db)).map(({ event_id }) => event_id));
    const { client_id, client_secret = '' } = await made({ client_name: 'Told' });
    const params = { client_id };
    await ok(root.oidc.updateClient({ params, body: { first_party: true, redirect_uris: [`${BACK}/new`] } }));
    await ok(root.oidc.updateClient({ params, body: { first_party: true } }));
    const renewed = await ok(root.oidc.renewSecret({ params }));
    await ok(root.oidc.deleteClient({ params }));
    const told = (await allEvents(app.db)).filter(({ event_id }) => !before.has(event_id));
    const targets = [{ type: 'oidc_client', id: client_id, name: 'Told' }];
    const actor = expect.objectContaining({ kind: 'app', character_id: 0, token: uuidOf(app.root) });
    expect(told).toMatchObject([
      { type: 'oidc.client_created', actor, targets },
      {
        type: 'oidc.client_updated',
        ...{ actor, targets },
        changes: [
          { field: 'redirect_uris', before: [BACK], after: [`${BACK}/new`] },
          { field: 'first_party', before: false, after: true },
        ],
      },
      { type: 'oidc.client_updated', actor, targets, changes: [], reason: 'It has a new secret.' },
      { type: 'oidc.client_deleted', actor, targets },
    ]);
    expect(told[0]?.changes).toContainEqual({ field: 'redirect_uris', before: null, after: [BACK] });
    for (const secret of [client_secret, renewed.client_secret]) {
      expect(JSON.stringify(told)).not.toContain(secret);
      expect(JSON.stringify(told)).not.toContain(createHash('sha256').update(secret).digest('hex'));
    }
    const audited = await ok(
      root.audit.list({ query: { type: 'oidc.client_updated', target: `oidc_client:${client_id}` } }),
    );
    expect(audited).toHaveLength(2);
  });

  it('D6: unknown clients and groups are a 404 that names them', async () => {
    const params = { client_id: UNKNOWN };
    const answers = [
      await root.oidc.getClient({ params }),
      await root.oidc.updateClient({ params, body: {} }),
      await root.oidc.deleteClient({ params }),
      await root.oidc.renewSecret({ params }),
      await create({ allowed_groups: [UNKNOWN] }),
    ];
    for (const answer of answers) {
      expect(answer).toMatchObject({ status: 404, body: { detail: expect.stringContaining(UNKNOWN) } });
    }
  });

  it('D81: a deleted one no longer exists', async () => {
    const { client_id } = await made();
    await ok(root.oidc.deleteClient({ params: { client_id } }));
    expect((await root.oidc.getClient({ params: { client_id } })).status).toBe(404);
  });

  it('D14: a caller who is demoted meanwhile registers nothing', async () => {
    const caller = await callerAt(app, { id: 2_150_000_001, level: 10 });
    await app.db
      .updateTable('users')
      .set({ clearance_level: 9 })
      .where('character_id', '=', 2_150_000_001)
      .execute();
    const body = { client_name: 'Late', redirect_uris: [BACK] };
    expect((await caller.oidc.createClient({ body })).status).toBe(403);
  });
});

describe('D81: redirect URIs', () => {
  it.each([
    'https://wiki.example',
    'https://wiki.example:8443/back?keep=this',
    'http://localhost:3000/back',
    'http://127.0.0.1/back',
    'http://127.8.9.10:1/',
    'http://[::1]:3000/back',
  ])('%s is taken as it is', async (uri) => {
    expect((await made({ redirect_uris: [uri] })).redirect_uris).toEqual([uri]);
  });

  it.each([
    'http://wiki.example/back',
    'http://localhost.wiki.example/back',
    'http://127.0.0.1.wiki.example/back',
    'https://wiki.example/back#part',
    'https://user:secret@wiki.example/back',
    'https://wiki.example/ä',
    'https://wiki.example/with space',
    'javascript:alert(1)',
    'wiki://back',
    '/back',
    `https://wiki.example/${'a'.repeat(2000)}`,
  ])('%s is refused: 422', async (uri) => {
    for (const field of ['redirect_uris', 'post_logout_redirect_uris']) {
      const answer = await create({ [field]: [uri] });
      expect(answer).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', field, 0] }] } });
    }
    expect(await create({ backchannel_logout_uri: uri })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'backchannel_logout_uri'] }] },
    });
  });

  it('at least one, at most 20', async () => {
    expect((await create({ redirect_uris: [] })).status).toBe(422);
    const many = Array.from({ length: 21 }, (_, n) => `https://wiki.example/${n}`);
    expect((await create({ redirect_uris: many })).status).toBe(422);
    expect((await create({ redirect_uris: many.slice(1) })).status).toBe(201);
  });
});

describe('D81: limits of an instance', () => {
  it('D29: in production a logout URI that is not public is refused', async () => {
    const strict = await startTestApp({ env: { CALLBACK_ALLOW_PRIVATE: 'false' } });
    const { oidc } = strict.client(strict.root);
    const body = (backchannel_logout_uri: string) => ({
      body: { client_name: 'Wiki', redirect_uris: [BACK], backchannel_logout_uri },
    });
    expect(await oidc.createClient(body('https://10.0.0.1/logout'))).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'backchannel_logout_uri'] }] },
    });
    const { client_id } = await ok(oidc.createClient(body('https://8.8.8.8/logout')));
    const update = { params: { client_id }, body: { backchannel_logout_uri: 'http://127.0.0.1/logout' } };
    expect((await oidc.updateClient(update)).status).toBe(422);
    await strict.stop();
  });

  it('D80: without an RSA key ID tokens are signed with EdDSA, and RS256 is refused', async () => {
    const keys = JSON.stringify({ keys: [await newSigningKey()] });
    const poor = await startTestApp({ env: { TOKEN_SIGNING_KEYS: keys } });
    const { oidc } = poor.client(poor.root);
    const body = { client_name: 'Wiki', redirect_uris: [BACK] };
    const client = await ok(oidc.createClient({ body }));
    expect(client.id_token_signed_response_alg).toBe('EdDSA');
    expect(
      await oidc.createClient({ body: { ...body, id_token_signed_response_alg: 'RS256' } }),
    ).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'id_token_signed_response_alg'] }] } });
    const discovered = await fetch(`${poor.url}/.well-known/openid-configuration`).then((it) => it.json());
    expect(discovered).toMatchObject({ id_token_signing_alg_values_supported: ['EdDSA'] });
    await poor.stop();
  });
});

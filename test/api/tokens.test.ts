import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ok } from '../../sdk/src/index.ts';
import { inTransaction } from '../../server/database/transaction.ts';
import { rootToken } from '../../server/token/root-token.ts';
import { deleteUserTokens } from '../../server/user/user-tokens.queries.ts';
import { setLevel } from '../fixtures/registry.ts';
import { addHome, addMember, claimsOf, HOME, makeToken, uuidOf } from '../fixtures/users.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { INSUFFICIENT } from '../harness/refusals.ts';
import { send } from '../harness/send.ts';

let app: TestApp;
let lastId = 2_120_000_000;

beforeAll(async () => {
  app = await startTestApp();
  await addHome(app);
});
afterAll(() => app.stop());

const CALLBACK = 'https://fleet.example/castellan?keep=1';
const UUID_4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const FORBIDDEN = { status: 403, body: { detail: INSUFFICIENT } };

function member(level = 0) {
  lastId += 1;
  return addMember(app, lastId, level);
}

/** A permanent token of a new user. */
async function permanent(level: number) {
  const { id } = await member(level);
  const jwt = await rootToken(app.app.services, id);
  return { id, jwt, uuid: uuidOf(jwt), client: app.client(jwt) };
}

async function userTokenOf(per: string): Promise<string> {
  const answer = await app.client(per).token.createUserToken();
  if (answer.status !== 200) throw new Error(`no user token: ${answer.status}`);
  return answer.body.user_token;
}

async function works(jwt: string): Promise<boolean> {
  const { status } = await app.client(jwt).user.list();
  if (status !== 200 && status !== 401) throw new Error(`GET /user answers ${status}`);
  return status === 200;
}

describe('Token operations: get current token', () => {
  it('GET /token describes a user token and its owner', async () => {
    const { id, uuid, jwt, name } = await member(4);
    const row = await app.db.selectFrom('tokens').selectAll().where('uuid', '=', uuid).executeTakeFirst();
    expect(await app.client(jwt).token.current()).toMatchObject({
      status: 200,
      body: {
        callback: null,
        comments: null,
        created_on: row?.created_on.toISOString(),
        expires_on: row?.expires_on?.toISOString(),
        owner: {
          character_id: id,
          character_name: name,
          clearance_level: 4,
          corporation: String(HOME.corporation),
          alliance: HOME.alliance,
          coalitions: [HOME.coalition],
        },
        parent: row?.parent,
        token_type: 'use',
        uuid,
      },
    });
  });

  it('GET /token of a permanent token: callback, comments, no expiry', async () => {
    const body = { callback: CALLBACK, comments: 'Fleet planner' };
    const made = await app.client(app.root).token.createPermanent({ body });
    if (made.status !== 200) throw new Error('not made');
    expect(await app.client(made.body.tkn).token.current()).toMatchObject({
      status: 200,
      body: {
        ...body,
        expires_on: null,
        owner: { character_id: 0, character_name: '(built-in)', clearance_level: 10 },
        parent: uuidOf(app.root),
        token_type: 'per',
      },
    });
  });

  it('needs an owner of level 0: a guest is a 403 (D5)', async () => {
    const guest = await member();
    await setLevel(app, guest.id, -1);
    expect(await app.client(guest.jwt).token.current()).toMatchObject(FORBIDDEN);
  });

  it('needs two statements', async () => {
    const { jwt } = await member();
    await app.client(jwt).token.current();
    const before = app.statements.length;
    await app.client(jwt).token.current();
    expect(app.statements.length - before).toBeLessThanOrEqual(2);
  });
});

describe('Token operations rule 1 and D21: delete', () => {
  it.each(['dyn', 'per', 'use'] as const)(
    'level 10 deletes a %s token, at once, with 200 and no payload',
    async (kind) => {
      const { uuid, jwt } = await makeToken(app, kind, 0, uuidOf(app.root));
      const answer = await app.client(app.root).token.delete({ query: { uuid } });
      expect(answer).toMatchObject({ status: 200, body: undefined });
      expect(await app.client(jwt).token.current()).toMatchObject({
        status: 401,
        body: { detail: 'The token was revoked or is unknown.', code: 'token_revoked' },
      });
    },
  );

  it('user tokens of all generations are deleted in pieces: a statement would not delete millions of them', async () => {
    const { uuid } = await makeToken(app, 'per', 0, uuidOf(app.root));
    const child = await makeToken(app, 'dyn', 0, uuid);
    const beside = await makeToken(app, 'use', 0, uuidOf(app.root));
    for (const parent of [uuid, uuid, uuid, uuid, child.uuid, child.uuid, child.uuid]) {
      await makeToken(app, 'use', 0, parent);
    }
    const before = app.statements.length;
    await inTransaction(app.db, (tx) => deleteUserTokens(tx, { appToken: uuid }, 3));
    expect(app.statements.slice(before).filter((text) => text.includes('delete from tokens'))).toHaveLength(
      3,
    );
    const left = await app.db
      .selectFrom('tokens')
      .select('uuid')
      .where('parent', 'in', [uuid, child.uuid])
      .execute();
    expect(left).toEqual([{ uuid: child.uuid }]);
    expect(await app.client(beside.jwt).token.current()).toMatchObject({ status: 200 });
    expect(await app.client(app.root).token.delete({ query: { uuid } })).toMatchObject({ status: 200 });
  });

  it.each(['dyn', 'per', 'use'] as const)('level 9 deletes no %s token, not even its own', async (kind) => {
    const nine = await member(9);
    const { uuid } = await makeToken(app, kind, 0, uuidOf(app.root));
    for (const target of [uuid, nine.uuid]) {
      expect(await app.client(nine.jwt).token.delete({ query: { uuid: target } })).toMatchObject(FORBIDDEN);
    }
    expect(await app.db.selectFrom('tokens').select('uuid').where('uuid', '=', uuid).execute()).toHaveLength(
      1,
    );
  });

  it('a token of any other type cannot be stored, so none can be deleted', async () => {
    const odd = { ...(await app.db.selectFrom('tokens').selectAll().executeTakeFirstOrThrow()) };
    const row = { ...odd, uuid: '5a0d7c1a-2b3c-4d5e-8f60-718293a4b5c6', token_type: 'odd' as 'dyn' };
    await expect(app.db.insertInto('tokens').values(row).execute()).rejects.toThrow(
      'tokens_token_type_check',
    );
  });

  it('D6: an unknown uuid is a 404 that names it; below level 10 it stays a 403', async () => {
    const unknown = '5a0d7c1a-2b3c-4d5e-8f60-718293a4b5c6';
    expect(await app.client(app.root).token.delete({ query: { uuid: unknown } })).toMatchObject({
      status: 404,
      body: { detail: `Could not find token ${unknown}` },
    });
    const { jwt } = await member(9);
    expect(await app.client(jwt).token.delete({ query: { uuid: unknown } })).toMatchObject(FORBIDDEN);
  });

  it.each(['', '?uuid=', '?uuid=1', '?uuid=5a0d7c1a-2b3c-1d5e-8f60-718293a4b5c6'])(
    'DELETE /token%s is a 422: the uuid is one of version 4',
    async (query) => {
      expect(await send(app, 'DELETE', `/token${query}`, { token: app.root })).toMatchObject({
        status: 422,
        json: { detail: [{ loc: ['query', 'uuid'] }] },
      });
    },
  );

  it('deletes all descendants of the token, and its state codes', async () => {
    const per = await makeToken(app, 'per', 0, uuidOf(app.root));
    const dyn = await makeToken(app, 'dyn', 0, per.uuid);
    const line = [
      dyn,
      await makeToken(app, 'use', 0, dyn.uuid),
      await makeToken(app, 'per', 0, per.uuid),
      await makeToken(app, 'use', 0, per.uuid),
    ];
    const login = await app.client(dyn.jwt).token.startLogin({ body: {} });
    if (login.status !== 200) throw new Error('the sign-in did not start');
    const other = await makeToken(app, 'per', 0, uuidOf(app.root));
    const codes = () =>
      app.db.selectFrom('state_codes').select('app_token').where('app_token', '=', dyn.uuid).execute();
    expect(await codes()).toHaveLength(1);

    expect((await app.client(app.root).token.delete({ query: { uuid: per.uuid } })).status).toBe(200);

    for (const { jwt } of [per, ...line]) {
      expect((await app.client(jwt).token.current()).status).toBe(401);
    }
    expect(await codes()).toEqual([]);
    expect(await works(other.jwt)).toBe(true);
    expect(await works(app.root)).toBe(true);
  });

  it('a sign-in that the deleted token started cannot be completed', async () => {
    const dyn = await makeToken(app, 'dyn', 0, uuidOf(app.root));
    const login = await app.client(dyn.jwt).token.startLogin({ body: {} });
    if (login.status !== 200) throw new Error('the sign-in did not start');
    await app.client(app.root).token.delete({ query: { uuid: dyn.uuid } });
    const answer = await app.browse(login.body.login_url, { characterId: 2_112_000_001 });
    expect(answer.status).toBe(400);
  });
});

describe('D4, Token rule 2: create an app token', () => {
  const body = { callback: CALLBACK };

  it.each(['dyn', 'per'] as const)(
    'POST /token/%s: level below 10 is a 403 before anything else',
    async (kind) => {
      const nine = await permanent(9);
      const use = await member(9);
      const dyn = await makeToken(app, 'dyn', nine.id);
      for (const token of [nine.jwt, use.jwt, dyn.jwt]) {
        for (const sent of [body, {}, '{broken']) {
          expect(await send(app, 'POST', `/token/${kind}`, { token, body: sent })).toMatchObject({
            status: 403,
            json: FORBIDDEN.body,
          });
        }
      }
    },
  );

  it.each(['dyn', 'per'] as const)(
    'POST /token/%s: then any token that is not per is a 401',
    async (kind) => {
      const ten = await member(10);
      const dyn = await makeToken(app, 'dyn', 0, uuidOf(app.root));
      for (const token of [ten.jwt, dyn.jwt]) {
        for (const sent of [body, {}, '{broken']) {
          expect(await send(app, 'POST', `/token/${kind}`, { token, body: sent })).toMatchObject({
            status: 401,
            headers: { 'www-authenticate': 'Bearer' },
            json: { detail: 'Unauthorized', code: 'token_type_refused' },
          });
        }
      }
    },
  );

  it.each(['dyn', 'per'] as const)('POST /token/%s: then the body', async (kind) => {
    for (const sent of [{}, { callback: 'ftp://fleet.example' }, { callback: CALLBACK, owner: 7 }]) {
      const answer = await send(app, 'POST', `/token/${kind}`, { token: app.root, body: sent });
      expect(answer).toMatchObject({
        status: 422,
        json: { detail: [{ loc: ['body', expect.any(String)] }] },
      });
    }
  });

  it.each(['dyn', 'per'] as const)(
    'POST /token/%s: the new token has the owner of the caller as owner and the caller as parent',
    async (kind) => {
      const ten = await permanent(10);
      const { createDynamic, createPermanent } = ten.client.token;
      const create = kind === 'dyn' ? createDynamic : createPermanent;
      const made = await ok(create({ body: { ...body, comments: 'ours' } }));
      expect(Object.keys(made)).toEqual(['tkn']);
      const uuid = uuidOf(made.tkn);
      expect(claimsOf(made.tkn)).toMatchObject({ sub: String(ten.id), typ: kind, azp: uuid });
      expect(uuid).toMatch(UUID_4);
      const row = await app.db.selectFrom('tokens').selectAll().where('uuid', '=', uuid).executeTakeFirst();
      expect(row).toMatchObject({
        token_type: kind,
        owner_id: ten.id,
        parent: ten.uuid,
        app_token: uuid,
        callback: CALLBACK,
        comments: 'ours',
        expires_on: null,
      });
    },
  );

  it('comments: null is the same as none', async () => {
    const made = await app.client(app.root).token.createPermanent({ body: { ...body, comments: null } });
    if (made.status !== 200) throw new Error('not made');
    expect(await app.client(made.body.tkn).token.current()).toMatchObject({ body: { comments: null } });
  });
});

describe('Token rules 3 and 5: start a login with a dynamic app token', () => {
  it('any token that is not dyn is a 401 with a message of its own, at any level and before the body', async () => {
    const guest = await member();
    await setLevel(app, guest.id, -1);
    for (const token of [app.root, (await member(10)).jwt, guest.jwt]) {
      for (const body of [{}, { scopes: 'x' }, '{broken']) {
        expect(await send(app, 'POST', '/token/use/from/dyn', { token, body })).toMatchObject({
          status: 401,
          headers: { 'www-authenticate': 'Bearer' },
          json: { detail: 'Must use a dynamic app token for this path.' },
        });
      }
    }
  });

  it('the owner needs level 0', async () => {
    const guest = await member();
    const dyn = await makeToken(app, 'dyn', guest.id);
    expect((await app.client(dyn.jwt).token.startLogin()).status).toBe(200);
    await setLevel(app, guest.id, -1);
    expect(await app.client(dyn.jwt).token.startLogin()).toMatchObject(FORBIDDEN);
  });

  it('without a body: a login URL for the public-data scope and a state code, a UUID tied to the token', async () => {
    const dyn = await makeToken(app, 'dyn', 0, uuidOf(app.root));
    const answer = await app.client(dyn.jwt).token.startLogin();
    if (answer.status !== 200) throw new Error(`the sign-in did not start: ${answer.status}`);
    const { login_url, state_code } = answer.body;
    expect(state_code).toMatch(UUID_4);
    const query = new URL(login_url).searchParams;
    expect(login_url.startsWith(app.provider.ssoUrl)).toBe(true);
    expect(query.get('state')).toBe(state_code);
    expect(query.get('scope')).toBe('publicData');
    const row = await app.db
      .selectFrom('state_codes')
      .select('app_token')
      .where('state_code', '=', state_code)
      .executeTakeFirst();
    expect(row?.app_token).toBe(dyn.uuid);
  });

  it('a dynamic token is refused everywhere else ("Authentication" rule 3)', async () => {
    const { jwt } = await makeToken(app, 'dyn', 0, uuidOf(app.root));
    for (const [method, path] of [
      ['GET', '/token'],
      ['DELETE', '/token'],
      ['DELETE', '/token/current'],
      ['GET', '/user'],
      ['GET', '/system/configuration'],
    ] as const) {
      expect(await send(app, method, path, { token: jwt })).toMatchObject({
        status: 401,
        headers: { 'www-authenticate': 'Bearer' },
        json: { detail: 'Cannot use a dynamic app token for this path.' },
      });
    }
  });
});

describe('decisions §1: DELETE /token/current logs out', () => {
  it('any kind except dyn, at any level, a guest too; only the calling token is deleted', async () => {
    const guest = await member();
    await setLevel(app, guest.id, -1);
    const per = await permanent(0);
    const other = await makeToken(app, 'use', per.id, uuidOf(app.root));
    for (const { jwt } of [guest, per]) {
      expect(await app.client(jwt).token.logout()).toMatchObject({ status: 200, body: undefined });
      expect((await app.client(jwt).token.logout()).status).toBe(401);
    }
    expect(await works(other.jwt)).toBe(true);
  });

  it('deletes the descendants of a permanent token with it', async () => {
    const per = await permanent(0);
    const jwt = await userTokenOf(per.jwt);
    expect((await per.client.token.logout()).status).toBe(200);
    expect(await works(jwt)).toBe(false);
  });
});

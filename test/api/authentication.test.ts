import { createHmac, generateKeyPairSync } from 'node:crypto';
import { exportJWK, generateKeyPair, importJWK, SignJWT } from 'jose';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ok } from '../../sdk/src/index.ts';
import { addHome, addMember, addUser, claimsOf, makeToken, uuidOf } from '../fixtures/users.ts';
import { BASE_URL, newSigningKey, startTestApp, type TestApp } from '../harness/app.ts';
import { send } from '../harness/send.ts';

let app: TestApp;
let signingKey: Record<string, string>;
let kid: string;
let token: string;
let uuid: string;

beforeAll(async () => {
  signingKey = (await newSigningKey()) as Record<string, string>;
  kid = signingKey['kid'] as string;
  app = await startTestApp({ env: { TOKEN_SIGNING_KEYS: JSON.stringify({ keys: [signingKey] }) } });
  await addHome(app);
  ({ jwt: token, uuid } = await addMember(app, 2_120_000_001, 3));
});
afterAll(() => app.stop());

/** A JWT signed with the service's own key, as a thief of the key or a bug could make it. */
async function signed(change: Readonly<Record<string, unknown>>): Promise<string> {
  const claims = Object.entries({ ...claimsOf(token), ...change }).filter(([, value]) => value !== undefined);
  return new SignJWT(Object.fromEntries(claims))
    .setProtectedHeader({ alg: 'EdDSA', kid })
    .sign(await importJWK(signingKey, 'EdDSA'));
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}

/** Checks a refusal (D4): 401, one sentence, `WWW-Authenticate`, and never the token. */
async function refused(jwt: string, detail: string | RegExp): Promise<void> {
  const answer = await send(app, 'GET', '/token', { token: jwt });
  expect(answer).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer' } });
  if (typeof detail === 'string') expect(answer.json).toEqual({ detail, code: expect.any(String) });
  else expect(answer.json.detail).toMatch(detail);
  for (const part of jwt.split('.').filter((piece) => piece.length > 4)) {
    expect(answer.text).not.toContain(part);
    expect(app.logged.join()).not.toContain(part);
  }
}

describe('Authentication rule 1: a JWT in the Authorization header', () => {
  it('an unchanged token is accepted, and so is one with the same claims signed again', async () => {
    expect(await app.client(token).token.current()).toMatchObject({ status: 200, body: { uuid } });
    expect(await signed({})).toBe(token);
  });

  it('D4: a missing Authorization header is a 401 that says so', async () => {
    const answer = await app.client().token.current();
    expect(answer).toMatchObject({
      status: 401,
      body: { detail: 'The Authorization header is missing.', code: 'token_missing' },
    });
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  });

  it.each([
    ...['', 'Bearer', 'Bearer ', 'Basic dXNlcjpwYXNz', 'Token abc', 'bearer a.b', 'Bearer a.b.c.d'],
    ...['Bearer a b.c.d', 'Bearer ..', 'Bearer é.b.c', 'Bearer a.b.'],
  ])('D4: the header %j is not of the form "Bearer <jwt>"', async (authorization) => {
    expect(await send(app, 'GET', '/token', { headers: { authorization } })).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': 'Bearer' },
      json: {
        detail: 'The Authorization header is not of the form "Bearer <jwt>".',
        code: 'token_malformed',
      },
    });
  });

  it('D4: a bare token without "Bearer" is refused, and not echoed', async () => {
    const answer = await send(app, 'GET', '/token', { headers: { authorization: token } });
    expect(answer.status).toBe(401);
    expect(answer.text).not.toContain(token.split('.')[1]);
  });

  it('the scheme is read in any case (RFC 9110)', async () => {
    const answer = await send(app, 'GET', '/token', { headers: { authorization: `bearer ${token}` } });
    expect(answer.status).toBe(200);
  });

  it('a token in the query or in a cookie is ignored', async () => {
    const answer = await send(app, 'GET', `/token?authorization=${token}&access_token=${token}`, {
      headers: { cookie: `authorization=${token}` },
    });
    expect(answer.json).toEqual({
      detail: 'The Authorization header is missing.',
      code: 'token_missing',
    });
  });
});

describe('D20: the claims of a JWT', () => {
  it('are iss, jti, sub, azp, typ, iat, nbf, and exp if it expires; the header has the key id', async () => {
    const row = await app.db
      .selectFrom('tokens')
      .selectAll()
      .where('uuid', '=', uuid)
      .executeTakeFirstOrThrow();
    const seconds = (date: Date | null) => Math.floor((date?.getTime() ?? 0) / 1000);
    expect(claimsOf(token)).toEqual({
      iss: BASE_URL,
      jti: uuid,
      sub: '2120000001',
      azp: row.app_token,
      typ: 'use',
      iat: seconds(row.created_on),
      nbf: seconds(row.created_on),
      exp: seconds(row.expires_on),
    });
    expect(JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString())).toEqual({
      alg: 'EdDSA',
      kid,
    });
    expect(claimsOf(app.root)).not.toHaveProperty('exp');
    expect(claimsOf(app.root)).toMatchObject({ typ: 'per', sub: '0', azp: uuidOf(app.root) });
  });

  it('the published keys verify it, and contain no private part', async () => {
    const answer = await send<{ keys: Record<string, string>[] }>(app, 'GET', '/.well-known/jwks.json');
    expect(answer.json.keys).toEqual([
      { kty: 'OKP', crv: 'Ed25519', kid, x: signingKey['x'], alg: 'EdDSA', use: 'sig' },
    ]);
  });
});

describe('D20: attacks on the signature', () => {
  it('alg none', async () => {
    const body = token.split('.')[1];
    for (const alg of ['none', 'None', 'NONE']) {
      const header = encode({ alg, kid });
      await refused(`${header}.${body}.`, 'The Authorization header is not of the form "Bearer <jwt>".');
      await refused(`${header}.${body}.AAAA`, 'The token was signed with an algorithm that is not accepted.');
    }
  });

  it('HS256 with the public key as its secret', async () => {
    const { keys } = (await send<{ keys: Record<string, string>[] }>(app, 'GET', '/.well-known/jwks.json'))
      .json;
    const key = keys[0] as Record<string, string>;
    const secrets = [key['x'], JSON.stringify(key), JSON.stringify({ keys })];
    for (const secret of [...secrets, Buffer.from(key['x'] as string, 'base64url')]) {
      const content = `${encode({ alg: 'HS256', kid })}.${encode(claimsOf(token))}`;
      const mac = createHmac('sha256', secret as string)
        .update(content)
        .digest('base64url');
      await refused(`${content}.${mac}`, 'The token was signed with an algorithm that is not accepted.');
    }
  });

  it("a foreign key with the service's key id, given in the header or not", async () => {
    const { privateKey, publicKey } = await generateKeyPair('EdDSA', { extractable: true });
    const jwk = await exportJWK(publicKey);
    for (const header of [{}, { jwk }, { jku: 'http://127.0.0.1:9/jwks' }, { x5c: ['AAAA'] }]) {
      const jwt = await new SignJWT(claimsOf(token))
        .setProtectedHeader({ alg: 'EdDSA', kid, ...header })
        .sign(privateKey);
      await refused(jwt, "The token's signature is not valid.");
    }
  });

  it('another algorithm of a foreign key', async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const jwt = await new SignJWT(claimsOf(token)).setProtectedHeader({ alg: 'ES256', kid }).sign(privateKey);
    await refused(jwt, 'The token was signed with an algorithm that is not accepted.');
  });

  it('an unknown key id', async () => {
    const { privateKey } = await generateKeyPair('EdDSA');
    for (const other of ['unknown', '', '../../dev/null', "' or 1=1 --"]) {
      const jwt = await new SignJWT(claimsOf(token))
        .setProtectedHeader({ alg: 'EdDSA', kid: other })
        .sign(privateKey);
      await refused(jwt, /unknown key|signature is not valid/);
    }
  });

  it.each([
    ['sub', '0'],
    ['typ', 'per'],
    ['exp', 99_999_999_999],
    ['jti', '00000000-0000-4000-8000-000000000000'],
  ])('a changed %s under the old signature', async (claim, value) => {
    const [header, , signature] = token.split('.');
    const body = encode({ ...claimsOf(token), [claim]: value });
    await refused(`${header}.${body}.${signature}`, "The token's signature is not valid.");
  });

  it('a signature that is truncated, invalid, or from another token', async () => {
    const [header, body, signature = ''] = token.split('.');
    const other = app.root.split('.')[2];
    for (const wrong of [signature.slice(0, -4), 'AAAA', other, `${signature}AAAA`, 'A'.repeat(86)]) {
      await refused(`${header}.${body}.${wrong}`, /signature is not valid|not a JWT/);
    }
  });

  it('garbage instead of header or payload', async () => {
    const [header, body, signature] = token.split('.');
    for (const wrong of ['garbage', encode([]), encode({}), 'bnVsbA']) {
      await refused(`${wrong}.${body}.${signature}`, /not a JWT|algorithm/);
      await refused(`${header}.${wrong}.${signature}`, /signature is not valid|not a JWT/);
    }
  });

  it('a very long token is refused before it is verified', async () => {
    await refused(await signed({ more: 'x'.repeat(5000) }), 'The token is not a JWT of this service.');
  });

  it('a header that is far too large is still answered in JSON', async () => {
    const answer = await send(app, 'GET', '/token', { token: `${'a'.repeat(20_000)}.b.c` });
    expect(answer.status).toBe(431);
    expect(answer.json.detail).toEqual(expect.any(String));
    expect(answer.headers['x-request-id']).toEqual(expect.any(String));
  });
});

describe('D20: wrong claims under a valid signature', () => {
  it.each([undefined, '', 7, 'elsewhere'])('the issuer %j', async (iss) => {
    await refused(await signed({ iss }), "The token's claim iss is missing or not valid.");
  });

  it.each(['https://elsewhere.test', `${BASE_URL}/`])('the issuer %s, which the error names', async (iss) => {
    await refused(await signed({ iss }), `The token was issued by ${iss}, but this service is ${BASE_URL}.`);
  });

  it.each(['jti', 'sub', 'azp', 'typ', 'iat', 'nbf'])('without %s', async (claim) => {
    await refused(
      await signed({ [claim]: undefined }),
      `The token's claim ${claim} is missing or not valid.`,
    );
  });

  it('a user token without exp', async () => {
    await refused(
      await signed({ exp: undefined }),
      'The token lacks a claim that every token of this service has.',
    );
  });

  it('expired: a minute ago, and just now', async () => {
    const now = Math.floor(app.clock.now().getTime() / 1000);
    await refused(await signed({ exp: now - 60 }), 'The token has expired.');
    await refused(await signed({ exp: now }), 'The token has expired.');
  });

  it('not valid yet', async () => {
    const later = Math.floor(app.clock.now().getTime() / 1000) + 60;
    await refused(await signed({ nbf: later }), "The token's claim nbf is missing or not valid.");
  });

  it.each([
    ['the azp of another application', { azp: '5a0d7c1a-2b3c-4d5e-8f60-718293a4b5c6' }],
    ['another owner', { sub: '0' }],
    ['another kind', { typ: 'per' }],
    ['a uuid that nobody has', { jti: '5a0d7c1a-2b3c-4d5e-8f60-718293a4b5c6' }],
  ])('%s: the row decides', async (_, change) => {
    await refused(await signed(change), 'The token was revoked or is unknown.');
  });

  it('the azp of another application that exists', async () => {
    const other = await makeToken(app, 'dyn', 0, uuidOf(app.root));
    await refused(await signed({ azp: other.uuid }), 'The token was revoked or is unknown.');
  });

  it.each([
    ['jti', 'not-a-uuid'],
    ['jti', "'; drop table tokens; --"],
    ['sub', 'Ada'],
    ['sub', '-1'],
    ['typ', 'root'],
    ['azp', 7],
  ])('%s %j', async (claim, value) => {
    await refused(
      await signed({ [claim]: value }),
      'The token lacks a claim that every token of this service has.',
    );
  });
});

describe('D20: a valid signature is never enough', () => {
  it('a token whose row was deleted is refused although its signature was verified before', async () => {
    const { jwt, uuid: gone } = await addMember(app, 2_120_000_002);
    expect((await app.client(jwt).token.current()).status).toBe(200);
    await app.db.deleteFrom('tokens').where('uuid', '=', gone).execute();
    await refused(jwt, 'The token was revoked or is unknown.');
  });

  it('the expiry in the row counts if it is earlier than that in the JWT', async () => {
    const { jwt, uuid: early } = await addMember(app, 2_120_000_003);
    expect((await app.client(jwt).token.current()).status).toBe(200);
    await app.db
      .updateTable('tokens')
      .set({ expires_on: app.clock.now() })
      .where('uuid', '=', early)
      .execute();
    await refused(jwt, 'The token has expired.');
  });
});

describe('D27b: tokens of a user who may no longer log in', () => {
  const NOT_ALLOWED = 'The owner of this token is not allowed to log in.';
  const letIn = (authorized_to_login: boolean | null) =>
    app.db.updateTable('coalitions').set({ authorized_to_login }).execute();
  afterEach(() => letIn(true));

  /** A token of each kind for a member of this level, and a user token of the built-in user that it sponsors. */
  async function tokensOf(id: number, level: number): Promise<[kind: string, jwt: string, path: string][]> {
    const use = await addMember(app, id, level);
    const per = await makeToken(app, 'per', id, uuidOf(app.root));
    const dyn = await makeToken(app, 'dyn', id, uuidOf(app.root));
    const sponsored = await ok(app.client(per.jwt).token.createUserToken());
    return [
      ['use', use.jwt, '/token'],
      ['per', per.jwt, '/token'],
      ['dyn', dyn.jwt, '/token/use/from/dyn'],
      ['of the built-in user, from the per', sponsored.user_token, '/token'],
    ];
  }
  const ask = async (path: string, jwt: string) => {
    const { token } = app.client(jwt);
    const answer = path === '/token' ? await token.current() : await token.startLogin({ body: {} });
    return { ...answer, challenge: answer.headers.get('www-authenticate') };
  };

  it.each([0, 8])(
    'of level %i: each kind is refused at the next request, and works again when that is taken back',
    async (level) => {
      for (const [kind, jwt, path] of await tokensOf(2_120_000_010 + level, level)) {
        expect((await ask(path, jwt)).status, kind).toBe(200);
        for (const closed of [false, null]) {
          await letIn(closed);
          expect(await ask(path, jwt), kind).toMatchObject({
            status: 401,
            challenge: 'Bearer',
            body: { detail: NOT_ALLOWED, code: 'login_not_allowed' },
          });
          await letIn(true);
          expect((await ask(path, jwt)).status, kind).toBe(200);
        }
      }
    },
  );

  it.each([9, 10])('of level %i: always accepted, whatever groups and coalitions say', async (level) => {
    const tokens = await tokensOf(2_120_000_020 + level, level);
    for (const closed of [false, null]) {
      await letIn(closed);
      for (const [kind, jwt, path] of tokens) expect((await ask(path, jwt)).status, kind).toBe(200);
    }
  });

  it('of the built-in user: always accepted, and so is a user token of its own permanent one', async () => {
    const sponsored = await ok(app.client(app.root).token.createUserToken());
    await letIn(false);
    for (const jwt of [app.root, sponsored.user_token]) expect((await ask('/token', jwt)).status).toBe(200);
  });

  it('the owner of the token counts, not the owner of its application', async () => {
    await addUser(app, { id: 2_120_000_050, level: 8 });
    const dyn = await makeToken(app, 'dyn', 2_120_000_050, uuidOf(app.root));
    const visitor = await addMember(app, 2_120_000_051);
    const { jwt } = await makeToken(app, 'use', visitor.id, dyn.uuid);
    expect(await ask('/token/use/from/dyn', dyn.jwt)).toMatchObject({
      body: { detail: NOT_ALLOWED, code: 'login_not_allowed' },
    });
    expect((await ask('/token', jwt)).status).toBe(200);
  });

  it('is checked before the token kind and the level (D6)', async () => {
    const { jwt } = await addMember(app, 2_120_000_006);
    await letIn(false);
    for (const path of ['/system/configuration', '/user/%00', '/crash/none']) {
      expect(await send(app, 'GET', path, { token: jwt })).toMatchObject({
        status: 401,
        json: { detail: NOT_ALLOWED, code: 'login_not_allowed' },
      });
    }
  });

  it('costs no second statement, and reads no groups and coalitions when they do not count', async () => {
    const [[, jwt] = []] = await tokensOf(2_120_000_040, 3);
    const [statement] = await statementsOf(() => app.client(jwt).user.list());
    expect(statement).toContain('from tokens');
    const asked = async (owner: number) => {
      const { uuid: token } = await makeToken(app, 'per', owner, uuidOf(app.root));
      const plan = await sql<Record<'QUERY PLAN', string>>`
        explain (analyze, costs off, timing off) ${sql.raw((statement ?? '').replace('$1', `'${token}'`))}`.execute(
        app.db,
      );
      return !plan.rows.some((row) => /Aggregate \(never executed\)/.test(row['QUERY PLAN']));
    };
    await addUser(app, { id: 2_120_000_041, level: 9 });
    expect([await asked(2_120_000_040), await asked(2_120_000_041), await asked(0)]).toEqual([
      true,
      false,
      false,
    ]);
  });

  async function statementsOf(call: () => Promise<{ status: number }>): Promise<string[]> {
    const before = app.statements.length;
    expect(await call()).toMatchObject({ status: 200 });
    const made = app.statements.slice(before);
    // One for authentication, one for the list.
    expect(made).toHaveLength(2);
    return made;
  }
});

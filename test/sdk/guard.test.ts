import { type CryptoKey, createLocalJWKSet, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { CastellanError, createCastellan } from '../../sdk/src/index.ts';
import { createGuard, createVerifier, type GuardOptions } from '../../sdk/src/server.ts';
import { addHome, addMember, makeToken, uuidOf } from '../fixtures/users.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';

const ADA = 2_193_000_001;

let app: TestApp;
let asked = 0;
/** Of the application that the guard stands in, of another one, and what each led Ada to. */
let own: string;
let tokens: Readonly<Record<'own' | 'other', string>>;

beforeAll(async () => {
  app = await startTestApp();
  await addHome(app);
  await addMember(app, ADA, 2);
  own = await app.dynamicToken();
  const other = await app.dynamicToken();
  tokens = {
    own: (await makeToken(app, 'use', ADA, uuidOf(own))).jwt,
    other: (await makeToken(app, 'use', ADA, uuidOf(other))).jwt,
  };
});
afterAll(() => app.stop());

const guard = (options: Partial<GuardOptions> = {}) =>
  createGuard({
    baseUrl: app.url,
    appToken: own,
    fetch: (...given) => {
      asked += 1;
      return fetch(...given);
    },
    ...options,
  });

const refusal = async (check: Promise<unknown>) => {
  const error = await check.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(CastellanError);
  return (error as CastellanError).status;
};

describe('D20: a guard lets in the user tokens of its own application', () => {
  it('by the token of the application, or by its uuid', async () => {
    for (const appToken of [own, uuidOf(own), uuidOf(own).toUpperCase()]) {
      const { owner } = await guard({ appToken }).check(`Bearer ${tokens.own}`, { level: 2 });
      expect(owner.character_id).toBe(ADA);
    }
    expect(await refusal(guard().check(`Bearer ${tokens.own}`, { level: 3 }))).toBe(403);
  });

  it('no token of another application, of which the service is not even asked', async () => {
    const before = asked;
    expect(await refusal(guard().check(`Bearer ${tokens.other}`))).toBe(401);
    expect(asked).toBe(before);
  });

  it('no token that only says that it is of this application', async () => {
    const [header, , signature] = tokens.other.split('.');
    const [, payload] = tokens.own.split('.');
    expect(await refusal(guard().check(`Bearer ${header}.${payload}.${signature}`))).toBe(401);
  });

  it('no application token, its own neither: whoever has that is no user', async () => {
    const permanent = await makeToken(app, 'per', ADA, uuidOf(app.root));
    for (const appToken of [own, permanent.jwt]) {
      expect(await refusal(guard({ appToken }).check(`Bearer ${appToken}`))).toBe(401);
    }
  });

  it('what a permanent token makes of itself counts as its own', async () => {
    const { jwt } = await makeToken(app, 'per', ADA, uuidOf(app.root));
    const made = await app.client(jwt).token.createUserToken();
    const user = made.status === 200 ? made.body.user_token : '';
    expect((await guard({ appToken: jwt }).check(`Bearer ${user}`)).token_type).toBe('use');
    expect(await refusal(guard().check(`Bearer ${user}`))).toBe(401);
  });

  it('and it does not work without knowing its application', () => {
    // @ts-expect-error: the application is required.
    expect(() => createGuard({ baseUrl: app.url })).toThrow(TypeError);
    expect(() => guard({ appToken: 'wiki' })).toThrow(TypeError);
  });
});

describe('D20: a guard that verifies tokens itself', () => {
  const ISSUER = 'https://castellan.example';
  const ELSEWHERE = 'This is not a token for this application.';
  const none = createLocalJWKSet({ keys: [] });
  const verifier = (keys: (...given: never[]) => unknown) =>
    createVerifier({ issuer: ISSUER, appToken: own, keys });
  const verifying = (verify: GuardOptions['verify']) => guard({ verify });
  const down = () => Promise.reject(new TypeError('fetch failed'));

  it.each([
    ['holds no such key yet', () => verifier(none)],
    ['is out of reach', () => verifier(down)],
    [
      'is not had from the service',
      () => createVerifier({ issuer: ISSUER, appToken: own, jwksUrl: `${app.url}/none` }),
    ],
  ])('leaves the token to the service where the key set %s', async (_, verify) => {
    const asking = verifying(verify());
    expect((await asking.check(`Bearer ${tokens.own}`)).owner.character_id).toBe(ADA);
    const before = asked;
    const [header, , signature] = tokens.other.split('.');
    const forged = `${header}.${tokens.own.split('.')[1]}.${signature}`;
    expect(await refusal(asking.check(`Bearer ${forged}`))).toBe(401);
    expect(await refusal(asking.check(`Bearer ${own}`))).toBe(401);
    expect(asked).toBe(before + 2);
    expect(await refusal(asking.check(`Bearer ${tokens.other}`))).toBe(401);
  });

  it('refuses what the service says is a token of another application, or none of a user', async () => {
    for (const answer of [
      { token_type: 'use', parent: uuidOf(tokens.other) },
      { token_type: 'per', parent: uuidOf(own) },
    ]) {
      const fetch = async () => Response.json({ ...answer, owner: { clearance_level: 9 } });
      expect(await refusal(guard({ verify: verifier(none), fetch }).check(`Bearer ${tokens.own}`))).toBe(401);
    }
  });

  it('answers as the service does while that is away, which signs nobody out', async () => {
    const away = async () => Response.json({ detail: 'Starting.' }, { status: 503 });
    const waiting = guard({ verify: verifier(down), fetch: away }).check(`Bearer ${tokens.own}`);
    expect(await refusal(waiting)).toBe(503);
    const cut = guard({ verify: verifier(down), fetch: down }).check(`Bearer ${tokens.own}`);
    await expect(cut).rejects.toThrow('fetch failed');
  });

  it.each([
    ['a page', () => new Response('<p>Our shop</p>', { headers: { 'content-type': 'text/html' } })],
    ['nothing', () => new Response(null, { status: 204 })],
    ['that it wants another sign-in', () => new Response('<p>Sign in</p>', { status: 401 })],
    ['that it lets nobody from here in', () => Response.json({ detail: 'No.' }, { status: 403 })],
    ['that it knows no such path', () => new Response('Cannot GET /token', { status: 404 })],
  ])('answers 502 where something else answers %s in the place of the service', async (_, answer) => {
    const strange = guard({ fetch: async () => answer() });
    expect(await refusal(strange.check(`Bearer ${tokens.own}`))).toBe(502);
    const request = new Request('http://app.example', { headers: { authorization: `Bearer ${tokens.own}` } });
    const answered = await strange.fetch({}, () => new Response('let in'))(request);
    expect(answered.status).toBe(502);
  });

  it('D73: answers as the service does where that refuses, which has a code for it', async () => {
    const detail = 'The token was revoked.';
    const fetch = async () => Response.json({ detail, code: 'token_revoked' }, { status: 401 });
    const check = guard({ fetch }).check(`Bearer ${tokens.own}`);
    await expect(check).rejects.toMatchObject({ status: 401, detail });
  });

  describe('says what is wrong with the token, of which the service is not asked', () => {
    let sign: (claims: object, from?: number, to?: number, key?: CryptoKey) => Promise<string>;
    let keys: ReturnType<typeof createLocalJWKSet>;
    let other: CryptoKey;
    beforeAll(async () => {
      const { publicKey, privateKey } = await generateKeyPair('EdDSA');
      other = (await generateKeyPair('EdDSA')).privateKey;
      keys = createLocalJWKSet({ keys: [{ ...(await exportJWK(publicKey)), alg: 'EdDSA' }] });
      sign = (claims, from = 0, to = 99_999_999_999, key = privateKey) =>
        new SignJWT({ azp: uuidOf(own), typ: 'use', ...claims })
          .setProtectedHeader({ alg: 'EdDSA' })
          .setIssuer(ISSUER)
          .setJti('9d1f0c2b-7a3e-4b5c-8d6e-0f1a2b3c4d5e')
          .setSubject('7')
          .setNotBefore(from)
          .setExpirationTime(to)
          .sign(key);
    });

    it.each([
      ['The token has expired.', () => sign({}, 0, 1)],
      [ELSEWHERE, () => sign({}, 99_999_999_998)],
      [ELSEWHERE, () => sign({}, 0, 99_999_999_999, other)],
      [ELSEWHERE, () => sign({ typ: 'dyn' })],
    ])('%s', async (detail, token) => {
      const before = asked;
      const check = verifying(verifier(keys)).check(`Bearer ${await token()}`);
      await expect(check).rejects.toMatchObject({ status: 401, detail });
      expect(asked).toBe(before);
    });

    it('names both issuers where it is set to another one than the service signs as', async () => {
      const verify = createVerifier({ issuer: 'http://localhost:8080/', appToken: own, keys });
      await expect(verify(await sign({}))).rejects.toMatchObject({ claim: 'iss' });
      const answered = await verifying(verify).fetch(
        {},
        () => new Response('let in'),
      )(new Request('http://app.example', { headers: { authorization: `Bearer ${await sign({})}` } }));
      expect(answered.status).toBe(401);
      expect(await answered.json()).toEqual({
        detail:
          'The token is from https://castellan.example, but this application expects http://localhost:8080.',
      });
    });

    it('also where another verifier refuses it, for whatever reason', async () => {
      const before = asked;
      const refusing = verifying(() => Promise.reject(new TypeError('Not this one.')));
      expect(await refusal(refusing.check(`Bearer ${tokens.own}`))).toBe(401);
      expect(asked).toBe(before);
    });
  });
});

describe('D20: what an application asks in `allow`, with a token of its own, is nothing that the caller did', () => {
  const page = async () => new Response('<p>Our shop</p>', { headers: { 'content-type': 'text/html' } });
  const failures: [string, () => Promise<unknown>, string][] = [
    ['its own token is unknown', () => groupsBy(uuidOf(own)), '401 '],
    ['it asks too often', () => groupsBy(own, async () => new Response(null, { status: 429 })), '429 '],
    ['a proxy answers', () => groupsBy(own, page), '200 The answer is not JSON'],
  ];
  const groupsBy = (token: string, by: typeof fetch = fetch) =>
    createCastellan({ baseUrl: app.url, token, fetch: by, retries: 0 }).group.list();
  const headers = () => ({ authorization: `Bearer ${tokens.own}` });

  it.each(failures)('so where %s, the framework is told, and the caller nothing', async (_, ask, says) => {
    const allow = async () => Boolean(await ask());
    const letIn = () => expect.unreachable();
    const failure = (error: unknown) => {
      expect(error).not.toBeInstanceOf(CastellanError);
      expect(error).toMatchObject({ cause: expect.any(CastellanError) });
      expect(String(error)).toContain(says);
      expect(error).not.toHaveProperty('status');
    };
    await guard().check(headers().authorization, { allow }).then(letIn, failure);

    const next = vi.fn();
    const res = { locals: {}, setHeader: vi.fn(), status: vi.fn() };
    await guard().express({ allow })({ headers: headers() }, res, next);
    expect(next).toHaveBeenCalledOnce();
    failure(next.mock.calls[0]?.[0]);
    expect(res.status).not.toHaveBeenCalled();

    const c = { req: { header: () => headers().authorization }, set: vi.fn(), json: vi.fn() };
    await guard().hono({ allow })(c, next).then(letIn, failure);
    expect(c.json).not.toHaveBeenCalled();

    const request = new Request('http://app.example', { headers: headers() });
    const handler = guard().fetch({ allow }, () => new Response('let in'));
    await handler(request).then(letIn, failure);
  });

  it('and any other error arrives as it was thrown', async () => {
    const thrown = new RangeError('Mine.');
    const allow = () => {
      throw thrown;
    };
    await expect(guard().check(headers().authorization, { allow })).rejects.toBe(thrown);
  });
});

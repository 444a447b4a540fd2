import { generateKeyPairSync, webcrypto } from 'node:crypto';
import { type CryptoKey, exportJWK, generateKeyPair } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { AccessTokenDraft } from '../../dev/provider/access-token.ts';
import { FORGERIES } from '../../dev/provider/forgeries.ts';
import { letIn } from '../fixtures/registry.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { snapshot } from '../harness/dump.ts';
import { callBack, expectPage, startLogin, TITLES, userTokenOf } from '../harness/sign-in.ts';
import { type ScriptedSignOn, startSignOn } from '../harness/sign-on.ts';

const CORPORATION = 98_000_011;
const MEMBER = 2_112_000_049;

type Forgery = (draft: AccessTokenDraft) => void;

/** In addition to those of the simulated provider. */
const MORE: Record<string, Forgery> = {
  'azp of another application, though both audiences are right': ({ claims }) => {
    claims.azp = 'another-application';
  },
  'a list of audiences without the game': ({ claims }) => {
    claims.aud = [claims.azp];
  },
  'a list of audiences without the application': ({ claims }) => {
    claims.aud = ['another-application', 'EVE Online'];
  },
  'without aud': ({ claims }) => {
    delete claims.aud;
  },
  'without iss': ({ claims }) => {
    delete claims.iss;
  },
  'without iat': ({ claims }) => {
    delete claims.iat;
  },
  'without sub': ({ claims }) => {
    delete claims.sub;
  },
  'without owner': ({ claims }) => {
    delete claims.owner;
  },
  'an empty owner': ({ claims }) => {
    claims.owner = '';
  },
  'an owner with U+0000': ({ claims }) => {
    claims.owner = `${claims.owner}\0`;
  },
  'an owner with half a surrogate pair': ({ claims }) => {
    claims.owner = `${claims.owner}\ud800`;
  },
  'a name of U+0000 alone': ({ claims }) => {
    claims.name = '\0';
  },
  'without name': ({ claims }) => {
    delete claims.name;
  },
  'a name that is no text': ({ claims }) => {
    claims.name = { first: 'Ada' };
  },
  'a lifetime of two hours that ends soon': ({ claims }) => {
    claims.iat = Number(claims.iat) - 7_000;
    claims.exp = Number(claims.iat) + 7_200;
  },
  'not valid before tomorrow': ({ claims }) => {
    claims.nbf = Number(claims.iat) + 86_400;
  },
  'an issuer that only begins like the provider': ({ claims }) => {
    claims.iss = `${claims.iss}.elsewhere.invalid`;
  },
  'a subject with another game': ({ claims }) => {
    claims.sub = String(claims.sub).replace(':EVE:', ':DUST:');
  },
  'a subject of character 0, the built-in user': ({ claims }) => {
    claims.sub = 'CHARACTER:EVE:0';
  },
  'a subject beyond 2^53': ({ claims }) => {
    claims.sub = 'CHARACTER:EVE:9007199254740993';
  },
  'scopes that are no texts': ({ claims }) => {
    claims.scp = [{ scope: 'publicData' }];
  },
};

describe('D26: the provider’s access token is verified', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp();
    await letIn(app, { corporations: [CORPORATION] });
  });
  afterEach(() => app.provider.reset());
  afterAll(() => app.stop());

  it.each(Object.entries<Forgery>({ ...FORGERIES, ...MORE }))(
    'refused with a 502 page, nothing written: %s',
    async (_, forge) => {
      const { login_url } = await startLogin(app);
      const before = await snapshot(app.databaseUrl);
      app.provider.nextAccessToken(forge);
      await expectPage(await app.browse(login_url, { characterId: MEMBER }), 502, TITLES.providerFailed);
      expect(await snapshot(app.databaseUrl)).toEqual(before);
    },
  );

  it('a state code that was used with a forgery works with the real token', async () => {
    const { login_url } = await startLogin(app);
    app.provider.nextAccessToken(FORGERIES['alg none']);
    expect((await app.browse(login_url, { characterId: MEMBER })).status).toBe(502);
    expect(userTokenOf(await app.browse(login_url, { characterId: MEMBER }))).not.toBe('');
  });

  it.each(['login.eveonline.com', 'https://login.eveonline.com', 'https://login.eveonline.com/'])(
    'provider.md §1: the issuer form %s is accepted',
    async (iss) => {
      app.provider.nextAccessToken((draft) => {
        draft.claims.iss = iss;
      });
      await app.signIn(MEMBER);
    },
  );

  it.each(['host', 'url'] as const)(
    'provider.md §1: the provider’s own issuer as %s is accepted',
    async (issuerForm) => {
      const other = await startTestApp({ provider: { issuerForm } });
      await letIn(other, { corporations: [CORPORATION] });
      await other.signIn(MEMBER);
      await other.stop();
    },
  );

  it('D3b: a name loses U+0000 and half surrogate pairs, as names from the game’s API do', async () => {
    app.provider.nextAccessToken(({ claims }) => {
      claims.name = 'Ada\0 \ud800Vale';
    });
    await app.signIn(MEMBER);
    const { body } = await app.client(app.root).user.get({ params: { character_name: String(MEMBER) } });
    expect(body).toMatchObject({ character_id: MEMBER, character_name: 'Ada \ufffdVale' });
  });

  it('a clock that differs by seconds is accepted', async () => {
    app.provider.nextAccessToken(({ claims }) => {
      claims.iat = Number(claims.iat) + 20;
      claims.exp = Number(claims.exp) + 20;
      claims.nbf = claims.iat;
    });
    await app.signIn(MEMBER);
  });
});

describe('D26: signatures and keys of the provider', () => {
  let app: TestApp;
  let signOn: ScriptedSignOn;

  beforeAll(async () => {
    signOn = await startSignOn('castellan-test', () => app.clock.now());
    app = await startTestApp({ env: { SSO_URL: signOn.url } });
    await letIn(app, { corporations: [CORPORATION] });
  });
  afterAll(async () => {
    await app.stop();
    await signOn.stop();
  });

  async function answerTo(access_token: string): Promise<Response> {
    const { state_code } = await startLogin(app);
    signOn.token = { body: { access_token, token_type: 'Bearer', expires_in: 1199, refresh_token: 'r' } };
    return callBack(app, { code: 'c', state: state_code });
  }
  async function expectRefused(access_token: string): Promise<void> {
    const before = await snapshot(app.databaseUrl, { stateMarks: false });
    const answer = await answerTo(access_token);
    await expectPage(answer, 502, TITLES.providerFailed);
    const after = await snapshot(app.databaseUrl, { stateMarks: false });
    // Only the login that was started for the attempt is new.
    for (const table of Object.keys(after)) {
      if (!/state_codes|tokens/.test(table)) expect(after[table], table).toEqual(before[table]);
    }
    expect((await app.client(app.root).crash.list()).body).toEqual([]);
  }

  it('the right key is accepted', async () => {
    expect((await answerTo(await signOn.accessToken(MEMBER))).status).toBe(302);
  });

  it.each([
    ['under the name of the old one', 'rsa'],
    ['under a name of its own', 'next'],
  ])('D26: another key of the provider counts at once, %s', async (_, kid) => {
    expect((await answerTo(await signOn.accessToken(MEMBER))).status).toBe(302);
    const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
    const next = { ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' };
    const { body } = signOn.jwks;
    signOn.jwks = { body: { keys: [next] } };
    try {
      const token = await signOn.accessToken(MEMBER, { header: { kid }, key: privateKey });
      expect((await answerTo(token)).status).toBe(302);
      await expectRefused(await signOn.accessToken(MEMBER));
    } finally {
      signOn.jwks = { body };
    }
  });

  it('D26: while the provider replaces its key under one name, tokens of both keys are accepted', async () => {
    const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
    const next = { ...(await exportJWK(publicKey)), kid: 'rsa', alg: 'RS256', use: 'sig' };
    const { body } = signOn.jwks;
    signOn.jwks = { body: { keys: [...signOn.keys.jwks, next] } };
    try {
      const [first, second] = [
        await signOn.accessToken(MEMBER, { key: privateKey }),
        await signOn.accessToken(MEMBER),
      ];
      expect((await answerTo(first)).status).toBe(302);
      expect((await answerTo(second)).status).toBe(302);
      const { privateKey: foreign } = await generateKeyPair('RS256');
      await expectRefused(await signOn.accessToken(MEMBER, { key: foreign }));
      await expectRefused(await signOn.accessToken(MEMBER, { claims: { aud: ['castellan-test'] } }));
    } finally {
      signOn.jwks = { body };
    }
    expect((await answerTo(await signOn.accessToken(MEMBER))).status).toBe(302);
  });

  it('ES256 is refused, though its key is in the provider’s set', async () => {
    const header = { alg: 'ES256', kid: 'ec' };
    await expectRefused(await signOn.accessToken(MEMBER, { header, key: signOn.keys.ec }));
  });

  it('a token that says the key’s kid with another algorithm is refused: PS256', async () => {
    const pss = await asAlgorithm(signOn.keys.rsa, { name: 'RSA-PSS', hash: 'SHA-256' });
    await expectRefused(await signOn.accessToken(MEMBER, { header: { alg: 'PS256' }, key: pss }));
  });

  it('unknown critical headers are refused', async () => {
    const token = await signOn.accessToken(MEMBER);
    const header = Buffer.from(JSON.stringify({ alg: 'RS256', kid: 'rsa', crit: ['x'], x: 1 })).toString(
      'base64url',
    );
    await expectRefused([header, ...token.split('.').slice(1)].join('.'));
  });

  it.each(['', 'a.b.c', 'no JWT', '..', 'x'.repeat(100_000)])(
    'what is no JWT is refused: %.20s',
    async (text) => {
      await expectRefused(text);
    },
  );

  it('a changed payload is refused', async () => {
    const [header, , signature] = (await signOn.accessToken(MEMBER)).split('.');
    const [, payload] = (await signOn.accessToken(2_112_000_011)).split('.');
    await expectRefused(`${header}.${payload}.${signature}`);
  });

  describe('key sets that cannot be used', () => {
    /** Makes the service fetch the key set again, which it caches. */
    async function refusedWith(keys: unknown, kid: string, key?: CryptoKey): Promise<void> {
      const own = await startSignOn('castellan-test', () => fresh.clock.now());
      const fresh = await startTestApp({ env: { SSO_URL: own.url } });
      try {
        own.jwks = { body: { keys } };
        const access_token = await own.accessToken(MEMBER, { header: { kid }, ...(key && { key }) });
        own.token = { body: { access_token, token_type: 'Bearer', expires_in: 1199 } };
        const { state_code } = await startLogin(fresh);
        const answer = await callBack(fresh, { code: 'c', state: state_code });
        await expectPage(answer, 502, TITLES.providerFailed);
        expect((await fresh.client(fresh.root).crash.list()).body).toEqual([]);
      } finally {
        await fresh.stop();
        await own.stop();
      }
    }

    it('an RSA key of 1024 bits', async () => {
      const weak = generateKeyPairSync('rsa', { modulusLength: 1024 });
      const { privateKey } = await generateKeyPair('RS256');
      const jwk = weak.publicKey.export({ format: 'jwk' });
      await refusedWith([{ ...jwk, kid: 'weak', alg: 'RS256' }], 'weak', privateKey);
    });

    it('a key whose numbers are none', async () => {
      await refusedWith([{ kty: 'RSA', n: '!', e: '?', kid: 'rsa', alg: 'RS256' }], 'rsa');
    });

    it('two keys with one kid', async () => {
      const jwk = await exportJWK((await generateKeyPair('RS256', { extractable: true })).publicKey);
      await refusedWith(
        [
          { ...jwk, kid: 'rsa' },
          { ...jwk, kid: 'rsa' },
        ],
        'rsa',
      );
    });
  });
});

async function asAlgorithm(key: CryptoKey, algorithm: { name: string; hash: string }): Promise<CryptoKey> {
  const pkcs8 = await webcrypto.subtle.exportKey('pkcs8', key);
  return webcrypto.subtle.importKey('pkcs8', pkcs8, algorithm, true, ['sign']);
}

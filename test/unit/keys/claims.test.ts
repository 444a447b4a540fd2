import { randomUUID } from 'node:crypto';
import { importJWK, type JWK, SignJWT } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { loadSigningKeys, type SigningKeys } from '../../../server/keys/signing-keys.ts';
import { TestClock } from '../../harness/clock.ts';
import { newSigningKey, RSA_KEY } from '../../harness/keys.ts';

const ISSUER = 'https://castellan.test';
const clock = new TestClock();
const NOW = Math.floor(clock.now().getTime() / 1000);

let key: JWK;
let keys: SigningKeys;
beforeAll(async () => {
  const own = await newSigningKey();
  key = own as JWK;
  keys = await loadSigningKeys({ keys: [own], rsaKeys: [RSA_KEY as never] }, ISSUER, clock);
});

/** What every token says; `exp` is in a user token. */
const claims = () => {
  const uuid = randomUUID();
  return { iss: ISSUER, jti: uuid, sub: '7', azp: uuid, typ: 'per', iat: NOW, nbf: NOW };
};

/** Signed with the service's own key, whatever it says. */
async function signed(change: object, header: object = {}): Promise<string> {
  const said = Object.entries({ ...claims(), ...change }).filter(([, value]) => value !== undefined);
  return new SignJWT(Object.fromEntries(said))
    .setProtectedHeader({ alg: 'EdDSA', kid: key.kid as string, ...header })
    .sign(await importJWK(key, 'EdDSA'));
}

const invalid = (detail: string) => ({ code: 'token_invalid', detail });
const LACKING = invalid('The token lacks a claim that every token of this service has.');
const EXPIRED = { code: 'token_expired', detail: 'The token has expired.' };

describe('D20: the claims of a token', () => {
  it('are read as they are', async () => {
    const said = claims();
    const read = { uuid: said.jti, kind: 'per', ownerId: 7, appToken: said.azp, expires: undefined };
    expect(await keys.verify(await signed(said))).toEqual(read);
    const expires = NOW + 60;
    expect(await keys.verify(await signed({ ...said, exp: expires, typ: 'use' }))).toEqual({
      ...read,
      ...{ kind: 'use', expires },
    });
    for (const typ of ['dyn', 'per'])
      expect(await keys.verify(await signed({ typ }))).toMatchObject({ kind: typ });
  });

  it('a signature is verified once, the expiry every time', async () => {
    const jwt = await signed({ exp: NOW + 60 });
    const first = await keys.verify(jwt);
    expect(await keys.verify(jwt)).toBe(first);
  });

  it.each(['iss', 'jti', 'sub', 'azp', 'typ', 'iat', 'nbf'])('a token without %s is none', async (claim) => {
    const jwt = await signed({ [claim]: undefined });
    await expect(keys.verify(jwt)).rejects.toMatchObject(
      invalid(`The token's claim ${claim} is missing or not valid.`),
    );
  });

  const id = '0f8fad5b-d9cb-469f-a165-70867728950e';
  it.each([
    ...['', `${id}0`, `0${id}`, id.toUpperCase(), id.replaceAll('-', ''), `g${id.slice(1)}`].map((jti) => ({
      jti,
    })),
    ...[8, 13, 18, 23].map((at) => ({ jti: `${id.slice(0, at)}${id.slice(at + 1)}` })),
    ...['', ' 7', '7 ', '-7', '7.5', '1e3', 'x', '12345678901234567'].map((sub) => ({ sub })),
    ...[7, null, {}, ['app']].map((azp) => ({ azp })),
    ...['', 'app', 'USE', 1, null].map((typ) => ({ typ })),
    // A user token always expires.
    { typ: 'use' },
  ])('a token with %j is none', async (change) => {
    await expect(keys.verify(await signed(change))).rejects.toMatchObject(LACKING);
  });

  it('D3b: the longest id has sixteen digits', async () => {
    expect(await keys.verify(await signed({ sub: '9007199254740991' }))).toMatchObject({
      ownerId: Number.MAX_SAFE_INTEGER,
    });
  });

  it('times may be ahead by five seconds, and no more', async () => {
    await keys.verify(await signed({ nbf: NOW + 5 }));
    await expect(keys.verify(await signed({ nbf: NOW + 7 }))).rejects.toMatchObject(
      invalid("The token's claim nbf is missing or not valid."),
    );
  });

  it('D22: nobody gets five seconds more at the end, nor long after it', async () => {
    await keys.verify(await signed({ exp: NOW + 1 }));
    for (const exp of [NOW, NOW - 4, NOW - 3600]) {
      await expect(keys.verify(await signed({ exp }))).rejects.toMatchObject(EXPIRED);
    }
  });
});

describe('D20: the signature of a token', () => {
  it('is Ed25519: neither the RSA key of ID tokens makes one, nor the public key as a secret', async () => {
    const rsa = await importJWK(RSA_KEY as JWK, 'RS256');
    const secret = Buffer.from(key.x ?? '', 'base64url');
    for (const [alg, by] of [
      ['RS256', rsa],
      ['HS256', secret],
    ] as const) {
      for (const kid of [key.kid, RSA_KEY.kid]) {
        const forged = await new SignJWT(claims()).setProtectedHeader({ alg, kid: kid as string }).sign(by);
        await expect(keys.verify(forged)).rejects.toMatchObject(
          invalid('The token was signed with an algorithm that is not accepted.'),
        );
      }
    }
    const none = [{ alg: 'none', kid: key.kid }, claims()].map((part) =>
      Buffer.from(JSON.stringify(part)).toString('base64url'),
    );
    await expect(keys.verify(`${none.join('.')}.`)).rejects.toMatchObject({
      code: expect.stringMatching(/^token_(malformed|invalid)$/),
    });
  });

  it('is looked at in tokens of up to 4096 characters, and no longer ones', async () => {
    const ofLength = async (length: number) => {
      for (const header of ['', 'a', 'ab', 'abc']) {
        const short = await signed({ azp: '' }, { typ: header });
        for (let pad = Math.floor(((length - short.length) * 3) / 4) - 3; pad < length; pad += 1) {
          const jwt = await signed({ azp: 'a'.repeat(pad) }, { typ: header });
          if (jwt.length === length) return jwt;
          if (jwt.length > length) break;
        }
      }
      throw new Error(`no token of ${length} characters`);
    };
    await keys.verify(await ofLength(4096));
    await expect(keys.verify(await ofLength(4097))).rejects.toMatchObject({
      code: 'token_malformed',
      detail: 'The token is not a JWT of this service.',
    });
  });
});

describe('D20b: the keys of a process', () => {
  it('are published without their private halves, those for ID tokens behind', () => {
    const { kid, n, e } = RSA_KEY;
    expect(keys.jwks).toEqual({
      keys: [
        { kty: 'OKP', crv: 'Ed25519', kid: key.kid, x: key.x, alg: 'EdDSA', use: 'sig' },
        { kty: 'RSA', kid, n, e, alg: 'RS256', use: 'sig' },
      ],
    });
    expect(keys.kids).toEqual([key.kid]);
    expect(keys.signingKids).toEqual([key.kid]);
  });

  it('hold one to sign with', async () => {
    const { d: _, ...verifyOnly } = await newSigningKey();
    await expect(loadSigningKeys({ keys: [verifyOnly] }, ISSUER, clock)).rejects.toThrow(
      'no private key to sign with',
    );
  });
});

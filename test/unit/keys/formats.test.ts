import { generateKeyPairSync } from 'node:crypto';
import { importJWK, type JWK, SignJWT } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { JwkSet } from '../../../server/keys/formats.ts';
import { loadSigningKeys } from '../../../server/keys/signing-keys.ts';
import { newSigningKey, RSA_KEY } from '../../harness/app.ts';
import { TestClock } from '../../harness/clock.ts';

const ISSUER = 'https://castellan.test';
const rsaOf = (modulusLength: number) => ({
  ...generateKeyPairSync('rsa', { modulusLength }).privateKey.export({ format: 'jwk' }),
  kid: `rsa-${modulusLength}`,
});
const problemsOf = (keys: readonly unknown[]) =>
  JwkSet.safeParse({ keys }).error?.issues.map(({ message }) => message);

let ed25519: JwkSet['keys'][number];
beforeAll(async () => {
  ed25519 = await newSigningKey();
});

describe('D80: RSA keys beside Ed25519 ones', () => {
  it('D80: both kinds are accepted, private or public, and distinguished', () => {
    const { kty, kid, n, e } = RSA_KEY;
    const former = { kty, n, e, kid: `${kid}-former` };
    const set = JwkSet.parse({ keys: [RSA_KEY, ed25519, former] });
    expect(set.keys.map((key) => key.kid)).toEqual([ed25519.kid]);
    expect(set.rsaKeys).toEqual([expect.objectContaining({ d: RSA_KEY.d }), former]);
  });

  it('D20: RSA alone is refused: the service’s own tokens need an Ed25519 key', () => {
    expect(problemsOf([RSA_KEY])).toEqual(['holds no private Ed25519 key to sign with']);
  });

  it.each([
    ['of less than 2048 bits', () => rsaOf(1024), 'key rsa-1024 has less than 2048 bits'],
    [
      'of two halves',
      () => ({ ...RSA_KEY, n: rsaOf(2048).n }),
      `key ${RSA_KEY.kid} is no RSA key, or its private half belongs to another n`,
    ],
    [
      'that is not whole',
      () => ({ ...RSA_KEY, p: undefined }),
      `key ${RSA_KEY.kid} is no RSA key, or its private half belongs to another n`,
    ],
    ['of another kind', () => ({ kty: 'EC', kid: 'x' }), 'every key must have kty OKP or RSA'],
    ['with the id of another', () => ({ ...RSA_KEY, kid: ed25519.kid }), 'holds two keys with one kid'],
  ])('D80: a key %s is refused', (_, key, problem) => {
    expect(problemsOf([ed25519, key()])).toContain(problem);
  });

  it('D80: the RSA key signs only ID tokens: a token of the service that it signed is refused', async () => {
    const clock = new TestClock();
    const keys = await loadSigningKeys(JwkSet.parse({ keys: [ed25519, RSA_KEY] }), ISSUER, clock);
    expect(keys.kids).toEqual([ed25519.kid]);
    const now = Math.floor(clock.now().getTime() / 1000);
    const uuid = crypto.randomUUID();
    const forged = await new SignJWT({ azp: uuid, typ: 'per' })
      .setProtectedHeader({ alg: 'RS256', kid: RSA_KEY.kid })
      .setIssuer(ISSUER)
      .setJti(uuid)
      .setSubject('0')
      .setIssuedAt(now)
      .setNotBefore(now)
      .sign(await importJWK(RSA_KEY as JWK, 'RS256'));
    await expect(keys.verify(forged)).rejects.toMatchObject({ code: 'token_invalid' });
  });
});

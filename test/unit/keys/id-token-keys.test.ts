import { createLocalJWKSet, jwtVerify } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { readCheckpoint, signCheckpoint } from '../../../server/keys/checkpoints.ts';
import type { JwkSet, RsaKey } from '../../../server/keys/formats.ts';
import { type IdTokenKeys, loadIdTokenKeys } from '../../../server/keys/id-token-keys.ts';
import { loadSigningKeys, type SigningKeys } from '../../../server/keys/signing-keys.ts';
import { TestClock } from '../../harness/clock.ts';
import { newSigningKey, RSA_KEY } from '../../harness/keys.ts';

const ISSUER = 'https://castellan.test';
const rsa = RSA_KEY as unknown as RsaKey;
const { kty, kid, n, e } = rsa;
const former = { kty, n, e, kid: 'former' };
const clock = new TestClock();

let key: JwkSet['keys'][number];
let keys: SigningKeys;
beforeAll(async () => {
  key = await newSigningKey();
  keys = await loadSigningKeys({ keys: [key], rsaKeys: [former, rsa] }, ISSUER, clock);
});

describe('D80: keys that sign ID tokens', () => {
  const load = (rsaKeys?: readonly RsaKey[]): Promise<IdTokenKeys> =>
    loadIdTokenKeys({ keys: [key], ...(rsaKeys && { rsaKeys }) }, ISSUER);

  it('are RSA first, then Ed25519; without RSA that alone', async () => {
    expect((await load([former, rsa])).algorithms).toEqual(['RS256', 'EdDSA']);
    for (const none of [undefined, [], [former]]) expect((await load(none)).algorithms).toEqual(['EdDSA']);
  });

  it('are those with a private half, each for one algorithm; all public ones are published', async () => {
    const both = await load([former, rsa]);
    expect(both.privateKeys).toEqual([
      { ...rsa, alg: 'RS256', use: 'sig' },
      { ...key, alg: 'EdDSA', use: 'sig' },
    ]);
    expect(both.rsaPublicKeys).toEqual([
      { ...former, alg: 'RS256', use: 'sig' },
      { kty, kid, n, e, alg: 'RS256', use: 'sig' },
    ]);
    const { d: _, ...verifyOnly } = key;
    const none = await loadIdTokenKeys({ keys: [verifyOnly] }, ISSUER);
    expect([none.algorithms, none.privateKeys, none.rsaPublicKeys]).toEqual([[], [], []]);
  });

  it.each(['RS256', 'EdDSA'] as const)('%s: sign with issuer, type and key id', async (algorithm) => {
    const signed = await keys.idTokens.sign(algorithm, 'logout+jwt', { sub: '7' });
    const { payload, protectedHeader } = await jwtVerify(signed, createLocalJWKSet(keys.jwks));
    expect(payload).toEqual({ sub: '7', iss: ISSUER });
    expect(protectedHeader).toEqual({
      alg: algorithm,
      kid: algorithm === 'RS256' ? kid : key.kid,
      typ: 'logout+jwt',
    });
  });

  it('sign by no algorithm that there is no key for', async () => {
    const { sign } = await load();
    await expect(sign('RS256', 'logout+jwt', {})).rejects.toThrow('there is no key for RS256');
  });
});

describe('D90: checkpoints', () => {
  const checkpoint = { position: 48_213, hash: 'ab'.repeat(32) };
  const now = new Date('2026-09-01T12:00:00.999Z');

  it('are read by whoever has the public keys', async () => {
    const signed = await signCheckpoint(keys, checkpoint, now);
    expect(await readCheckpoint({ jwks: keys.jwks }, signed)).toEqual(checkpoint);
    const { payload, protectedHeader } = await jwtVerify(signed, createLocalJWKSet(keys.jwks));
    expect(payload).toEqual({ ...checkpoint, iss: ISSUER, iat: Date.parse('2026-09-01T12:00:00Z') / 1000 });
    expect(protectedHeader).toEqual({ alg: 'EdDSA', kid: key.kid, typ: 'castellan-checkpoint+jwt' });
  });

  it('say so when their key is gone', async () => {
    const others = await loadSigningKeys({ keys: [await newSigningKey()] }, ISSUER, clock);
    expect(await readCheckpoint(others, await signCheckpoint(keys, checkpoint, now))).toBe('unknown key');
  });

  it('are nothing else that the same keys signed, and nothing that was changed', async () => {
    const TYPE = 'castellan-checkpoint+jwt';
    const signed = await signCheckpoint(keys, checkpoint, now);
    const start = signed.lastIndexOf('.') + 1;
    const changed = `${signed.slice(0, start)}${signed[start] === 'A' ? 'B' : 'A'}${signed.slice(start + 1)}`;
    for (const other of [
      ...['', 'x', changed],
      await keys.idTokens.sign('EdDSA', 'at+jwt', { ...checkpoint }),
      await keys.idTokens.sign('RS256', TYPE, { ...checkpoint }),
      await keys.idTokens.sign('EdDSA', TYPE, { ...checkpoint, position: '48213' }),
      await keys.idTokens.sign('EdDSA', TYPE, { ...checkpoint, hash: 7 }),
      await keys.idTokens.sign('EdDSA', TYPE, {}),
    ]) {
      expect(await readCheckpoint(keys, other), other).toBeUndefined();
    }
  });

  it('an error that is not about the checkpoint is none of theirs', async () => {
    const broken = { jwks: { keys: [{ kty: 'OKP', crv: 'Ed25519', kid: key.kid, x: 7 }] } as never };
    await expect(readCheckpoint(broken, await signCheckpoint(keys, checkpoint, now))).rejects.toThrow();
  });
});

import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { exportJWK, generateKeyPair } from 'jose';
import type { JwkSet } from '../../server/keys/formats.ts';

/** Made once for each process of the tests: that takes a while. */
export const RSA_KEY = {
  ...generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' }),
  kid: randomBytes(6).toString('hex'),
};

/** A private Ed25519 JWK with a key id of its own. */
export async function newSigningKey(): Promise<JwkSet['keys'][number]> {
  const { privateKey } = await generateKeyPair('EdDSA', { extractable: true });
  const key = (await exportJWK(privateKey)) as JwkSet['keys'][number];
  return { ...key, kid: randomBytes(6).toString('hex') };
}

/** Settings with new keys; ID tokens are signed with EdDSA unless there is an RSA key, too. */
export async function newKeys(...more: (typeof RSA_KEY)[]) {
  return {
    TOKEN_SIGNING_KEYS: JSON.stringify({ keys: [await newSigningKey(), ...more] }),
    ENCRYPTION_KEYS: `test:${randomBytes(32).toString('base64')}`,
  };
}

import { createLocalJWKSet, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createVerifier } from '../../sdk/src/server.ts';

const APP = '1b4e28ba-2fa1-4d3b-a3f5-ef19b5a7633b';
const ISSUER = 'https://castellan.example';
/** When the token is made and when it ends, in seconds. */
const FROM = 1_800_000_000;
const TO = FROM + 86_400;

let jwt: string;
let verify: ReturnType<typeof createVerifier>;

beforeAll(async () => {
  const { publicKey, privateKey } = await generateKeyPair('EdDSA');
  const keys = createLocalJWKSet({ keys: [{ ...(await exportJWK(publicKey)), alg: 'EdDSA' }] });
  verify = createVerifier({ issuer: ISSUER, appToken: APP, keys });
  jwt = await new SignJWT({ azp: APP, typ: 'use' })
    .setProtectedHeader({ alg: 'EdDSA' })
    .setIssuer(ISSUER)
    .setJti('9d1f0c2b-7a3e-4b5c-8d6e-0f1a2b3c4d5e')
    .setSubject('7')
    .setIssuedAt(FROM)
    .setNotBefore(FROM)
    .setExpirationTime(TO)
    .sign(privateKey);
});

describe('a verifier allows for a clock that differs by 5 seconds, as the service does', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
  afterEach(() => void vi.useRealTimers());

  it.each([
    ['behind by 5 s, for a token that was just made', FROM - 5],
    ['ahead by 4 s, for a token about to expire', TO + 4],
  ])('%s', async (_, now) => {
    vi.setSystemTime(now * 1000);
    expect(await verify(jwt)).toMatchObject({ characterId: 7 });
  });

  it.each([
    ['no more than that before', FROM - 6, 'ERR_JWT_CLAIM_VALIDATION_FAILED'],
    ['nor after', TO + 5, 'ERR_JWT_EXPIRED'],
  ])('%s', async (_, now, code) => {
    vi.setSystemTime(now * 1000);
    await expect(verify(jwt)).rejects.toMatchObject({ code });
  });
});

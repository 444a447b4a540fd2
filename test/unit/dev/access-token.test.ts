import { createPublicKey } from 'node:crypto';
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose';
import { describe, expect, it } from 'vitest';
import { FORGERIES } from '../../../dev/provider/forgeries.ts';
import { startSimulatedProvider } from '../../../dev/provider/provider.ts';
import { FIRST_CHARACTER_ID } from '../../../dev/world/world.ts';
import { CLIENT, get, LOCATION, signIn, useProvider, WALLET } from './client.ts';

const SOMEBODY = FIRST_CHARACTER_ID + 100;
const NOW = new Date(Date.UTC(2026, 8, 1, 12));
const simulated = useProvider();

describe('access token (provider.md §1)', () => {
  it('is signed RS256 under the key of the JWKS, and carries the documented claims', async () => {
    const { provider } = simulated;
    const { access_token: token } = await signIn(provider, SOMEBODY, `${WALLET} ${LOCATION}`);
    const jwks = (await (await fetch(`${provider.ssoUrl}/oauth/jwks`)).json()) as JSONWebKeySet;
    const { payload, protectedHeader } = await jwtVerify(token, createLocalJWKSet(jwks), {
      currentDate: NOW,
    });
    const { name, owner } = provider.world.character(SOMEBODY) ?? {};
    expect(protectedHeader).toEqual({ alg: 'RS256', kid: 'JWT-Signature-Key', typ: 'JWT' });
    expect(payload).toEqual({
      scp: [WALLET, LOCATION],
      jti: expect.any(String),
      kid: 'JWT-Signature-Key',
      sub: `CHARACTER:EVE:${SOMEBODY}`,
      azp: CLIENT.clientId,
      tenant: 'tranquility',
      tier: 'live',
      region: 'world',
      aud: [CLIENT.clientId, 'EVE Online'],
      name,
      owner,
      iat: NOW.getTime() / 1_000,
      exp: NOW.getTime() / 1_000 + 1_200,
      iss: new URL(provider.ssoUrl).host,
    });
    expect(owner).toMatch(/^[\w+/]{27}=$/);
  });

  it('scp is a string for one scope, an array for more, absent for none', async () => {
    const scp = async (scope: string) =>
      decodeJwt((await signIn(simulated.provider, SOMEBODY, scope)).access_token).scp;
    expect(await scp(WALLET)).toBe(WALLET);
    expect(await scp(`${WALLET} publicData`)).toEqual([WALLET, 'publicData']);
    expect(await scp('')).toBeUndefined();
  });

  it('owner changes when the character is transferred', async () => {
    const owner = async () => decodeJwt((await signIn(simulated.provider, SOMEBODY, '')).access_token).owner;
    const before = await owner();
    expect(await owner()).toBe(before);
    simulated.provider.world.handOver(SOMEBODY);
    expect(await owner()).not.toBe(before);
  });

  it('iss is the bare host or the URL', async () => {
    const provider = await startSimulatedProvider({ ...CLIENT, issuerForm: 'url' });
    const { iss } = decodeJwt((await signIn(provider, SOMEBODY, '')).access_token);
    await provider.stop();
    expect(iss).toBe(provider.ssoUrl);
  });

  it('is refused by the API when it is expired', async () => {
    const { access_token: token } = await signIn(simulated.provider, SOMEBODY, WALLET);
    const wallet = () =>
      get(simulated.provider, `/characters/${SOMEBODY}/wallet`, { authorization: `Bearer ${token}` });
    expect((await wallet()).status).toBe(200);
    simulated.advance(1_201);
    expect((await wallet()).status).toBe(401);
  });
});

describe('forged access tokens', () => {
  async function forged(name: keyof typeof FORGERIES): Promise<string> {
    simulated.provider.nextAccessToken(FORGERIES[name]);
    return (await signIn(simulated.provider, SOMEBODY, WALLET)).access_token;
  }

  it('affect only the next token answer', async () => {
    const claims = decodeJwt(await forged('without jti'));
    expect(claims).not.toHaveProperty('jti');
    expect(decodeJwt((await signIn(simulated.provider, SOMEBODY, WALLET)).access_token)).toHaveProperty(
      'jti',
    );
  });

  it.each([
    'foreign key with our kid',
    'unknown kid',
    'HS256 with the public key as secret',
    'alg none',
  ] as const)('%s: no key of the JWKS verifies it, nor does the API', async (name) => {
    const token = await forged(name);
    const jwks = (await (await fetch(`${simulated.provider.ssoUrl}/oauth/jwks`)).json()) as JSONWebKeySet;
    await expect(jwtVerify(token, createLocalJWKSet(jwks), { currentDate: NOW })).rejects.toThrow();
    const authorization = `Bearer ${token}`;
    expect((await get(simulated.provider, `/characters/${SOMEBODY}/wallet`, { authorization })).status).toBe(
      401,
    );
  });

  it('HS256 is an HMAC with the PEM of the RS256 key', async () => {
    const { provider } = simulated;
    const { keys } = (await (await fetch(`${provider.ssoUrl}/oauth/jwks`)).json()) as JSONWebKeySet;
    const pem = createPublicKey({ key: { ...keys[0] }, format: 'jwk' }).export({
      type: 'spki',
      format: 'pem',
    });
    const token = await forged('HS256 with the public key as secret');
    const secret = new TextEncoder().encode(pem.toString().trim());
    await expect(jwtVerify(token, secret, { currentDate: NOW })).resolves.toBeDefined();
  });

  it.each([
    ['wrong issuer', { iss: 'https://login.elsewhere.invalid' }],
    ['audience without the application', { aud: 'EVE Online' }],
    ['audience without the game', { aud: CLIENT.clientId }],
    ['audience of another application', { aud: ['another-application', 'EVE Online'] }],
    ['expired', { exp: NOW.getTime() / 1_000 - 6_000 }],
    ['without exp', { exp: undefined }],
    ['absurd lifetime', { exp: NOW.getTime() / 1_000 + 315_360_000 }],
    ['subject of another kind', { sub: `CORPORATION:EVE:${SOMEBODY}` }],
    ['subject without a number', { sub: 'CHARACTER:EVE:1e9' }],
  ] as const)('%s: properly signed, with the bad claim', async (name, claims) => {
    const token = await forged(name);
    expect(decodeProtectedHeader(token)).toMatchObject({ alg: 'RS256', kid: 'JWT-Signature-Key' });
    expect({ exp: undefined, ...decodeJwt(token) }).toMatchObject(claims);
  });
});

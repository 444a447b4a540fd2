import { describe, expect, it } from 'vitest';
import { createSso } from '../../server/provider/sso.ts';
import { letIn } from '../fixtures/registry.ts';
import { startTestApp } from '../harness/app.ts';

const MEMBER = 2_112_000_049;

/** Credentials with characters that form encoding would change; no id has a colon, which ends it in a Basic header. */
const CREDENTIALS: readonly [string, string][] = [
  ['a-client_id', 'a-secret_with-both'],
  ['id%2Dwith+plus', 'colon:in:it%20and+plus%'],
  ['an id with spaces', ' spaces around and within '],
  ['~id!*()', 'Schlüssel-ключ-鍵-🔑'],
];

describe('D33b: client credentials are sent to the provider unchanged', () => {
  it.each(CREDENTIALS)('id “%s”, secret “%s”: sign-in, refresh and revocation work', async (id, secret) => {
    const app = await startTestApp({
      provider: { clientId: id, clientSecret: secret },
      env: { SSO_CLIENT_ID: id, SSO_CLIENT_SECRET: secret },
    });
    await letIn(app, { corporations: [98_000_011] });
    await app.signIn(MEMBER);

    const { sso } = app.app.services;
    const codeVerifier = 'v'.repeat(43);
    const login = await sso.loginUrl({ state: 's', scopes: ['publicData'], codeVerifier });
    const back = new URL(await app.provider.authorize(login, { characterId: MEMBER }));
    const { refreshToken = '' } = await sso.exchange(back.searchParams.get('code') ?? '', codeVerifier);
    expect(await sso.refresh(refreshToken)).toMatchObject({ kind: 'refreshed' });
    await sso.revoke(refreshToken);
    expect(await sso.refresh(refreshToken)).toMatchObject({ kind: 'dead' });
    await app.stop();
  });

  it('a secret that is right only after decoding is wrong', async () => {
    const app = await startTestApp({ provider: { clientSecret: 'a secret' } });
    const { settings, clock } = app.app.services;
    const encoded = { ...settings, sso: { ...settings.sso, clientSecret: 'a%20secret' } };
    const exchange = createSso({ settings: encoded, clock }).exchange('code', 'v'.repeat(43));
    await expect(exchange).rejects.toMatchObject({ fault: 'refused-client' });
    await app.stop();
  });
});

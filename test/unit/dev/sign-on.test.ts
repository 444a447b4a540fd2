import { describe, expect, it } from 'vitest';
import { EXT_SCOPES } from '../../../contract/scopes.ts';
import { FIRST_CHARACTER_ID } from '../../../dev/world/world.ts';
import { toProviderScope } from '../../../server/provider/scopes.ts';
import {
  basic,
  CLIENT,
  codeFor,
  loginUrl,
  pkce,
  post,
  REDIRECT_URI,
  signIn,
  useProvider,
  WALLET,
} from './client.ts';

const SOMEBODY = FIRST_CHARACTER_ID + 100;
const simulated = useProvider();

async function redeem(code: string, form: Record<string, string> = {}, authorization?: string | null) {
  const fields = { grant_type: 'authorization_code', code, ...form };
  const answer = await post(simulated.provider, '/v2/oauth/token', fields, authorization);
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

describe('metadata (provider.md §1)', () => {
  it('names issuer, endpoints and S256 below the SSO_URL', async () => {
    const { ssoUrl } = simulated.provider;
    const metadata = await (await fetch(`${ssoUrl}/.well-known/oauth-authorization-server`)).json();
    expect(metadata).toMatchObject({
      issuer: ssoUrl,
      authorization_endpoint: `${ssoUrl}/v2/oauth/authorize`,
      token_endpoint: `${ssoUrl}/v2/oauth/token`,
      revocation_endpoint: `${ssoUrl}/v2/oauth/revoke`,
      jwks_uri: `${ssoUrl}/oauth/jwks`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      id_token_signing_alg_values_supported: ['HS256'],
    });
  });

  it('JWKS holds an RS256 key named JWT-Signature-Key and an ES256 key, without private parts', async () => {
    const jwks = (await (await fetch(`${simulated.provider.ssoUrl}/oauth/jwks`)).json()) as {
      keys: Record<string, string>[];
    };
    expect(jwks.keys.map(({ alg, kty, use }) => [alg, kty, use])).toEqual([
      ['RS256', 'RSA', 'sig'],
      ['ES256', 'EC', 'sig'],
    ]);
    expect(jwks.keys[0]?.kid).toBe('JWT-Signature-Key');
    expect(jwks.keys.some((key) => 'd' in key)).toBe(false);
  });
});

describe('authorize page', () => {
  it('lists characters as buttons with their names, CEOs marked, scopes ticked', async () => {
    const answer = await fetch(loginUrl(simulated.provider));
    const page = await answer.text();
    const { name } = simulated.provider.world.character(FIRST_CHARACTER_ID + 1) ?? { name: '' };
    expect(answer.status).toBe(200);
    expect(page).toContain(`<code>${CLIENT.clientId}</code>`);
    expect(page).toContain(
      `<button name="character_id" value="${FIRST_CHARACTER_ID + 1}">${name.replace("'", '&#39;')}</button><span class="badge">CEO</span>`,
    );
    expect(page).toContain(`name="grant" value="${WALLET}" checked`);
    expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/);
  });

  it('searches by a GET form without JavaScript and keeps the ticked scopes', async () => {
    const { name } = simulated.provider.world.character(SOMEBODY) ?? { name: '' };
    const page = await (
      await fetch(`${loginUrl(simulated.provider, { q: name, chosen: '1' })}&grant=publicData`)
    ).text();
    expect(page).toContain(`value="${SOMEBODY}"`);
    expect(page).toContain('1 found.');
    expect(page).toContain('value="publicData" checked');
    expect(page).toContain(`value="${WALLET}">`);
    expect(page).not.toContain('<script');
  });

  it('escapes names and parameters', async () => {
    simulated.provider.world.renameCharacter(SOMEBODY, '<b>"Bobby"</b>');
    const page = await (await fetch(loginUrl(simulated.provider, { q: '<b>', state: '"><img>' }))).text();
    expect(page).toContain('&#60;b&#62;&#34;Bobby&#34;');
    expect(page).not.toMatch(/<b>|<img>/);
  });

  it.each([
    ['client_id', 'another'],
    ['response_type', 'token'],
    ['redirect_uri', ''],
    ['redirect_uri', 'javascript:alert(1)'],
    ['scope', 'esi-nonsense'],
    ['code_challenge', 'without-a-method'],
  ])('refuses the %s "%s" with a page, 400', async (name, value) => {
    const answer = await fetch(loginUrl(simulated.provider, { [name]: value }), { redirect: 'manual' });
    expect(answer.status).toBe(400);
    expect(answer.headers.get('content-type')).toContain('text/html');
  });

  it('D37: takes every scope that the service has', async () => {
    const scope = EXT_SCOPES.map((name) => toProviderScope(name, 'esi-')).join(' ');
    const answer = await fetch(loginUrl(simulated.provider, { scope }));
    const page = await answer.text();
    expect(page).not.toContain('is not valid');
    expect(page.match(/name="grant"/g)).toHaveLength(EXT_SCOPES.length);
    expect(answer.status).toBe(200);
  });

  it('cancel comes back as access_denied with the state', async () => {
    const location = new URL(
      await simulated.provider.authorize(loginUrl(simulated.provider), { cancel: true }),
    );
    expect(Object.fromEntries(location.searchParams)).toMatchObject({
      error: 'access_denied',
      state: 'a state',
    });
    expect(location.searchParams.has('code')).toBe(false);
  });

  it('returns code and state in addition to the query of the redirect_uri', async () => {
    const location = new URL(
      await simulated.provider.authorize(loginUrl(simulated.provider), { characterId: SOMEBODY }),
    );
    expect(location.href.startsWith(REDIRECT_URI)).toBe(true);
    expect(location.searchParams.get('state')).toBe('a state');
    expect(location.searchParams.get('code')).toMatch(/^[\w-]{22}$/);
  });
});

describe('token endpoint, authorization_code (provider.md §1)', () => {
  it('answers access_token, Bearer, 1199 seconds and a refresh token', async () => {
    const { status, body } = await redeem(await codeFor(simulated.provider, SOMEBODY));
    expect(status).toBe(200);
    expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 1199 });
    expect(body).toHaveProperty('access_token', expect.any(String));
    expect(body).toHaveProperty('refresh_token', expect.any(String));
  });

  it('no scope requested or granted: no refresh token', async () => {
    expect(await signIn(simulated.provider, SOMEBODY, '')).not.toHaveProperty('refresh_token');
    const choice = { characterId: SOMEBODY, scopes: [] };
    const location = new URL(await simulated.provider.authorize(loginUrl(simulated.provider), choice));
    const { body } = await redeem(location.searchParams.get('code') ?? '');
    expect(body).not.toHaveProperty('refresh_token');
  });

  it('a code is used once', async () => {
    const code = await codeFor(simulated.provider, SOMEBODY);
    expect((await redeem(code)).status).toBe(200);
    expect(await redeem(code)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  });

  it('a code lives 5 minutes', async () => {
    const [early, late] = [
      await codeFor(simulated.provider, SOMEBODY),
      await codeFor(simulated.provider, SOMEBODY),
    ];
    simulated.advance(299);
    expect((await redeem(early)).status).toBe(200);
    simulated.advance(1);
    expect(await redeem(late)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  });

  it('PKCE: the verifier must match the S256 challenge', async () => {
    const { verifier, challenge } = pkce();
    const parameters = { code_challenge: challenge, code_challenge_method: 'S256' };
    const code = () => codeFor(simulated.provider, SOMEBODY, parameters);
    expect((await redeem(await code(), { code_verifier: verifier })).status).toBe(200);
    expect((await redeem(await code(), { code_verifier: pkce().verifier })).status).toBe(400);
    expect((await redeem(await code())).status).toBe(400);
  });

  it('redirect_uri may be left out; given, it must match', async () => {
    const code = () => codeFor(simulated.provider, SOMEBODY);
    expect((await redeem(await code(), { redirect_uri: REDIRECT_URI })).status).toBe(200);
    expect((await redeem(await code(), { redirect_uri: 'http://127.0.0.1:9/other' })).status).toBe(400);
  });

  it('takes Basic and client_secret_post; anything else is 401 invalid_client and leaves the code alone', async () => {
    const code = await codeFor(simulated.provider, SOMEBODY);
    for (const authorization of [null, basic('another'), basic(CLIENT.clientId, 'wrong'), 'Bearer x']) {
      expect(await redeem(code, {}, authorization)).toMatchObject({
        status: 401,
        body: { error: 'invalid_client' },
      });
    }
    const inBody = { client_id: CLIENT.clientId, client_secret: CLIENT.clientSecret };
    expect((await redeem(code, inBody, null)).status).toBe(200);
  });

  it('another grant type: invalid_grant "Grant type is not supported."', async () => {
    const answer = await redeem('', { grant_type: 'password' });
    expect(answer).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant', error_description: 'Grant type is not supported.' },
    });
  });

  it('GET on the token endpoint: 405', async () => {
    expect((await fetch(`${simulated.provider.ssoUrl}/v2/oauth/token`)).status).toBe(405);
  });
});

import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import {
  type SimulatedProvider,
  type SimulatedProviderOptions,
  startSimulatedProvider,
} from '../../../dev/provider/provider.ts';

export const CLIENT = { clientId: 'application', clientSecret: 'a secret: 100% +' } as const;
export const REDIRECT_URI = 'http://127.0.0.1:9/callback/ext?from=provider';
export const WALLET = 'esi-wallet.read_character_wallet.v1';
export const LOCATION = 'esi-location.read_location.v1';

/** A provider for a test file, with a clock that stands still until it is advanced. */
export function useProvider(options: Partial<SimulatedProviderOptions> = {}): {
  readonly provider: SimulatedProvider;
  advance(seconds: number): void;
} {
  let started: SimulatedProvider | undefined;
  const start = Date.UTC(2026, 8, 1, 12);
  let time = start;
  beforeAll(async () => {
    started = await startSimulatedProvider({ ...CLIENT, now: () => new Date(time), ...options });
  });
  beforeEach(() => {
    time = start;
    started?.reset();
  });
  afterAll(async () => {
    await started?.stop();
  });
  return {
    get provider() {
      if (started === undefined) throw new Error('The provider is not started yet');
      return started;
    },
    advance(seconds) {
      time += seconds * 1_000;
    },
  };
}

export function loginUrl(provider: SimulatedProvider, parameters: Record<string, string> = {}): string {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: CLIENT.clientId,
    redirect_uri: REDIRECT_URI,
    scope: `publicData ${WALLET}`,
    state: 'a state',
    ...parameters,
  });
  return `${provider.ssoUrl}/v2/oauth/authorize?${query}`;
}

export function pkce(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

export function basic(id: string = CLIENT.clientId, secret: string = CLIENT.clientSecret): string {
  return `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
}

export async function post(
  provider: SimulatedProvider,
  path: string,
  form: Record<string, string>,
  authorization: string | null = basic(),
): Promise<Response> {
  const headers: Record<string, string> = authorization === null ? {} : { authorization };
  return await fetch(provider.ssoUrl + path, { method: 'POST', headers, body: new URLSearchParams(form) });
}

export interface TokenAnswer {
  readonly access_token: string;
  readonly refresh_token?: string;
  readonly expires_in: number;
  readonly token_type: string;
}

/** The authorization code for a character. */
export async function codeFor(
  provider: SimulatedProvider,
  characterId: number,
  parameters: Record<string, string> = {},
): Promise<string> {
  const location = new URL(await provider.authorize(loginUrl(provider, parameters), { characterId }));
  return location.searchParams.get('code') ?? '';
}

/** Performs the whole authorization code flow. */
export async function signIn(
  provider: SimulatedProvider,
  characterId: number,
  scope: string,
): Promise<TokenAnswer> {
  const code = await codeFor(provider, characterId, { scope });
  const answer = await post(provider, '/v2/oauth/token', { grant_type: 'authorization_code', code });
  if (answer.status !== 200) throw new Error(`The token endpoint answered ${answer.status}`);
  return (await answer.json()) as TokenAnswer;
}

/** The Authorization header of a character that granted these scopes. */
export async function bearer(
  provider: SimulatedProvider,
  characterId: number,
  ...scopes: string[]
): Promise<{ authorization: string }> {
  const { access_token: token } = await signIn(provider, characterId, scopes.join(' '));
  return { authorization: `Bearer ${token}` };
}

export async function refresh(
  provider: SimulatedProvider,
  refreshToken: string | undefined,
  form: Record<string, string> = {},
): Promise<Response> {
  return await post(provider, '/v2/oauth/token', {
    grant_type: 'refresh_token',
    refresh_token: refreshToken ?? '',
    ...form,
  });
}

export async function get(
  provider: SimulatedProvider,
  path: string,
  headers: Record<string, string> = {},
): Promise<Response> {
  return await fetch(provider.apiUrl + path, { headers, redirect: 'manual' });
}

export async function postIds(provider: SimulatedProvider, path: string, body: unknown): Promise<Response> {
  return await fetch(provider.apiUrl + path, { method: 'POST', body: JSON.stringify(body) });
}

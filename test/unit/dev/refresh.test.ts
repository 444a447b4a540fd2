import { describe, expect, it } from 'vitest';
import { startSimulatedProvider } from '../../../dev/provider/provider.ts';
import { FIRST_CHARACTER_ID } from '../../../dev/world/world.ts';
import { CLIENT, LOCATION, post, refresh, signIn, type TokenAnswer, useProvider, WALLET } from './client.ts';

const SOMEBODY = FIRST_CHARACTER_ID + 100;
const simulated = useProvider();

async function refreshed(token: string | undefined, form: Record<string, string> = {}): Promise<TokenAnswer> {
  return (await (await refresh(simulated.provider, token, form)).json()) as TokenAnswer;
}

function claimsOf(answer: TokenAnswer): Record<string, unknown> {
  return JSON.parse(Buffer.from(answer.access_token.split('.')[1] ?? '', 'base64url').toString());
}

const scopesOf = (answer: TokenAnswer) => claimsOf(answer).scp;

describe('refresh (provider.md §1)', () => {
  it('without rotation the same refresh token is returned and stays valid', async () => {
    simulated.provider.rotateRefreshTokens = false;
    const { refresh_token: first } = await signIn(simulated.provider, SOMEBODY, WALLET);
    expect((await refreshed(first)).refresh_token).toBe(first);
    expect((await refresh(simulated.provider, first)).status).toBe(200);
  });

  it('with rotation another one is returned and the old one is dead', async () => {
    simulated.provider.rotateRefreshTokens = true;
    const { refresh_token: first } = await signIn(simulated.provider, SOMEBODY, WALLET);
    const { refresh_token: second } = await refreshed(first);
    expect(second).not.toBe(first);
    expect(await refreshed(first)).toMatchObject({
      error: 'invalid_grant',
      error_description: expect.stringContaining('Token missing/expired.'),
    });
    expect((await refresh(simulated.provider, second)).status).toBe(200);
  });

  it('may be narrowed to some of the scopes, never widened', async () => {
    const { refresh_token: token } = await signIn(simulated.provider, SOMEBODY, `${WALLET} ${LOCATION}`);
    expect(scopesOf(await refreshed(token))).toEqual([WALLET, LOCATION]);
    expect(scopesOf(await refreshed(token, { scope: WALLET }))).toBe(WALLET);
    expect(await refreshed(token, { scope: 'esi-mail.read_mail.v1' })).toMatchObject({
      error: 'invalid_scope',
    });
  });

  it.each(['', 'nonsense', 'e30.e30'])('the token "%s" counts as missing', async (token) => {
    expect((await refresh(simulated.provider, token)).status).toBe(400);
  });

  it('a character with another owner: "…Character grant missing/expired."', async () => {
    const { refresh_token: token } = await signIn(simulated.provider, SOMEBODY, WALLET);
    simulated.provider.world.handOver(SOMEBODY);
    expect(await refreshed(token)).toMatchObject({
      error: 'invalid_grant',
      error_description: expect.stringContaining('Character grant missing/expired.'),
    });
  });

  it('a hand-over may let refresh tokens live on, which then name the new owner; the next one ends them', async () => {
    const { world } = simulated.provider;
    const id = SOMEBODY + 2;
    const { refresh_token: token } = await signIn(simulated.provider, id, WALLET);
    world.handOver(id, 'live on');
    expect(claimsOf(await refreshed(token)).owner).toBe(world.character(id)?.owner);
    world.handOver(id);
    expect((await refresh(simulated.provider, token)).status).toBe(400);
  });

  it('a deleted character has no grant either', async () => {
    const { refresh_token: token } = await signIn(simulated.provider, SOMEBODY + 1, WALLET);
    simulated.provider.world.deleteCharacter(SOMEBODY + 1);
    expect((await refresh(simulated.provider, token)).status).toBe(400);
  });

  it('still works after a restart of the simulator with the same seed and secret, not with others', async () => {
    const { refresh_token: token } = await signIn(simulated.provider, SOMEBODY, WALLET);
    const statuses: number[] = [];
    for (const other of [{}, { seed: 2 }]) {
      const provider = await startSimulatedProvider({ ...CLIENT, ...other });
      provider.world.handOver(SOMEBODY);
      statuses.push((await refresh(provider, token)).status);
      await provider.stop();
    }
    expect(statuses).toEqual([200, 400]);
  });
});

describe('revoke (provider.md §1)', () => {
  it('answers 200 always, and kills the token only for its application, named as a refresh token', async () => {
    const { refresh_token: token = '' } = await signIn(simulated.provider, SOMEBODY, WALLET);
    const revoke = async (value: string, authorization?: null, token_type_hint = 'refresh_token') =>
      (await post(simulated.provider, '/v2/oauth/revoke', { token: value, token_type_hint }, authorization))
        .status;
    expect(await revoke(token, null)).toBe(200);
    expect(await revoke(token, undefined, 'access_token')).toBe(200);
    expect((await refresh(simulated.provider, token)).status).toBe(200);
    expect(await revoke('nonsense')).toBe(200);
    expect(await revoke(token)).toBe(200);
    expect((await refresh(simulated.provider, token)).status).toBe(400);
  });
});

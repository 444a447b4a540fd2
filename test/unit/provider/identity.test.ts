import { exportJWK, generateKeyPair } from 'jose';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createIdentification } from '../../../server/provider/identity.ts';
import { rememberMetadata } from '../../../server/provider/sso-metadata.ts';
import { type ScriptedSignOn, startSignOn } from '../../harness/sign-on.ts';

const CLIENT = 'castellan-test';
const CHARACTER = 2_112_000_001;
const NOW = new Date('2026-01-01T00:00:00Z');
const MINUTE = 60_000;

describe('D26: the provider’s keys are kept for ten minutes', () => {
  const time = vi.spyOn(performance, 'now').mockReturnValue(0);
  let signOn: ScriptedSignOn;
  let usual: ScriptedSignOn['jwks'];
  beforeAll(async () => {
    signOn = await startSignOn(CLIENT, () => NOW);
    usual = signOn.jwks;
  });
  beforeEach(() => {
    signOn.jwks = usual;
  });
  afterEach(() => time.mockReturnValue(0));
  afterAll(async () => {
    time.mockRestore();
    await signOn.stop();
  });

  /** Identifies tokens of the sign-on, and counts how often its keys are asked for. */
  function identification() {
    let requests = 0;
    const identify = createIdentification({
      settings: {
        sso: { url: signOn.url, clientId: CLIENT },
        extApi: { scopePrefix: 'esi-' },
      },
      clock: { now: () => NOW },
      request: (...given) => {
        requests += 1;
        return fetch(...given);
      },
    });
    const metadata = rememberMetadata(signOn.url, fetch);
    return {
      identify: async (token: string) => (await identify(token, await metadata.get())).characterId,
      requests: () => requests,
    };
  }

  it('then they are asked for again, and one that is gone does not count any more', async () => {
    const { identify, requests } = identification();
    const token = await signOn.accessToken(CHARACTER);
    expect(await identify(token)).toBe(CHARACTER);
    signOn.jwks = { body: { keys: [] } };
    time.mockReturnValue(10 * MINUTE - 1);
    expect(await identify(token)).toBe(CHARACTER);
    expect(requests()).toBe(1);
    time.mockReturnValue(10 * MINUTE);
    await expect(identify(token)).rejects.toMatchObject({ fault: 'unusable' });
  });

  it.each([
    ['are not answered', { status: 503, body: 'down' }],
    ['are no JSON', { body: '<html>' }],
    ['are no keys', { body: { keys: 7 } }],
  ])('where they %s the former ones serve, and are asked for once a minute', async (_, answer) => {
    const { identify, requests } = identification();
    const token = await signOn.accessToken(CHARACTER);
    await identify(token);
    signOn.jwks = answer;
    for (const minute of [10, 11]) {
      const before = requests();
      time.mockReturnValue(minute * MINUTE);
      expect(await identify(token)).toBe(CHARACTER);
      await expect.poll(requests).toBe(before + 1);
      expect(await identify(token)).toBe(CHARACTER);
      expect(requests()).toBe(before + 1);
    }
  });

  it('a new key counts as soon as the provider gives it', async () => {
    const { identify } = identification();
    await identify(await signOn.accessToken(CHARACTER));
    signOn.jwks = { status: 503, body: 'down' };
    time.mockReturnValue(10 * MINUTE);
    const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
    const token = await signOn.accessToken(CHARACTER, { header: { kid: 'next' }, key: privateKey });
    await expect(identify(token)).rejects.toMatchObject({ fault: 'unusable' });
    signOn.jwks = { body: { keys: [{ ...(await exportJWK(publicKey)), kid: 'next', alg: 'RS256' }] } };
    expect(await identify(token)).toBe(CHARACTER);
  });

  it('without former ones no token is accepted', async () => {
    const { identify } = identification();
    const token = await signOn.accessToken(CHARACTER);
    signOn.jwks = { status: 503, body: 'down' };
    await expect(identify(token)).rejects.toMatchObject({ fault: 'unusable' });
    signOn.jwks = usual;
    expect(await identify(token)).toBe(CHARACTER);
  });
});

import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { ProviderError } from '../../../server/provider/http.ts';
import { rememberMetadata } from '../../../server/provider/sso-metadata.ts';

const SSO = 'https://sso.example';
const HOUR = 3_600_000;
const metadata = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${SSO}/authorize`,
  token_endpoint: `${SSO}/token`,
  revocation_endpoint: `${SSO}/revoke`,
  jwks_uri: `${SSO}/jwks`,
});

describe('provider.md §1: the metadata of the sign-on are kept for an hour', () => {
  const time = vi.spyOn(performance, 'now').mockReturnValue(0);
  afterEach(() => time.mockReturnValue(0));
  afterAll(() => time.mockRestore());

  /** A sign-on that gives these answers one after the other; a promise may stay pending, as when it hangs. */
  function answering(...answers: readonly (() => Promise<Response> | Response)[]) {
    let requests = 0;
    const request = (async () => {
      const answer = answers[requests];
      requests += 1;
      if (answer === undefined) throw new Error('one request too many');
      return answer();
    }) as typeof fetch;
    return { ...rememberMetadata(SSO, request), requests: () => requests };
  }
  const good = (issuer: string) => () => Response.json(metadata(issuer));
  const bad = () => new Response('down', { status: 500 });

  it('then they are read again', async () => {
    const { get, requests } = answering(good('first'), good('second'));
    expect((await get()).issuer).toBe('first');
    time.mockReturnValue(HOUR - 1);
    expect((await get()).issuer).toBe('first');
    time.mockReturnValue(HOUR);
    expect((await get()).issuer).toBe('second');
    expect(requests()).toBe(2);
  });

  it('where that fails the former ones serve, and are asked for once a minute until it works', async () => {
    const { get, requests } = answering(good('first'), bad, bad, good('second'));
    await get();
    for (const minute of [0, 1]) {
      for (const second of [0, 1, 59]) {
        time.mockReturnValue(HOUR + minute * 60_000 + second * 1000);
        expect((await get()).issuer).toBe('first');
      }
      expect(requests()).toBe(2 + minute);
    }
    let now = HOUR + 120_000;
    await vi.waitFor(async () => {
      now += 60_000;
      time.mockReturnValue(now);
      expect((await get()).issuer).toBe('second');
    }, 60_000);
    expect(requests()).toBe(4);
  });

  it('where that hangs only the first who ask wait for its end', async () => {
    let end = () => {};
    const hanging = () =>
      new Promise<Response>((_, reject) => {
        end = () => reject(new ProviderError('timeout', 'no full answer'));
      });
    const { get, requests } = answering(good('first'), hanging, hanging);
    await get();
    time.mockReturnValue(HOUR);
    const waiting = [get(), get()];
    end();
    expect((await Promise.all(waiting)).map(({ issuer }) => issuer)).toEqual(['first', 'first']);
    time.mockReturnValue(HOUR + 60_000);
    expect((await get()).issuer).toBe('first');
    expect((await get()).issuer).toBe('first');
    expect(requests()).toBe(3);
    end();
  });

  it('without former ones each who asks learns of the failure', async () => {
    const { get, requests } = answering(bad, bad, good('first'));
    await expect(get()).rejects.toMatchObject({ fault: 'unusable' });
    await expect(get()).rejects.toMatchObject({ fault: 'unusable' });
    expect((await get()).issuer).toBe('first');
    expect(requests()).toBe(3);
  });
});

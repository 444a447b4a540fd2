import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { importJWK, type JWK, SignJWT } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import type { JwkSet } from '../../../server/keys/formats.ts';
import { loadSigningKeys, type SignableToken, type SigningKeys } from '../../../server/keys/signing-keys.ts';
import { DomainError } from '../../../server/shared/domain-error.ts';
import { TestClock } from '../../harness/clock.ts';
import { newSigningKey } from '../../harness/keys.ts';

const ISSUER = 'https://castellan.test';
type Key = JwkSet['keys'][number];

let one: Key;
let two: Key;
let clock: TestClock;
let keys: SigningKeys;

beforeAll(async () => {
  one = (await newSigningKey()) as Key;
  two = (await newSigningKey()) as Key;
  clock = new TestClock();
  keys = await loadSigningKeys({ keys: [one] }, ISSUER, clock);
});

function token(change: Partial<SignableToken> = {}): SignableToken {
  const uuid = randomUUID();
  return {
    uuid,
    token_type: 'per',
    owner_id: 0,
    app_token: uuid,
    kid: keys.currentKid,
    created_on: clock.now(),
    expires_on: null,
    ...change,
  };
}

async function refusal(jwt: string): Promise<unknown> {
  const error: unknown = await keys.verify(jwt).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(DomainError);
  expect(error).toMatchObject({ code: expect.stringMatching(/^token_(malformed|invalid|expired)$/) });
  return (error as DomainError).detail;
}

describe('D20: signing and verifying', () => {
  it('verifies what it signed, and returns the same claims', async () => {
    const row = token({
      token_type: 'use',
      owner_id: 2_112_000_001,
      expires_on: new Date(clock.now().getTime() + 60_000),
    });
    expect(await keys.verify(await keys.sign(row))).toEqual({
      uuid: row.uuid,
      kind: 'use',
      ownerId: 2_112_000_001,
      appToken: row.app_token,
      expires: Math.floor((row.expires_on?.getTime() ?? 0) / 1000),
    });
  });

  it('D29: the same row gives the same text', async () => {
    const row = token();
    expect(await keys.sign(row)).toBe(await keys.sign(row));
  });

  it('D3b: the largest id survives', async () => {
    const row = token({ owner_id: Number.MAX_SAFE_INTEGER });
    expect(await keys.verify(await keys.sign(row))).toMatchObject({ ownerId: Number.MAX_SAFE_INTEGER });
  });

  it('refuses any change of one character, whether the original was verified before or not', async () => {
    const jwt = await keys.sign(token());
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const where = fc.integer({ min: 0, max: jwt.length - 2 });
    await keys.verify(jwt);
    await fc.assert(
      fc.asyncProperty(where, fc.constantFrom(...alphabet), async (index, character) => {
        fc.pre(jwt[index] !== '.' && jwt[index] !== character);
        await refusal(jwt.slice(0, index) + character + jwt.slice(index + 1));
      }),
    );
  });

  it('refuses any other text with a domain error, never with another error', async () => {
    const part = fc.string({ unit: fc.constantFrom(...'eyJhbGciOiJFZERTQSJ9.-_'), maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(part, part, part, async (header, payload, signature) => {
        await refusal(`${header}.${payload}.${signature}`);
      }),
    );
    for (const text of ['', '.', '..', '...', 'a', 'null', '{}', '\0', 'é.é.é']) await refusal(text);
  });

  it('the first private key signs; keys without one verify', async () => {
    const { d: _, ...verifyOnly } = one;
    const rotated = await loadSigningKeys({ keys: [verifyOnly, two] }, ISSUER, clock);
    expect(rotated).toMatchObject({ currentKid: two.kid, kids: [one.kid, two.kid], signingKids: [two.kid] });
    const jwt = await keys.sign(token());
    expect(await rotated.verify(jwt)).toMatchObject({ kind: 'per' });
    await expect(rotated.sign(token({ kid: one.kid }))).rejects.toThrow('verify-only');
    expect(await refusal(await rotated.sign(token({ kid: two.kid })))).toBe(
      `The token was signed with an unknown key (kid ${two.kid}).`,
    );
  });

  it('publishes no private part', () => {
    expect(keys.jwks).toEqual({
      keys: [{ kty: 'OKP', crv: 'Ed25519', kid: one.kid, x: one.x, alg: 'EdDSA', use: 'sig' }],
    });
  });

  it('names an unknown key by its id, unless that cannot be a valid id', async () => {
    const unknown: (string | undefined)[] = [];
    const telling = await loadSigningKeys({ keys: [one] }, ISSUER, clock, (kid) => unknown.push(kid));
    const refusalOf = async (kid: string) => {
      const other = await loadSigningKeys({ keys: [{ ...two, kid }] }, ISSUER, clock);
      const jwt = await other.sign(token({ kid }));
      return telling.verify(jwt).catch((error: DomainError) => error.detail);
    };
    expect(await refusalOf('2026-01')).toBe('The token was signed with an unknown key (kid 2026-01).');
    for (const kid of ['x'.repeat(65), 'a b', '<script>', 'a\nb', '\u001b[31m', 'é']) {
      expect(await refusalOf(kid)).toBe('The token was signed with an unknown key.');
    }
    expect(unknown).toEqual(['2026-01', ...Array(6).fill(undefined)]);
  });

  it('repeats nothing that is no text', async () => {
    const signed = async (kid: unknown, iss: unknown) =>
      new SignJWT({ ...(iss as object) })
        .setProtectedHeader({ alg: 'EdDSA', kid: kid as string })
        .sign(await importJWK(one as JWK, 'EdDSA'));
    expect(await refusal(await signed(5, {}))).toBe('The token was signed with an unknown key.');
    const list = { iss: ['https://elsewhere.test'], jti: '', sub: '', azp: '', typ: '', iat: 0, nbf: 0 };
    expect(await refusal(await signed(one.kid, list))).toBe("The token's claim iss is missing or not valid.");
  });

  it('a token of another instance with the same key is refused; the error names both issuers', async () => {
    for (const issuer of ['https://elsewhere.test', 'http://127.0.0.1:18080']) {
      const elsewhere = await loadSigningKeys({ keys: [one] }, issuer, clock);
      expect(await refusal(await elsewhere.sign(token()))).toBe(
        `The token was issued by ${issuer}, but this service is ${ISSUER}.`,
      );
    }
  });

  it('names no issuer whose signature is not valid, nor one that cannot be repeated', async () => {
    const forged = await loadSigningKeys({ keys: [{ ...two, kid: one.kid }] }, 'https://evil.test', clock);
    expect(await refusal(await forged.sign(token({ kid: one.kid })))).toBe(
      "The token's signature is not valid.",
    );
    for (const issuer of [
      `https://${'a'.repeat(201)}`,
      'https://a b',
      ' https://a',
      'castellan',
      'javascript:1',
      '',
    ]) {
      const odd = await loadSigningKeys({ keys: [one] }, issuer, clock);
      expect(await refusal(await odd.sign(token())), issuer).toBe(
        "The token's claim iss is missing or not valid.",
      );
    }
  });

  it('D22: a token that was verified before still expires exactly in time', async () => {
    // A JWT has whole seconds.
    const expires_on = new Date(Math.ceil(clock.now().getTime() / 1000) * 1000 + 60_000);
    const jwt = await keys.sign(token({ token_type: 'use', expires_on }));
    await keys.verify(jwt);
    clock.advance(expires_on.getTime() - clock.now().getTime() - 1);
    await keys.verify(jwt);
    clock.advance(1);
    expect(await refusal(jwt)).toBe('The token has expired.');
  });

  it('a clock that is five seconds behind accepts a new token, one that is a minute behind does not', async () => {
    const made = async (aheadBy: number) =>
      keys.sign(token({ created_on: new Date(clock.now().getTime() + aheadBy) }));
    expect(await keys.verify(await made(4_000))).toMatchObject({ kind: 'per' });
    expect(await refusal(await made(60_000))).toBe("The token's claim nbf is missing or not valid.");
  });
});

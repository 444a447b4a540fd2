import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { importJWK, type JWK, SignJWT } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { EncryptionKeys, JwkSet, JwkSetJson, publicHalf, RsaKeysJson } from '../../../server/keys/formats.ts';
import { loadSigningKeys } from '../../../server/keys/signing-keys.ts';
import { TestClock } from '../../harness/clock.ts';
import { newSigningKey, RSA_KEY } from '../../harness/keys.ts';

const ISSUER = 'https://castellan.test';
const rsaOf = (modulusLength: number) => ({
  ...generateKeyPairSync('rsa', { modulusLength }).privateKey.export({ format: 'jwk' }),
  kid: `rsa-${modulusLength}`,
});
const problemsOf = (keys: readonly unknown[]) =>
  JwkSet.safeParse({ keys }).error?.issues.map(({ message }) => message);

let ed25519: JwkSet['keys'][number];
beforeAll(async () => {
  ed25519 = await newSigningKey();
});

describe('D80: RSA keys beside Ed25519 ones', () => {
  it('D80: both kinds are accepted, private or public, and distinguished', () => {
    const { kty, kid, n, e } = RSA_KEY;
    const former = { kty, n, e, kid: `${kid}-former` };
    const set = JwkSet.parse({ keys: [RSA_KEY, ed25519, former] });
    expect(set.keys.map((key) => key.kid)).toEqual([ed25519.kid]);
    expect(set.rsaKeys).toEqual([expect.objectContaining({ d: RSA_KEY.d }), former]);
  });

  it('D20: RSA alone is refused: the service’s own tokens need an Ed25519 key', () => {
    expect(problemsOf([RSA_KEY])).toEqual(['holds no private Ed25519 key to sign with']);
  });

  it.each([
    ['of less than 2048 bits', () => rsaOf(1024), 'key rsa-1024 has less than 2048 bits'],
    [
      'of two halves',
      () => ({ ...RSA_KEY, n: rsaOf(2048).n }),
      `key ${RSA_KEY.kid} is no RSA key, or its private half belongs to another n`,
    ],
    [
      'that is not whole',
      () => ({ ...RSA_KEY, p: undefined }),
      `key ${RSA_KEY.kid} is no RSA key, or its private half belongs to another n`,
    ],
    ['of another kind', () => ({ kty: 'EC', kid: 'x' }), 'every key must have kty OKP or RSA'],
    ['with the id of another', () => ({ ...RSA_KEY, kid: ed25519.kid }), 'holds two keys with one kid'],
  ])('D80: a key %s is refused', (_, key, problem) => {
    expect(problemsOf([ed25519, key()])).toContain(problem);
  });

  it('D80: the RSA key signs only ID tokens: a token of the service that it signed is refused', async () => {
    const clock = new TestClock();
    const keys = await loadSigningKeys(JwkSet.parse({ keys: [ed25519, RSA_KEY] }), ISSUER, clock);
    expect(keys.kids).toEqual([ed25519.kid]);
    const now = Math.floor(clock.now().getTime() / 1000);
    const uuid = crypto.randomUUID();
    const forged = await new SignJWT({ azp: uuid, typ: 'per' })
      .setProtectedHeader({ alg: 'RS256', kid: RSA_KEY.kid })
      .setIssuer(ISSUER)
      .setJti(uuid)
      .setSubject('0')
      .setIssuedAt(now)
      .setNotBefore(now)
      .sign(await importJWK(RSA_KEY as JWK, 'RS256'));
    await expect(keys.verify(forged)).rejects.toMatchObject({ code: 'token_invalid' });
  });
});

describe('D20b: Ed25519 keys', () => {
  const same = Buffer.alloc(32, 7).toString('base64url');
  const noKey = (which: string) => `key ${which} is no Ed25519 key, or its d belongs to another x`;

  it('are published by their public halves alone', () => {
    const { kid, x } = ed25519;
    expect(publicHalf(ed25519)).toEqual({ kty: 'OKP', crv: 'Ed25519', kid, x });
  });

  it.each<[string, () => unknown, string]>([
    ['without a kid', () => ({ ...ed25519, kid: undefined }), 'every key needs a kid'],
    ['of another curve', () => ({ ...ed25519, crv: 'X25519' }), 'every key of kty OKP must have crv Ed25519'],
    ['without x', () => ({ ...ed25519, x: undefined }), 'every key needs x'],
    ['with a longer x', () => ({ ...ed25519, x: `${ed25519.x}A` }), 'x must be 32 bytes in base64url'],
    [
      'with an x behind something',
      () => ({ ...ed25519, x: `!${ed25519.x}` }),
      'x must be 32 bytes in base64url',
    ],
    ['with a longer d', () => ({ ...ed25519, d: `${ed25519.d}A` }), 'd must be 32 bytes in base64url'],
    [
      'with a d behind something',
      () => ({ ...ed25519, d: `!${ed25519.d}` }),
      'd must be 32 bytes in base64url',
    ],
  ])('%s are refused', (_, key, problem) => {
    expect(problemsOf([key()])).toContain(problem);
  });

  it('D61: of one byte over and over are refused, and so are halves that do not fit', async () => {
    const { kid } = ed25519;
    const placeholder = `key ${kid} is one byte over and over`;
    expect(problemsOf([{ ...ed25519, x: same }])).toEqual([placeholder]);
    expect(problemsOf([{ ...ed25519, d: same }])).toEqual([placeholder]);
    const { x } = await newSigningKey();
    expect(problemsOf([{ ...ed25519, x }])).toEqual([noKey(kid)]);
  });

  it('are one at least, and one that signs', () => {
    const { d: _, ...verifyOnly } = ed25519;
    const none = 'holds no private Ed25519 key to sign with';
    expect(problemsOf([verifyOnly])).toEqual([none]);
    expect(problemsOf([])).toEqual(['holds no key', none]);
  });

  it('keep a kid of up to 200 characters', () => {
    expect(problemsOf([{ ...ed25519, kid: 'k'.repeat(200) }])).toBeUndefined();
    for (const kid of ['', 'k'.repeat(201)]) expect(problemsOf([{ ...ed25519, kid }])).toHaveLength(1);
  });

  it('lose what is no part of a key', () => {
    expect(JwkSet.parse({ keys: [{ ...ed25519, more: 1 }] }).keys).toEqual([
      expect.not.objectContaining({ more: 1 }),
    ]);
  });
});

describe('D80: RSA keys', () => {
  it('are whole or public: no private half of another, no short one', () => {
    expect(problemsOf([ed25519, RSA_KEY])).toBeUndefined();
    expect(problemsOf([ed25519, rsaOf(1024)])).toEqual(['key rsa-1024 has less than 2048 bits']);
  });

  it('are read from JSON on their own, too', () => {
    const read = (text: string) => RsaKeysJson.safeParse(text);
    expect(read(JSON.stringify({ keys: [RSA_KEY] })).data).toEqual([
      expect.objectContaining({ d: RSA_KEY.d }),
    ]);
    expect(read('{').error?.issues[0]?.message).toBe('is not JSON (a JWK set is wanted)');
    const { issues = [] } = read(JSON.stringify({ keys: [RSA_KEY, rsaOf(1024)] })).error ?? {};
    expect(issues.map(({ message }) => message)).toEqual(['key rsa-1024 has less than 2048 bits']);
  });
});

describe('D20b: the JSON of a key set', () => {
  it('is read, or said to be none', () => {
    expect(JwkSetJson.parse(JSON.stringify({ keys: [ed25519] })).keys).toEqual([
      expect.objectContaining({ d: ed25519.d }),
    ]);
    const { issues = [] } = JwkSetJson.safeParse('{').error ?? {};
    expect(issues.map(({ message }) => message)).toEqual(['is not JSON (a JWK set is wanted)']);
  });
});

describe('D34: encryption keys', () => {
  const key = randomBytes(32);
  const oct = (kid: string, k: string, kty = 'oct') => JSON.stringify({ keys: [{ kty, kid, k }] });
  const faultsOf = (text: string) =>
    EncryptionKeys.safeParse(text).error?.issues.map(({ message }) => message);
  const [base64, hex, url] = (['base64', 'hex', 'base64url'] as const).map((form) => key.toString(form)) as [
    string,
    string,
    string,
  ];

  it.each([
    ['base64', `a:${base64}`],
    ['base64 without padding', `a:${base64.replaceAll('=', '')}`],
    ['base64url', `a:${url}`],
    ['hexadecimal digits', `a:${hex}`],
    ['large hexadecimal digits', `a:${hex.toUpperCase()}`],
    ['blanks around', `  a:${base64}  `],
    ['a JWK set', oct('a', url)],
    ['a JWK set behind a blank', ` ${oct('a', url)}`],
  ])('are taken as %s', (_, text) => {
    expect(EncryptionKeys.parse(text)).toEqual([{ id: 'a', key }]);
  });

  it('are kept in their order', () => {
    const second = randomBytes(32);
    expect(EncryptionKeys.parse(`a:${base64},b-2:${second.toString('hex')}`)).toEqual([
      { id: 'a', key },
      { id: 'b-2', key: second },
    ]);
  });

  it('have ids of up to 32 characters', () => {
    const [longest, longer] = ['i'.repeat(32), 'i'.repeat(33)];
    expect(EncryptionKeys.parse(`${longest}:${base64}`)).toEqual([{ id: longest, key }]);
    expect(EncryptionKeys.parse(oct(longest, url))).toEqual([{ id: longest, key }]);
    expect(faultsOf(`${longer}:${base64}`)).toEqual(['entry 1 is not of the form id:key']);
  });

  const noSet = 'is not a JWK set of oct keys with a kid each';
  it.each<[string, string[]]>([
    ['', ['entry 1 is not of the form id:key']],
    [`a:${base64},b`, ['entry 2 is not of the form id:key']],
    [`x a:${base64}`, ['entry 1 is not of the form id:key']],
    [`a:${base64} x`, ['entry 1 is not of the form id:key']],
    [`a:${base64}===`, ['entry 1 is not of the form id:key']],
    [`a:${randomBytes(31).toString('base64')}`, ['key a has 31 bytes instead of 32']],
    [`a:${randomBytes(33).toString('base64')}`, ['key a has 33 bytes instead of 32']],
    [`a:${hex}00`, ['key a has 49 bytes instead of 32']],
    [`a:${'07'.repeat(32)}`, ['key a is one byte over and over']],
    [`a:${base64},a:${randomBytes(32).toString('base64')}`, ['two keys have one id']],
    ['{', [noSet]],
    ['{"keys":[]}', [noSet]],
    [oct('a b', url), [noSet]],
    [oct('', url), [noSet]],
    [oct('i'.repeat(33), url), [noSet]],
    [oct('a', url, 'OKP'), [noSet]],
    [oct('a', Buffer.alloc(16, 1).toString('base64url')), ['key a has 16 bytes instead of 32']],
  ])('case %#: say what is wrong', (text, problems) => {
    expect(faultsOf(text)).toEqual(problems);
  });
});

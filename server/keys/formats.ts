import { createPrivateKey, createPublicKey, type JsonWebKey, sign, verify } from 'node:crypto';
import { z } from 'zod';

const base64url = z.string().regex(/^[\w-]{1,2000}$/);
const kid = z.string({ message: 'every key needs a kid' }).min(1).max(200);

const ed25519 = z
  .object({
    kty: z.literal('OKP'),
    crv: z.literal('Ed25519', {
      errorMap: () => ({ message: 'every key of kty OKP must have crv Ed25519' }),
    }),
    kid,
    x: z.string({ message: 'every key needs x' }).regex(/^[\w-]{43}$/, 'x must be 32 bytes in base64url'),
    d: z
      .string()
      .regex(/^[\w-]{43}$/, 'd must be 32 bytes in base64url')
      .optional(),
  })
  .strip();

const rsa = z
  .object({
    kty: z.literal('RSA'),
    kid,
    n: base64url,
    e: base64url,
    d: base64url.optional(),
    p: base64url.optional(),
    q: base64url.optional(),
    dp: base64url.optional(),
    dq: base64url.optional(),
    qi: base64url.optional(),
  })
  .strip();

type Ed25519Key = z.infer<typeof ed25519>;
export type RsaKey = z.infer<typeof rsa>;

/** Minimum key size for RS256 (RFC 7518). */
const RSA_BITS = 2048;

/**
 * Ed25519 keys for the service's own tokens: the first private key (with `d`) signs, the others verify (D20b). RSA keys
 * likewise, for ID tokens only (D80).
 */
export const JwkSet = z
  .object({
    keys: z
      .array(
        z.discriminatedUnion('kty', [ed25519, rsa], {
          errorMap: (issue, { defaultError }) => ({
            message:
              issue.code === 'invalid_union_discriminator'
                ? 'every key must have kty OKP or RSA'
                : defaultError,
          }),
        }),
      )
      .min(1, 'holds no key'),
  })
  .superRefine(({ keys }, context) => {
    const fail = (message: string) => context.addIssue({ code: 'custom', message });
    if (!keys.some((key) => key.kty === 'OKP' && key.d !== undefined)) {
      fail('holds no private Ed25519 key to sign with');
    }
    if (new Set(keys.map((key) => key.kid)).size < keys.length) fail('holds two keys with one kid');
    for (const key of keys) {
      const fault = key.kty === 'OKP' ? faultOfEd25519(key) : faultOfRsa(key);
      if (fault !== undefined) fail(fault);
    }
  })
  .transform(({ keys }) => ({
    keys: keys.filter((key): key is Ed25519Key => key.kty === 'OKP'),
    rsaKeys: keys.filter((key): key is RsaKey => key.kty === 'RSA'),
  }));
export interface JwkSet {
  readonly keys: readonly Ed25519Key[];
  readonly rsaKeys?: readonly RsaKey[];
}

function faultOfEd25519(key: Ed25519Key): string | undefined {
  const halves = [key.x, key.d ?? key.x].map((half) => Buffer.from(half, 'base64url'));
  if (halves.some(isOneByte)) return `key ${key.kid} is one byte over and over`;
  return isKey(key) ? undefined : `key ${key.kid} is no Ed25519 key, or its d belongs to another x`;
}

function faultOfRsa(key: RsaKey): string | undefined {
  if (!isKey(key)) return `key ${key.kid} is no RSA key, or its private half belongs to another n`;
  const bits = createPublicKey({ key: publicHalf(key), format: 'jwk' }).asymmetricKeyDetails?.modulusLength;
  return (bits ?? 0) >= RSA_BITS ? undefined : `key ${key.kid} has less than ${RSA_BITS} bits`;
}

/** The public half of a key. */
export function publicHalf<Key extends Ed25519Key | RsaKey>(key: Key) {
  const { kty, kid } = key;
  return key.kty === 'OKP' ? { kty, kid, crv: key.crv, x: key.x } : { kty, kid, n: key.n, e: key.e };
}

const PROOF = Buffer.from('signed to see whether the halves fit');

/** Whether the public half is a valid key and the private half, if present, belongs to it. */
function isKey(key: Ed25519Key | RsaKey): boolean {
  try {
    const half = createPublicKey({ key: publicHalf(key), format: 'jwk' });
    if (key.d === undefined) return true;
    const whole = createPrivateKey({ key: key as JsonWebKey, format: 'jwk' });
    const algorithm = key.kty === 'RSA' ? 'sha256' : null;
    // Node accepts mismatched RSA halves at import, so a test signature is verified.
    return verify(algorithm, PROOF, half, sign(algorithm, PROOF, whole));
  } catch {
    return false;
  }
}

export interface EncryptionKey {
  /** Stored with every ciphertext, so that keys can rotate. */
  readonly id: string;
  readonly key: Buffer;
}

const octKeys = z.object({
  keys: z.array(z.object({ kty: z.literal('oct'), kid: z.string().regex(/^[\w-]{1,32}$/), k: z.string() })),
});

/**
 * Encryption keys of 32 bytes: the first encrypts, all decrypt. Either `id:key` pairs separated by commas (base64 or
 * hexadecimal), or a JWK set of `oct` keys.
 */
export const EncryptionKeys = z.string().transform((text, context): readonly EncryptionKey[] => {
  const fail = (message: string) => context.addIssue({ code: 'custom', message });
  const keys = text.trimStart().startsWith('{') ? fromJwkSet(text) : text.split(',').map(fromPair);
  if (keys === undefined || keys.length === 0) fail('is not a JWK set of oct keys with a kid each');
  for (const [index, { id, key }] of (keys ?? []).entries()) {
    if (id === '') fail(`entry ${index + 1} is not of the form id:key`);
    else if (key.length !== 32) fail(`key ${id} has ${key.length} bytes instead of 32`);
    else if (isOneByte(key)) fail(`key ${id} is one byte over and over`);
  }
  if (new Set(keys?.map((key) => key.id)).size < (keys?.length ?? 0)) fail('two keys have one id');
  return keys ?? [];
});

/** Whether all bytes are equal, as in placeholders: such a key is refused (D61). */
function isOneByte(key: Buffer): boolean {
  return key.every((byte) => byte === key[0]);
}

function fromPair(pair: string): EncryptionKey {
  const [, id = '', text = ''] = /^\s*([\w-]{1,32}):([\w+/-]+={0,2})\s*$/.exec(pair) ?? [];
  return { id, key: Buffer.from(text, /^[0-9a-f]{64}$/i.test(text) ? 'hex' : 'base64') };
}

function fromJwkSet(text: string): EncryptionKey[] | undefined {
  const parsed = octKeys.safeParse(parseJson(text));
  return parsed.data?.keys.map(({ kid, k }) => ({ id: kid, key: Buffer.from(k, 'base64url') }));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const Json = z.string().transform((text, context): unknown => {
  const value = parseJson(text);
  if (value === undefined)
    context.addIssue({ code: 'custom', message: 'is not JSON (a JWK set is wanted)', fatal: true });
  return value ?? z.NEVER;
});

/** Parses a JWK set from JSON text. */
export const JwkSetJson = Json.pipe(JwkSet);

/** Parses RSA keys from JSON text. */
export const RsaKeysJson = Json.pipe(
  z.object({ keys: z.array(rsa) }).transform(({ keys }, context) => {
    for (const fault of keys.map(faultOfRsa)) {
      if (fault !== undefined) context.addIssue({ code: 'custom', message: fault });
    }
    return keys;
  }),
);

import { createPrivateKey, createPublicKey } from 'node:crypto';
import { z } from 'zod';

const ed25519 = z
  .object({
    kty: z.literal('OKP', { message: 'every key must have kty OKP' }),
    crv: z.literal('Ed25519', { message: 'every key must have crv Ed25519' }),
    kid: z.string({ message: 'every key needs a kid' }).min(1).max(200),
    x: z.string({ message: 'every key needs x' }).regex(/^[\w-]{43}$/, 'x must be 32 bytes in base64url'),
    d: z
      .string()
      .regex(/^[\w-]{43}$/, 'd must be 32 bytes in base64url')
      .optional(),
  })
  .strip();

/** Ed25519 keys: the first with a `d` signs, the others verify (D20b). */
export const JwkSet = z
  .object({ keys: z.array(ed25519).min(1, 'holds no key') })
  .superRefine(({ keys }, context) => {
    const fail = (message: string) => context.addIssue({ code: 'custom', message });
    if (!keys.some((key) => key.d !== undefined)) fail('holds no private key to sign with');
    if (new Set(keys.map((key) => key.kid)).size < keys.length) fail('holds two keys with one kid');
    for (const key of keys) {
      const halves = [key.x, key.d ?? key.x].map((half) => Buffer.from(half, 'base64url'));
      if (halves.some(isOneByte)) fail(`key ${key.kid} is one byte over and over`);
      else if (!isKey(key)) fail(`key ${key.kid} is no Ed25519 key, or its d belongs to another x`);
    }
  });
export type JwkSet = z.infer<typeof JwkSet>;

/** Whether the public half is one, and that of the private half where there is one. */
function isKey({ kty, crv, x, d }: z.infer<typeof ed25519>): boolean {
  try {
    const half = createPublicKey({ key: { kty, crv, x }, format: 'jwk' });
    if (d === undefined) return true;
    return createPublicKey(createPrivateKey({ key: { kty, crv, x, d }, format: 'jwk' })).equals(half);
  } catch {
    return false;
  }
}

export interface EncryptionKey {
  /** Kept with every ciphertext, so that keys can rotate. */
  readonly id: string;
  readonly key: Buffer;
}

const octKeys = z.object({
  keys: z.array(z.object({ kty: z.literal('oct'), kid: z.string().regex(/^[\w-]{1,32}$/), k: z.string() })),
});

/**
 * Keys of 32 bytes: the first encrypts, all decrypt. Either `id:key` pairs separated by commas, the key in base64
 * or hexadecimal digits, or a JWK set of `oct` keys.
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

/** What an example or an emptied variable leaves behind: no key at all (D61). */
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

/** A JWK set from a JSON text. */
export const JwkSetJson = z
  .string()
  .transform((text, context): unknown => {
    const value = parseJson(text);
    if (value === undefined)
      context.addIssue({ code: 'custom', message: 'is not JSON (a JWK set is wanted)', fatal: true });
    return value ?? z.NEVER;
  })
  .pipe(JwkSet);

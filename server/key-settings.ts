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
  });
export type JwkSet = z.infer<typeof JwkSet>;

export interface EncryptionKey {
  /** Kept with every ciphertext, so that keys can rotate. */
  readonly id: string;
  readonly key: Buffer;
}

/** `id:base64` pairs, comma-separated, 32 bytes each: the first encrypts, all decrypt. */
export const EncryptionKeys = z.string().transform((text, context): readonly EncryptionKey[] => {
  const fail = (message: string) => context.addIssue({ code: 'custom', message });
  const keys = text.split(',').map((pair, index) => {
    const [, id, encoded] = /^\s*([\w-]{1,32}):([\w+/-]+={0,2})\s*$/.exec(pair) ?? [];
    const key = Buffer.from(encoded ?? '', 'base64');
    if (id === undefined) fail(`entry ${index + 1} is not of the form id:base64`);
    else if (key.length !== 32) fail(`key ${id} has ${key.length} bytes instead of 32`);
    return { id: id ?? '', key };
  });
  if (new Set(keys.map((key) => key.id)).size < keys.length) fail('two keys have one id');
  return keys;
});

/** The same, from a JSON text. */
export const JwkSetJson = z
  .string()
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue({ code: 'custom', message: 'is not JSON (a JWK set is wanted)', fatal: true });
      return z.NEVER;
    }
  })
  .pipe(JwkSet);

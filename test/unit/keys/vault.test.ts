import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createVault, MissingKey } from '../../../server/keys/vault.ts';

const one = { id: 'one', key: randomBytes(32) };
const two = { id: 'two', key: randomBytes(32) };
const BINDING = 'grants/5a0d7c1a-2b3c-4d5e-8f60-718293a4b5c6/refresh_token';

const anyText = fc.string({ unit: 'grapheme', maxLength: 300 });

describe('D34: secrets at rest', () => {
  // Made anew by each test, so that what breaks this fails tests.
  const vault = () => createVault([one]);

  it('round-trip unchanged', () => {
    fc.assert(
      fc.property(anyText, anyText, (secret, binding) => {
        expect(vault().decrypt(vault().encrypt(secret, binding), binding)).toBe(secret);
      }),
    );
  });

  it('cannot be decrypted with another binding', () => {
    fc.assert(
      fc.property(anyText, anyText, anyText, (secret, binding, elsewhere) => {
        fc.pre(binding !== elsewhere);
        const encrypted = vault().encrypt(secret, binding);
        expect(() => vault().decrypt(encrypted, elsewhere)).toThrow();
      }),
    );
  });

  it('cannot be decrypted when any single bit was changed', () => {
    const encrypted = vault().encrypt('a refresh token', BINDING);
    for (let bit = 0; bit < encrypted.length * 8; bit += 1) {
      const changed = Buffer.from(encrypted);
      changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7));
      expect(() => vault().decrypt(changed, BINDING), `bit ${bit}`).toThrow();
    }
  });

  it('cannot be decrypted when truncated or extended', () => {
    const encrypted = vault().encrypt('a refresh token', BINDING);
    for (let length = 0; length < encrypted.length; length += 1) {
      expect(() => vault().decrypt(encrypted.subarray(0, length), BINDING), `${length} bytes`).toThrow();
    }
    expect(() => vault().decrypt(Buffer.concat([encrypted, Buffer.from([0])]), BINDING)).toThrow();
  });

  it('differ from each other and from the plain text', () => {
    const encrypted = Array.from({ length: 100 }, () =>
      vault().encrypt('a refresh token', BINDING).toString('latin1'),
    );
    expect(new Set(encrypted).size).toBe(100);
    for (const text of encrypted) expect(text).not.toContain('refresh');
  });

  it('are encrypted with the first key, decrypted with any key of the set, and not without their key', () => {
    const encrypted = vault().encrypt('kept', BINDING);
    const rotated = createVault([two, one]);
    expect(rotated.decrypt(encrypted, BINDING)).toBe('kept');
    const renewed = rotated.encrypt('kept', BINDING);
    expect(createVault([two]).decrypt(renewed, BINDING)).toBe('kept');
    expect(() => vault().decrypt(renewed, BINDING)).toThrow(new MissingKey('two'));
    expect(new MissingKey('two').message).toMatch(/the key two, which is not in ENCRYPTION_KEYS/);
    // The id of the key alone is not enough.
    expect(() => createVault([{ id: 'one', key: two.key }]).decrypt(encrypted, BINDING)).toThrow();
  });

  it('do not open with less than the whole tag, however short the secret', () => {
    const encrypted = vault().encrypt('', BINDING);
    expect(vault().decrypt(encrypted, BINDING)).toBe('');
    for (let length = 0; length < encrypted.length; length += 1) {
      expect(() => vault().decrypt(encrypted.subarray(0, length), BINDING), `${length} bytes`).toThrow();
    }
  });

  it('are of another version when their first byte is another one, whatever the key says', () => {
    const encrypted = vault().encrypt('kept', BINDING);
    expect(encrypted[0]).toBe(1);
    for (const version of [0, 2, 255]) {
      expect(() =>
        vault().decrypt(Buffer.concat([Buffer.from([version]), encrypted.subarray(1)]), BINDING),
      ).toThrow('is not encrypted as this release does');
    }
  });

  it('tell whether they can be decrypted, and whether with the key that encrypts now', () => {
    const rotated = createVault([two, one]);
    expect(rotated.keyIds).toEqual(['two', 'one']);
    const [former, present] = [vault().encrypt('kept', BINDING), rotated.encrypt('kept', BINDING)];
    expect([former, present].map((encrypted) => rotated.isCurrent(encrypted))).toEqual([false, true]);
    expect([former, present].map((encrypted) => rotated.canDecrypt(encrypted, BINDING))).toEqual([
      true,
      true,
    ]);
    expect([former, present].map((encrypted) => vault().canDecrypt(encrypted, BINDING))).toEqual([
      true,
      false,
    ]);
    expect(vault().canDecrypt(former, 'elsewhere')).toBe(false);
    for (const nothing of [Buffer.alloc(0), Buffer.from([1])]) {
      expect(vault().canDecrypt(nothing, BINDING)).toBe(false);
      expect(vault().isCurrent(nothing)).toBe(false);
    }
  });

  it('need a key', () => {
    expect(() => createVault([])).toThrow('no encryption key');
  });
});

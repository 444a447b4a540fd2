import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createVault, MissingKey } from '../../../server/keys/vault.ts';

const one = { id: 'one', key: randomBytes(32) };
const two = { id: 'two', key: randomBytes(32) };
const PLACE = 'grants/5a0d7c1a-2b3c-4d5e-8f60-718293a4b5c6/refresh_token';

const anyText = fc.string({ unit: 'grapheme', maxLength: 300 });

describe('D34: secrets at rest', () => {
  // Made anew by each test, so that what breaks this fails tests.
  const vault = () => createVault([one]);

  it('round-trip unchanged', () => {
    fc.assert(
      fc.property(anyText, anyText, (secret, place) => {
        expect(vault().open(vault().seal(secret, place), place)).toBe(secret);
      }),
    );
  });

  it('cannot be decrypted in another place', () => {
    fc.assert(
      fc.property(anyText, anyText, anyText, (secret, place, elsewhere) => {
        fc.pre(place !== elsewhere);
        const sealed = vault().seal(secret, place);
        expect(() => vault().open(sealed, elsewhere)).toThrow();
      }),
    );
  });

  it('cannot be decrypted when any single bit was changed', () => {
    const sealed = vault().seal('a refresh token', PLACE);
    for (let bit = 0; bit < sealed.length * 8; bit += 1) {
      const changed = Buffer.from(sealed);
      changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7));
      expect(() => vault().open(changed, PLACE), `bit ${bit}`).toThrow();
    }
  });

  it('cannot be decrypted when truncated or extended', () => {
    const sealed = vault().seal('a refresh token', PLACE);
    for (let length = 0; length < sealed.length; length += 1) {
      expect(() => vault().open(sealed.subarray(0, length), PLACE), `${length} bytes`).toThrow();
    }
    expect(() => vault().open(Buffer.concat([sealed, Buffer.from([0])]), PLACE)).toThrow();
  });

  it('differ from each other and from the plain text', () => {
    const sealed = Array.from({ length: 100 }, () =>
      vault().seal('a refresh token', PLACE).toString('latin1'),
    );
    expect(new Set(sealed).size).toBe(100);
    for (const text of sealed) expect(text).not.toContain('refresh');
  });

  it('are encrypted with the first key, decrypted with any key of the set, and not without their key', () => {
    const sealed = vault().seal('kept', PLACE);
    const rotated = createVault([two, one]);
    expect(rotated.open(sealed, PLACE)).toBe('kept');
    const renewed = rotated.seal('kept', PLACE);
    expect(createVault([two]).open(renewed, PLACE)).toBe('kept');
    expect(() => vault().open(renewed, PLACE)).toThrow(new MissingKey('two'));
    expect(new MissingKey('two').message).toMatch(/the key two, which is not in ENCRYPTION_KEYS/);
    // The id of the key alone is not enough.
    expect(() => createVault([{ id: 'one', key: two.key }]).open(sealed, PLACE)).toThrow();
  });

  it('do not open with less than the whole tag, however short the secret', () => {
    const sealed = vault().seal('', PLACE);
    expect(vault().open(sealed, PLACE)).toBe('');
    for (let length = 0; length < sealed.length; length += 1) {
      expect(() => vault().open(sealed.subarray(0, length), PLACE), `${length} bytes`).toThrow();
    }
  });

  it('are of another version when their first byte is another one, whatever the key says', () => {
    const sealed = vault().seal('kept', PLACE);
    expect(sealed[0]).toBe(1);
    for (const version of [0, 2, 255]) {
      expect(() => vault().open(Buffer.concat([Buffer.from([version]), sealed.subarray(1)]), PLACE)).toThrow(
        'is not encrypted as this release does',
      );
    }
  });

  it('tell whether they can be opened, and whether with the key that seals now', () => {
    const rotated = createVault([two, one]);
    expect(rotated.keyIds).toEqual(['two', 'one']);
    const [former, present] = [vault().seal('kept', PLACE), rotated.seal('kept', PLACE)];
    expect([former, present].map((sealed) => rotated.isCurrent(sealed))).toEqual([false, true]);
    expect([former, present].map((sealed) => rotated.canOpen(sealed, PLACE))).toEqual([true, true]);
    expect([former, present].map((sealed) => vault().canOpen(sealed, PLACE))).toEqual([true, false]);
    expect(vault().canOpen(former, 'elsewhere')).toBe(false);
    for (const nothing of [Buffer.alloc(0), Buffer.from([1])]) {
      expect(vault().canOpen(nothing, PLACE)).toBe(false);
      expect(vault().isCurrent(nothing)).toBe(false);
    }
  });

  it('need a key', () => {
    expect(() => createVault([])).toThrow('no encryption key');
  });
});

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { EncryptionKey } from './formats.ts';

/** A secret was encrypted with a key that this process does not have. */
export class MissingKey extends Error {
  readonly keyId: string;

  constructor(keyId: string) {
    super(`a secret was encrypted with the key ${keyId}, which is not in ENCRYPTION_KEYS`);
    this.keyId = keyId;
  }
}

/**
 * Encrypts secrets at rest by AES-256-GCM. The ciphertext contains the key's id and is bound to the row and column in
 * which it is stored (D34).
 */
export interface Vault {
  /** Ids of all keys; the first one encrypts. */
  readonly keyIds: readonly string[];
  /** Encrypts; `binding` names row and column, and the ciphertext can be decrypted only with the same one. */
  encrypt(secret: string, binding: string): Buffer;
  /**
   * Decrypts.
   *
   * @throws MissingKey, or another error when the ciphertext was changed or encrypted with another binding
   */
  decrypt(encrypted: Buffer, binding: string): string;
  canDecrypt(encrypted: Buffer, binding: string): boolean;
  /** Whether it was encrypted with the present key. */
  isCurrent(encrypted: Buffer): boolean;
}

const VERSION = 1;
const IV = 12;
const TAG = 16;

/** Layout: version (1 byte), length of the key id (1), key id, IV (12), tag (16), ciphertext. */
export function createVault(keys: readonly EncryptionKey[]): Vault {
  const byId = new Map(keys.map((entry) => [entry.id, entry.key]));
  const [current] = keys;
  if (current === undefined) throw new Error('no encryption key');
  const vault: Vault = {
    keyIds: [...byId.keys()],
    encrypt(secret, binding) {
      const id = Buffer.from(current.id);
      const iv = randomBytes(IV);
      const cipher = createCipheriv('aes-256-gcm', current.key, iv).setAAD(Buffer.from(binding));
      const text = Buffer.concat([cipher.update(Buffer.from(secret)), cipher.final()]);
      return Buffer.concat([Buffer.from([VERSION, id.length]), id, iv, cipher.getAuthTag(), text]);
    },
    decrypt(encrypted, binding) {
      const idEnd = 2 + (encrypted[1] ?? 0);
      const id = encrypted.subarray(2, idEnd).toString();
      const key = byId.get(id);
      if (encrypted[0] !== VERSION)
        throw new Error(`a secret of ${binding} is not encrypted as this release does`);
      if (key === undefined) throw new MissingKey(id);
      const iv = encrypted.subarray(idEnd, idEnd + IV);
      const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: TAG })
        .setAAD(Buffer.from(binding))
        .setAuthTag(encrypted.subarray(idEnd + IV, idEnd + IV + TAG));
      const text = decipher.update(encrypted.subarray(idEnd + IV + TAG));
      return Buffer.concat([text, decipher.final()]).toString();
    },
    isCurrent: (encrypted) => encrypted.subarray(2, 2 + (encrypted[1] ?? 0)).toString() === current.id,
    canDecrypt(encrypted, binding) {
      try {
        vault.decrypt(encrypted, binding);
        return true;
      } catch {
        return false;
      }
    },
  };
  return vault;
}

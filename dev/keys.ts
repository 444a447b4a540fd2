import { randomBytes } from 'node:crypto';
import { chmod, link, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exportJWK, generateKeyPair } from 'jose';
import type { z } from 'zod';
import { openDataDir } from '../server/config/data-dir.ts';
import type { Settings } from '../server/config/settings.ts';
import {
  type EncryptionKey,
  EncryptionKeys,
  type JwkSet,
  JwkSetJson,
  RsaKeysJson,
} from '../server/keys/formats.ts';
import { CannotStart } from '../server/shared/cannot-start.ts';

export interface KeyMaterial {
  readonly tokenSigningKeys: JwkSet;
  readonly encryptionKeys: readonly EncryptionKey[];
}

/** The keys in the settings; outside production missing ones are created and stored in DATA_DIR (D61). */
export async function keyMaterial(settings: Settings): Promise<KeyMaterial> {
  const { dataDir, tokenSigningKeys, encryptionKeys } = settings;
  return {
    tokenSigningKeys: tokenSigningKeys ?? (await signingKeys(dataDir)),
    encryptionKeys:
      encryptionKeys ?? (await kept(EncryptionKeys, dataDir, 'encryption-keys', newEncryptionKey)),
  };
}

/** The RSA key has its own file, because a DATA_DIR of a former release has the Ed25519 file already (D80). */
async function signingKeys(dataDir: string): Promise<JwkSet> {
  const { keys } = await kept(JwkSetJson, dataDir, 'token-signing-keys.json', newSigningKeys);
  const rsaKeys = await kept(RsaKeysJson, dataDir, 'id-token-signing-keys.json', newRsaKeys);
  return { keys, rsaKeys };
}

async function kept<Schema extends z.ZodTypeAny>(
  schema: Schema,
  dir: string,
  name: string,
  make: () => Promise<string>,
): Promise<z.output<Schema>> {
  const parsed = schema.safeParse(await readOrCreate(dir, name, make));
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ message }) => message).join('; ');
  throw new CannotStart(`The keys in ${join(dir, name)} cannot be used: ${problems}.`);
}

async function newSigningKeys(): Promise<string> {
  const { privateKey } = await generateKeyPair('EdDSA', { extractable: true });
  const kid = randomBytes(6).toString('hex');
  return JSON.stringify({ keys: [{ ...(await exportJWK(privateKey)), kid }] });
}

async function newRsaKeys(): Promise<string> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true, modulusLength: 2048 });
  const kid = randomBytes(6).toString('hex');
  return JSON.stringify({ keys: [{ ...(await exportJWK(privateKey)), kid }] });
}

async function newEncryptionKey(): Promise<string> {
  return `${randomBytes(4).toString('hex')}:${randomBytes(32).toString('base64')}`;
}

/** Reads a file or creates it; concurrent processes end with the same content. */
async function readOrCreate(dir: string, name: string, make: () => Promise<string>): Promise<string> {
  const path = join(dir, name);
  const existing = await readFile(path, 'utf8').catch(whenMissing);
  if (existing !== undefined) return existing.trim();
  await openDataDir(dir);
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  await writeFile(draft, `${await make()}\n`, { mode: 0o600 });
  await chmod(draft, 0o600);
  // A hard link is created atomically and never replaces the file of another process.
  await link(draft, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await rm(draft, { force: true });
  return (await readFile(path, 'utf8')).trim();
}

function whenMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return;
  throw new CannotStart(`The keys in DATA_DIR cannot be read: ${error.message}.`);
}

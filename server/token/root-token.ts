import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Database } from '../database/tables.ts';
import { inTransaction } from '../database/transaction.ts';
import type { SignableToken } from '../keys/signing-keys.ts';
import type { Services } from '../services/services.ts';
import { findRootToken, insertToken, lockRootToken, setKey } from './token.queries.ts';
import { recordToken } from './token-events.ts';

/**
 * The permanent token of a user without a parent token, as `npm run token` prints it (D24): made once, then returned
 * again. If the key that signed it was removed, it is signed anew with the present key.
 */
export async function rootToken(
  { db, keys, clock }: Pick<Services, 'db' | 'keys' | 'clock'>,
  ownerId: number,
): Promise<string> {
  const signed = await inTransaction(db, async (tx) => {
    await lockRootToken(tx, ownerId);
    const existing = await findRootToken(tx, ownerId);
    if (existing !== undefined && keys.signingKids.includes(existing.kid)) return existing;
    const renewed = existing && (await setKey(tx, existing.uuid, keys.currentKid));
    return renewed ?? create(tx, ownerId, keys.currentKid, clock.now());
  });
  return keys.sign(signed);
}

async function create(tx: Kysely<Database>, ownerId: number, kid: string, now: Date): Promise<SignableToken> {
  const uuid = randomUUID();
  const token = {
    uuid,
    token_type: 'per' as const,
    owner_id: ownerId,
    parent: null,
    app_token: uuid,
    kid,
    callback: null,
    comments: 'made by npm run token',
    created_on: now,
    expires_on: null,
  };
  await insertToken(tx, token);
  await recordToken(tx, 'token.created', token, now);
  return token;
}

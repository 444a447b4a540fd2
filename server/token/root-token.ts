import { randomUUID } from 'node:crypto';
import { inTransaction } from '../database/transaction.ts';
import type { Services } from '../services/services.ts';
import { findRootToken, insertToken, setKey } from './token.queries.ts';
import { recordToken } from './token-events.ts';

/**
 * The permanent token of a user without a parent token, as `npm run token` prints it (D24): made once, then returned
 * again. If the key that signed it was removed, it is signed anew with the present key.
 */
export async function rootToken(
  { db, keys, clock }: Pick<Services, 'db' | 'keys' | 'clock'>,
  ownerId: number,
): Promise<string> {
  const existing = await findRootToken(db, ownerId);
  if (existing !== undefined) {
    if (keys.signingKids.includes(existing.kid)) return keys.sign(existing);
    const renewed = await setKey(db, existing.uuid, keys.currentKid);
    if (renewed !== undefined) return keys.sign(renewed);
  }
  const uuid = randomUUID();
  const token = {
    uuid,
    token_type: 'per' as const,
    owner_id: ownerId,
    parent: null,
    app_token: uuid,
    kid: keys.currentKid,
    callback: null,
    comments: 'made by npm run token',
    created_on: clock.now(),
    expires_on: null,
  };
  await inTransaction(db, async (tx) => {
    await insertToken(tx, token);
    await recordToken(tx, 'token.created', token, token.created_on);
  });
  return keys.sign(token);
}

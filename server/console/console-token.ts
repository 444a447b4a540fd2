import { randomUUID } from 'node:crypto';
import { type Caller, findCaller } from '../access/caller.queries.ts';
import { BUILT_IN_USER } from '../access/clearance-levels.ts';
import { inTransaction } from '../database/transaction.ts';
import { BY_ITSELF, onAccountOf } from '../event/origin.ts';
import type { Services } from '../services/services.ts';
import { revoked } from '../shared/domain-error.ts';
import { insertToken } from '../token/token.queries.ts';
import { recordToken } from '../token/token-events.ts';
import { findConsoleToken, lockConsoleToken } from './console-token.queries.ts';

/** Path of the console's callback. */
export const SIGNED_IN_PATH = '/console/signed-in';

type Needed = Pick<Services, 'db' | 'keys' | 'clock' | 'settings'>;

/**
 * The console as an application with a dynamic token of its own, created on first use and again if it was deleted. It
 * is never signed, so there is no JWT that could leak; it can only start sign-ins (D130).
 */
export async function consoleApplication(services: Needed): Promise<Caller> {
  const { db, settings } = services;
  const callback = `${settings.baseUrl}${SIGNED_IN_PATH}`;
  const uuid = (await findConsoleToken(db, callback))?.uuid ?? (await make(services, callback));
  const caller = await findCaller(db, uuid);
  if (caller === undefined) throw revoked();
  return caller;
}

/** Creates the token; of concurrent processes exactly one does so. */
function make({ db, keys, clock }: Needed, callback: string): Promise<string> {
  return inTransaction(db, async (tx) => {
    await lockConsoleToken(tx);
    const made = await findConsoleToken(tx, callback);
    if (made !== undefined) return made.uuid;
    const uuid = randomUUID();
    const now = clock.now();
    const token = { uuid, token_type: 'dyn' as const, owner_id: BUILT_IN_USER };
    await insertToken(tx, {
      ...token,
      parent: null,
      app_token: uuid,
      kid: keys.currentKid,
      callback,
      comments: 'the console of this service',
      created_on: now,
      expires_on: null,
    });
    await onAccountOf(BY_ITSELF, () => recordToken(tx, 'token.created', token, now));
    return uuid;
  });
}

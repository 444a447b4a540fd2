import { randomUUID } from 'node:crypto';
import type { Transaction } from 'kysely';
import type { AppToken, PostAppToken, Token, UserToken } from '../../contract/token.ts';
import { type Admission, readmit } from '../access/admission.ts';
import type { Caller } from '../access/caller.queries.ts';
import { BUILT_IN_USER } from '../access/clearance-levels.ts';
import type { Database } from '../database/tables.ts';
import { inTransaction } from '../database/transaction.ts';
import { requireCallable } from '../outbound/public-address.ts';
import type { Services } from '../services/services.ts';
import { notFound, revoked } from '../shared/domain-error.ts';
import { toUser } from '../user/user.ts';
import { findUser } from '../user/user-record.queries.ts';
import { deleteToken, insertToken } from './token.queries.ts';
import { recordToken } from './token-events.ts';

const HOUR = 3_600_000;
/** Lifetime of a user token in milliseconds, by the kind of the token that it was made with (D22). */
const LASTS = { dyn: 24 * HOUR, per: 48 * HOUR } as const;

/** The row of a new user token. */
export function newUserToken(token: {
  readonly owner: number;
  readonly parent: string;
  readonly appToken: string;
  readonly kid: string;
  readonly now: Date;
  readonly by: keyof typeof LASTS;
}) {
  return {
    uuid: randomUUID(),
    token_type: 'use' as const,
    owner_id: token.owner,
    parent: token.parent,
    app_token: token.appToken,
    kid: token.kid,
    callback: null,
    comments: null,
    created_on: token.now,
    expires_on: new Date(token.now.getTime() + LASTS[token.by]),
  };
}

/**
 * `GET /token`: the token with its owner. The level shown is the one that counts for this token: with a sponsor the
 * lower of both (D23).
 */
export async function describeCaller({ db }: Pick<Services, 'db'>, caller: Caller): Promise<Token> {
  const owner = await findUser(db, caller.owner_id);
  if (owner === undefined) throw revoked();
  return {
    callback: caller.callback,
    comments: caller.comments,
    created_on: caller.created_on.toISOString(),
    expires_on: caller.expires_on?.toISOString() ?? null,
    owner: { ...toUser(owner), clearance_level: caller.level },
    parent: caller.parent,
    token_type: caller.token_type,
    uuid: caller.uuid,
  };
}

/**
 * Creates an app token that belongs to the caller's owner and descends from the calling token (Token rule 2).
 */
export async function createAppToken(
  { db, keys, clock, settings }: Pick<Services, 'db' | 'keys' | 'clock' | 'settings'>,
  admission: Admission,
  kind: 'dyn' | 'per',
  { callback, comments }: PostAppToken,
): Promise<AppToken> {
  await requireCallable(callback, 'callback', settings.callbackAllowPrivate);
  const { caller } = admission;
  const uuid = randomUUID();
  const token = {
    uuid,
    token_type: kind,
    owner_id: caller.owner_id,
    parent: caller.uuid,
    app_token: uuid,
    kid: keys.currentKid,
    callback,
    comments: comments ?? null,
    created_on: clock.now(),
    expires_on: null,
  };
  await inTransaction(db, async (tx) => {
    await readmit(tx, admission);
    await insertToken(tx, token);
    await recordToken(tx, 'token.created', token, token.created_on);
  });
  return { tkn: await keys.sign(token) };
}

/** Creates a user token of the built-in user; the owner of the calling permanent token becomes its sponsor (D23). */
export async function createUserToken(
  { db, keys, clock }: Pick<Services, 'db' | 'keys' | 'clock'>,
  caller: Caller,
): Promise<UserToken> {
  const token = newUserToken({
    owner: BUILT_IN_USER,
    parent: caller.uuid,
    appToken: caller.uuid,
    kid: keys.currentKid,
    now: clock.now(),
    by: 'per',
  });
  await inTransaction(db, async (tx) => {
    await insertToken(tx, token);
    await recordToken(tx, 'token.created', token, token.created_on);
  });
  return { user_token: await keys.sign(token) };
}

/** Deletes the calling token. It may be gone already, for example after two concurrent logouts. */
export async function logOut({ db, clock }: Pick<Services, 'db' | 'clock'>, { uuid }: Caller): Promise<void> {
  await inTransaction(db, (tx) => deleteTokenTold(tx, uuid, clock.now()));
}

/** Deletes a token with its descendants and records the event; false when it did not exist. */
export async function deleteTokenTold(tx: Transaction<Database>, uuid: string, now: Date): Promise<boolean> {
  const deleted = await deleteToken(tx, uuid);
  if (deleted !== undefined) await recordToken(tx, 'token.deleted', deleted, now);
  return deleted !== undefined;
}

/** Deletes a token with its descendants (D21). */
export async function removeToken(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  admission: Admission,
  uuid: string,
): Promise<void> {
  await inTransaction(db, async (tx) => {
    await readmit(tx, admission);
    if (!(await deleteTokenTold(tx, uuid, clock.now()))) throw notFound('token', uuid);
  });
}

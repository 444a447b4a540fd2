import type { Kysely, Transaction } from 'kysely';
import type { Database } from '../database/tables.ts';
import { expired, type SigningKeys, type TokenClaims } from '../keys/signing-keys.ts';
import type { Clock } from '../shared/clock.ts';
import { DomainError, revoked } from '../shared/domain-error.ts';
import { type Caller, findCaller, lockCaller } from './caller.queries.ts';

/** The database that holds the tokens, and the clock that decides about expiry. */
interface Registry {
  readonly db: Kysely<Database>;
  readonly clock: Clock;
}

const BEARER = /^Bearer +([\w-]+\.[\w-]+\.[\w-]+) *$/i;

/**
 * Authenticates an Authorization header. A valid signature is not enough: the token's row must exist, so that a
 * deletion counts at once in every process (D20), and its owner must be allowed to log in (D27b).
 *
 * @throws DomainError which of these failed (D4)
 */
export async function authenticate(
  { db, keys, clock }: Registry & { readonly keys: SigningKeys },
  header: string | undefined,
): Promise<Caller> {
  return recognise({ db, clock }, await readToken(keys, header));
}

/**
 * Verifies the token in an Authorization header and returns its claims, without looking it up.
 *
 * @throws DomainError what is wrong with the token
 */
export async function readToken(keys: SigningKeys, header: string | undefined): Promise<TokenClaims> {
  if (header === undefined) throw new DomainError('token_missing', 'The Authorization header is missing.');
  const jwt = BEARER.exec(header)?.[1];
  if (jwt === undefined) {
    throw new DomainError('token_malformed', 'The Authorization header is not of the form "Bearer <jwt>".');
  }
  return keys.verify(jwt);
}

/**
 * Looks up the token that the claims name. Throws unless its row exists, agrees with the claims and its owner may log
 * in.
 */
export async function recognise({ db, clock }: Registry, claims: TokenClaims): Promise<Caller> {
  return acceptable(await findCaller(db, claims.uuid), claims, clock);
}

/** Like {@link recognise}, and locks the token's row, so that it cannot be deleted before the transaction ends. */
export async function recogniseLocked(
  { db, clock }: { readonly db: Transaction<Database>; readonly clock: Clock },
  claims: TokenClaims,
): Promise<Caller> {
  return acceptable(await lockCaller(db, claims.uuid), claims, clock);
}

function acceptable(caller: Caller | undefined, claims: TokenClaims, clock: Clock): Caller {
  if (
    caller === undefined ||
    caller.token_type !== claims.kind ||
    caller.owner_id !== claims.ownerId ||
    caller.app_token !== claims.appToken
  ) {
    throw revoked();
  }
  return usable(caller, clock);
}

/** Throws unless the token exists, has not expired, and its owner, or sponsor, may log in (D20, D22, D27b). */
export function usable(caller: Caller | undefined, clock: Clock): Caller {
  if (caller === undefined) throw revoked();
  if (caller.expires_on !== null && caller.expires_on <= clock.now()) throw expired();
  if (!caller.may_log_in) {
    throw new DomainError('login_not_allowed', 'The owner of this token is not allowed to log in.');
  }
  return caller;
}

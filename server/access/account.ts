import type { Caller } from './caller.queries.ts';
import { isBuiltIn } from './clearance-levels.ts';

/** The user who is responsible for a token: its sponsor if it has one, else its owner (D23). */
export function answersFor({ sponsor_id, owner_id }: Pick<Caller, 'sponsor_id' | 'owner_id'>): number {
  return sponsor_id ?? owner_id;
}

/** The properties of a caller that determine on whose account it acts. */
export type Payer = Pick<Caller, 'sponsor_id' | 'owner_id' | 'app_token'>;

/**
 * Under which name what a caller uses up is counted: that of the user who is responsible for the token. The built-in user
 * owns the tokens of many applications, so each of its permanent tokens counts by itself, with the user tokens made from
 * it.
 */
export function accountKey(caller: Payer): string {
  const id = answersFor(caller);
  return isBuiltIn(id) ? `0/${caller.app_token}` : String(id);
}

import { whyOf } from './by-id.ts';

/**
 * The service's verdict on a user's refresh tokens. The scopes of the user's record do not tell it: they are those of all
 * its valid tokens together, while one alone has to cover everything that is required (D35).
 */
export function trackingOf(characterId: number) {
  return whyOf(characterId, 'tracking');
}

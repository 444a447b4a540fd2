import type { ExtScope } from '../../contract/scopes.ts';
import type { HistoryTurnTable } from '../database/tables.ts';

export type HistoryName = HistoryTurnTable['history'];

/** How a history is kept by itself: every so many seconds, for whoever granted all these scopes. */
export interface Rhythm {
  readonly history: HistoryName;
  readonly seconds: number;
  readonly scopes: readonly ExtScope[];
}

const HOUR = 3600;

export const LOCATION: Rhythm = {
  history: 'location',
  seconds: HOUR,
  scopes: ['ext-location.read_location.v1', 'ext-location.read_online.v1', 'ext-location.read_ship_type.v1'],
};
export const MAIL: Rhythm = { history: 'mail', seconds: HOUR, scopes: ['ext-mail.read_mail.v1'] };
export const SKILL_POINTS: Rhythm = {
  history: 'skillpoints',
  seconds: 12 * HOUR,
  scopes: ['ext-skills.read_skills.v1'],
};
export const WALLET: Rhythm = {
  history: 'wallet',
  seconds: 12 * HOUR,
  scopes: ['ext-wallet.read_character_wallet.v1'],
};

export const RHYTHMS: readonly Rhythm[] = [LOCATION, MAIL, SKILL_POINTS, WALLET];

/** For pages that let people choose: the scopes as values. */
export { EXT_SCOPES } from './generated/scopes.ts';

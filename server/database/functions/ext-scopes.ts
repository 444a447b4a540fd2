import { EXT_SCOPES } from '../../../contract/scopes.ts';

/**
 * The scopes that the contract knows, for the constraints `known_ext_scopes`. One that goes from the contract has to
 * go from the rows as well, by a migration: constraints do not look again at what is stored.
 */
export const extScopes = `
create or replace function ext_scopes() returns text[] language sql immutable parallel safe
return '{${EXT_SCOPES.join()}}'::text[]`;

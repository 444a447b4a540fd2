import { EXT_SCOPES } from '../../../contract/scopes.ts';

/**
 * The scopes in the contract, for the constraints `known_ext_scopes`. When one is removed from the contract, a
 * migration has to remove it from the rows: constraints are not checked again for stored rows.
 */
export const extScopes = `
create or replace function ext_scopes() returns text[] language sql immutable parallel safe
return '{${EXT_SCOPES.join()}}'::text[]`;

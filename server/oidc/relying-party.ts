import type { AdapterPayload } from 'oidc-provider';
import type { Services } from '../services/services.ts';
import { findClient } from './client.queries.ts';
import { algorithmOf } from './clients.ts';

const CLIENT_ID = /^[0-9a-f]{24}$/;

/** An application in the library's form; read for each request, so that changes count at once (D81). */
export async function relyingParty(
  { db, keys }: Pick<Services, 'db' | 'keys'>,
  clientId: string,
): Promise<AdapterPayload | undefined> {
  const client = CLIENT_ID.test(clientId) ? await findClient(db, clientId) : undefined;
  if (client === undefined) return undefined;
  return {
    client_id: client.client_id,
    client_name: client.client_name,
    // Left out if null, which the library does not accept.
    ...(client.secret_hash !== null && { client_secret: client.secret_hash }),
    ...(client.backchannel_logout_uri !== null && {
      backchannel_logout_uri: client.backchannel_logout_uri,
      backchannel_logout_session_required: true,
    }),
    token_endpoint_auth_method: client.secret_hash === null ? 'none' : 'client_secret_basic',
    redirect_uris: client.redirect_uris,
    post_logout_redirect_uris: client.post_logout_redirect_uris,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    id_token_signed_response_alg: algorithmOf(client, { keys }),
    first_party: client.first_party,
  };
}

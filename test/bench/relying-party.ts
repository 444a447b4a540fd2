import { nameKey } from '../../server/database/name-key.ts';
import { createAdapter } from '../../server/oidc/adapter.ts';
import { hashSecret } from '../../server/oidc/secret.ts';
import type { Services } from '../../server/services/services.ts';
import { character } from './world.ts';

/** Somebody with the groups of most people: autogroups, and few besides. */
export const SOMEBODY = character(4_321);

export const CLIENT = 'c1'.repeat(12);
export const CLIENT_SECRET = 'a-secret-of-the-benchmark-that-is-43-characters';
export const ACCESS_TOKEN = 'an-access-token-of-the-benchmark-that-is-43-ch';
export const GRANT = 'a-grant-of-the-benchmark';
export const SESSION = 'a-session-of-the-benchmark';
const SCOPE = 'openid profile groups';
const DAY = 86_400;

/** An application with an access token of the caller's session, as a sign-in leaves them behind. */
export async function addRelyingParty(services: Services): Promise<void> {
  const { db } = services;
  await db
    .insertInto('oidc_clients')
    .values({
      ...{
        client_id: CLIENT,
        client_name: 'Wiki',
        name_key: nameKey('Wiki'),
        secret_hash: hashSecret(CLIENT_SECRET),
      },
      ...{ redirect_uris: ['https://wiki.example/back'], post_logout_redirect_uris: [] },
      ...{ backchannel_logout_uri: null, id_token_alg: null, first_party: true, restricted: false },
      last_used_on: null,
    })
    .execute();
  const now = Math.floor(Date.now() / 1000);
  const common = { iat: now, exp: now + DAY, accountId: String(SOMEBODY) };
  const save = (model: string, id: string, payload: object) =>
    createAdapter(services, model).upsert(id, { ...common, kind: model, ...payload }, DAY);
  await save('Session', SESSION, {
    ...{ uid: SESSION, loginTs: now },
    authorizations: { [CLIENT]: { grantId: GRANT, sid: 'sid' } },
  });
  await save('Grant', GRANT, { clientId: CLIENT, openid: { scope: SCOPE } });
  await save('AccessToken', ACCESS_TOKEN, {
    ...{ clientId: CLIENT, grantId: GRANT, scope: SCOPE, gty: 'authorization_code', format: 'opaque' },
    ...{ sessionUid: SESSION, expiresWithSession: true },
  });
}

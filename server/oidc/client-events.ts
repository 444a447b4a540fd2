import type { Kysely } from 'kysely';
import type { OidcClient } from '../../contract/oidc.ts';
import type { Database } from '../database/tables.ts';
import { recordEvents, userTarget, valueChanges } from '../event/record.ts';

/** What can be changed about a client; its secret is in no event. */
const FIELDS = [
  'client_name',
  'redirect_uris',
  'post_logout_redirect_uris',
  'backchannel_logout_uri',
  'allowed_groups',
  'first_party',
  'id_token_signed_response_alg',
] as const;

type Named = Pick<OidcClient, 'client_id' | 'client_name'>;

function targetsOf({ client_id, client_name }: Named) {
  return [{ type: 'client' as const, id: client_id, name: client_name }];
}

export async function recordClientCreated(
  db: Kysely<Database>,
  client: OidcClient,
  now: Date,
): Promise<void> {
  const changes = valueChanges<OidcClient>({}, client, ['public', ...FIELDS]);
  await recordEvents(db, [{ type: 'client.created', targets: targetsOf(client), changes }], now);
}

/** Records the fields that have another value now; nothing where none has. */
export async function recordClientUpdated(
  db: Kysely<Database>,
  before: OidcClient,
  after: OidcClient,
  now: Date,
): Promise<void> {
  const changes = valueChanges<OidcClient>(before, after, FIELDS);
  if (changes.length === 0) return;
  await recordEvents(db, [{ type: 'client.updated', targets: targetsOf(before), changes }], now);
}

export async function recordSecretRenewed(db: Kysely<Database>, client: Named, now: Date): Promise<void> {
  await recordEvents(db, [{ type: 'client.updated', targets: targetsOf(client), reason: 'new secret' }], now);
}

export async function recordClientDeleted(db: Kysely<Database>, client: Named, now: Date): Promise<void> {
  await recordEvents(db, [{ type: 'client.deleted', targets: targetsOf(client) }], now);
}

/** Records what a user agreed to in his browser, where no token says who acts. */
export async function recordConsentGiven(
  db: Kysely<Database>,
  client: Named,
  { character_id, character_name }: { readonly character_id: number; readonly character_name: string },
  scopes: { readonly before: readonly string[]; readonly after: readonly string[] },
  now: Date,
): Promise<void> {
  const changes = valueChanges({ scopes: scopes.before }, { scopes: scopes.after }, ['scopes']);
  if (changes.length === 0) return;
  const actor = { kind: 'user', character_id, token: null, app_token: null, on_behalf_of: null } as const;
  const targets = [...targetsOf(client), userTarget(character_id, character_name)];
  await recordEvents(db, [{ type: 'client.consent_given', actor, targets, changes }], now);
}

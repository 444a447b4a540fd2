import type { Kysely } from 'kysely';
import type { OidcClient } from '../../contract/oidc.ts';
import type { Database } from '../database/tables.ts';
import { recordEvents, userTarget, valueChanges } from '../event/record.ts';

/** The fields whose changes events tell; the secret is never among them. */
const FIELDS = [
  'client_name',
  'redirect_uris',
  'post_logout_redirect_uris',
  'backchannel_logout_uri',
  'id_token_signed_response_alg',
  'public',
  'first_party',
  'allowed_groups',
] as const;

type Named = Pick<OidcClient, 'client_id' | 'client_name'>;

function targetsOf({ client_id: id, client_name: name }: Named) {
  return [{ type: 'oidc_client' as const, id, name }];
}

export async function recordClientCreated(
  db: Kysely<Database>,
  client: OidcClient,
  now: Date,
): Promise<void> {
  const changes = valueChanges({}, client, FIELDS);
  await recordEvents(db, [{ type: 'oidc.client_created', targets: targetsOf(client), changes }], now);
}

/** Records what is different from before, if anything. */
export async function recordClientUpdated(
  db: Kysely<Database>,
  before: OidcClient,
  after: OidcClient,
  now: Date,
): Promise<void> {
  const changes = valueChanges(before, after, FIELDS);
  if (changes.length === 0) return;
  await recordEvents(db, [{ type: 'oidc.client_updated', targets: targetsOf(after), changes }], now);
}

export async function recordSecretRenewed(db: Kysely<Database>, client: Named, now: Date): Promise<void> {
  const reason = 'It has a new secret.';
  await recordEvents(db, [{ type: 'oidc.client_updated', targets: targetsOf(client), reason }], now);
}

export async function recordClientDeleted(
  db: Kysely<Database>,
  client: OidcClient,
  now: Date,
): Promise<void> {
  const changes = valueChanges<Partial<OidcClient>>(client, {}, FIELDS);
  await recordEvents(db, [{ type: 'oidc.client_deleted', targets: targetsOf(client), changes }], now);
}

/** Records what a user agreed to in the browser, where no token says who acts. */
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
  await recordEvents(db, [{ type: 'oidc.consent_given', actor, targets, changes }], now);
}

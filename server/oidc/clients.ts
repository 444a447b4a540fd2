import type {
  NewOidcClient,
  OidcClient,
  OidcClientSecret,
  PostOidcClient,
  PutOidcClient,
} from '../../contract/oidc.ts';
import { type Admission, readmit } from '../access/admission.ts';
import { nameKey } from '../database/name-key.ts';
import { objectId } from '../database/object-id.ts';
import { inTransaction } from '../database/transaction.ts';
import { requireCallable } from '../outbound/public-address.ts';
import type { Services } from '../services/services.ts';
import { endUnwelcomeOf } from '../session/end-sessions.ts';
import { DomainError, invalid, notFound, notFoundAmong } from '../shared/domain-error.ts';
import {
  type ClientRow,
  deleteClient,
  findClient,
  insertClient,
  listClients,
  lockClient,
  lockGroups,
  setAllowedGroups,
  setClient,
} from './client.queries.ts';
import {
  recordClientCreated,
  recordClientDeleted,
  recordClientUpdated,
  recordSecretRenewed,
} from './client-events.ts';
import { hashSecret, newSecret } from './secret.ts';

type Keys = Pick<Services, 'keys'>;

export async function getClients({ db, keys }: Pick<Services, 'db' | 'keys'>): Promise<OidcClient[]> {
  return (await listClients(db)).map((row) => toClient(row, { keys }));
}

export async function getClient(
  { db, keys }: Pick<Services, 'db' | 'keys'>,
  clientId: string,
): Promise<OidcClient> {
  const row = await findClient(db, clientId);
  if (row === undefined) throw notFound('OpenID Connect client', clientId);
  return toClient(row, { keys });
}

/** Creates an application; its secret is returned only here and stored as a hash (D81). */
export async function createClient(
  services: Pick<Services, 'db' | 'keys' | 'clock' | 'settings'>,
  admission: Admission,
  body: PostOidcClient,
): Promise<NewOidcClient> {
  await requireUsable(services, body);
  const { db, clock } = services;
  const now = clock.now();
  const client_id = objectId(now);
  const secret = body.public === true ? undefined : newSecret();
  const allowed = body.allowed_groups ?? [];
  const client = await inTransaction(db, async (tx) => {
    await readmit(tx, admission);
    await insertClient(tx, {
      client_id,
      client_name: body.client_name,
      name_key: nameKey(body.client_name),
      secret_hash: secret === undefined ? null : hashSecret(secret),
      redirect_uris: distinct(body.redirect_uris),
      post_logout_redirect_uris: distinct(body.post_logout_redirect_uris ?? []),
      backchannel_logout_uri: body.backchannel_logout_uri || null,
      id_token_alg: body.id_token_signed_response_alg ?? null,
      first_party: body.first_party ?? false,
      restricted: allowed.length > 0,
      created_on: now,
      updated_on: now,
      last_used_on: null,
    });
    await allow(tx, client_id, allowed);
    const made = await getClient({ ...services, db: tx }, client_id);
    await recordClientCreated(tx, made, now);
    return made;
  });
  return secret === undefined ? client : { ...client, client_secret: secret };
}

/**
 * Changes the fields in the body; null is no value (D3). An empty logout URL removes it, an empty list of groups admits
 * everybody again. A list that is empty because its groups were deleted stays as it is when it is sent back: whoever
 * returns what he was shown opens nothing (D84).
 */
export async function updateClient(
  services: Pick<Services, 'db' | 'keys' | 'clock' | 'settings' | 'queue'>,
  admission: Admission,
  clientId: string,
  body: PutOidcClient,
): Promise<OidcClient> {
  await requireUsable(services, body);
  const { client_name: name, backchannel_logout_uri: uri, allowed_groups: groups } = body;
  const now = services.clock.now();
  return inTransaction(services.db, async (tx) => {
    await readmit(tx, admission);
    const before = await lockClient(tx, clientId);
    if (before === undefined) throw notFound('OpenID Connect client', clientId);
    const isPublic = before.secret_hash === null;
    if (body.public != null && body.public !== isPublic) {
      throw invalid(['body', 'public'], `Must be ${isPublic}: it never changes`);
    }
    const regroups = groups != null && groups.length + (before.allowed_groups ?? []).length > 0;
    await setClient(tx, clientId, {
      ...(name != null && { client_name: name, name_key: nameKey(name) }),
      redirect_uris: distinct(body.redirect_uris ?? before.redirect_uris),
      post_logout_redirect_uris: distinct(body.post_logout_redirect_uris ?? before.post_logout_redirect_uris),
      ...(uri != null && { backchannel_logout_uri: uri || null }),
      id_token_alg: body.id_token_signed_response_alg ?? before.id_token_alg,
      first_party: body.first_party ?? before.first_party,
      ...(regroups && { restricted: groups.length > 0 }),
      updated_on: now,
    });
    if (regroups) {
      await allow(tx, clientId, groups);
      await endUnwelcomeOf(services, tx, clientId);
    }
    const after = await getClient({ ...services, db: tx }, clientId);
    await recordClientUpdated(tx, toClient(before, services), after, now);
    return after;
  });
}

export async function removeClient(
  services: Pick<Services, 'db' | 'clock'> & Keys,
  admission: Admission,
  clientId: string,
): Promise<void> {
  const { db, clock } = services;
  await inTransaction(db, async (tx) => {
    await readmit(tx, admission);
    const client = await lockClient(tx, clientId);
    if (client === undefined) throw notFound('OpenID Connect client', clientId);
    await deleteClient(tx, clientId);
    await recordClientDeleted(tx, toClient(client, services), clock.now());
  });
}

/** Replaces the secret; the former one is invalid at once. */
export async function renewSecret(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  admission: Admission,
  clientId: string,
): Promise<OidcClientSecret> {
  const client_secret = newSecret();
  const now = clock.now();
  await inTransaction(db, async (tx) => {
    await readmit(tx, admission);
    const client = await lockClient(tx, clientId);
    if (client === undefined) throw notFound('OpenID Connect client', clientId);
    if (client.secret_hash === null) {
      throw new DomainError('client_is_public', 'This is a public client: it has no secret to renew.');
    }
    await setClient(tx, clientId, { secret_hash: hashSecret(client_secret), updated_on: now });
    await recordSecretRenewed(tx, client, now);
  });
  return { client_id: clientId, client_secret };
}

function toClient(row: ClientRow, { keys }: Keys): OidcClient {
  const { secret_hash, id_token_alg, created_on, last_used_on, ...same } = row;
  return {
    ...same,
    public: secret_hash === null,
    id_token_signed_response_alg: algorithmOf(row, { keys }),
    created_on: created_on.toISOString(),
    last_used_on: last_used_on?.toISOString() ?? null,
  };
}

/** The signature algorithm of ID tokens: RS256, the standard's default, when there is an RSA key (D80). */
export function algorithmOf(
  { id_token_alg }: Pick<ClientRow, 'id_token_alg'>,
  { keys }: Keys,
): 'RS256' | 'EdDSA' {
  return id_token_alg !== 'EdDSA' && keys.idTokens.algorithms.includes('RS256') ? 'RS256' : 'EdDSA';
}

async function allow(tx: Parameters<typeof lockGroups>[0], clientId: string, groups: readonly string[]) {
  const asked = distinct(groups);
  const there = await lockGroups(tx, asked);
  const missing = asked.filter((id) => !there.has(id));
  if (missing.length > 0) throw notFoundAmong('group', missing);
  await setAllowedGroups(tx, clientId, asked);
}

/**
 * Checks what the schema cannot: that there is a key for the algorithm, and that the callback addresses are allowed
 * (D29).
 */
async function requireUsable(
  { keys, settings }: Pick<Services, 'keys' | 'settings'>,
  body: Pick<PutOidcClient, 'backchannel_logout_uri' | 'id_token_signed_response_alg'>,
): Promise<void> {
  const { backchannel_logout_uri: uri, id_token_signed_response_alg: algorithm } = body;
  if (algorithm === 'RS256' && !keys.idTokens.algorithms.includes('RS256')) {
    throw invalid(
      ['body', 'id_token_signed_response_alg'],
      'This service has no RSA key: TOKEN_SIGNING_KEYS lacks one',
    );
  }
  if (uri) await requireCallable(uri, 'backchannel_logout_uri', settings.callbackAllowPrivate);
}

function distinct<T>(list: readonly T[]): T[] {
  return [...new Set(list)];
}

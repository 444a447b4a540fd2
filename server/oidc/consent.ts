import type { Grant, KoaContextWithOIDC } from 'oidc-provider';
import { inTransaction } from '../database/transaction.ts';
import type { Services } from '../services/services.ts';
import { type Consent, findConsent, saveConsent } from '../session/consents.queries.ts';
import { findName } from './account.queries.ts';
import { recordConsentGiven } from './client-events.ts';
import { errors } from './library.ts';

/**
 * The grant for an authorization request: the one of this session; else one created without asking, from a former
 * consent or for an application that administrators have marked as trusted (D82).
 */
export async function loadGrant(
  { db }: Pick<Services, 'db'>,
  { oidc }: KoaContextWithOIDC,
): Promise<Grant | undefined> {
  const { client, account, session, result, provider } = oidc;
  if (client === undefined || account === undefined) return undefined;
  // The library checks this only at the beginning; a URI that was removed meanwhile gets no code (D81).
  if (!client.redirectUriAllowed(String(oidc.params?.redirect_uri))) throw new errors.InvalidRedirectUri();
  const { clientId } = client;
  const { accountId } = account;
  const grantId = result?.consent?.grantId ?? session?.grantIdFor(clientId);
  const present = grantId === undefined ? undefined : await provider.Grant.find(grantId);
  const wanted = [...oidc.requestParamOIDCScopes];
  const agreed = client.first_party === true ? wanted : await findConsent(db, Number(accountId), clientId);
  const granted = new Set(present?.getOIDCScopeEncountered().split(' '));
  const more = wanted.filter((scope) => agreed.includes(scope) && !granted.has(scope));
  if (more.length === 0) return present;
  const grant = present ?? new provider.Grant({ accountId, clientId });
  grant.addOIDCScope(more.join(' '));
  await grant.save();
  return grant;
}

/** Stores a consent together with its event; false when the session that it was given in is over (D29b). */
export async function giveConsent(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  consent: Consent,
  clientName: string,
): Promise<boolean> {
  const { characterId, clientId } = consent;
  const client = { client_id: clientId, client_name: clientName };
  return inTransaction(db, async (tx) => {
    const now = clock.now();
    const before = await findConsent(tx, characterId, clientId);
    if (!(await saveConsent(tx, consent, now))) return false;
    const after = await findConsent(tx, characterId, clientId);
    const user = { character_id: characterId, character_name: (await findName(tx, characterId)) ?? '' };
    await recordConsentGiven(tx, client, user, { before, after }, now);
    return true;
  });
}

/**
 * Settles the scopes of an authorization request; the library calls this for each. It removes `offline_access` from
 * requests without `prompt=consent`; here it is kept, because it needs a consent given once anyway. A request without any
 * scope that is known here is refused as RFC 6749 says (3.3), and not only when somebody has signed in for it.
 */
export function settleScopes({ oidc, query }: KoaContextWithOIDC): void {
  const { params, client } = oidc;
  if (params === undefined || client === undefined) return;
  if (client.grantTypeAllowed('refresh_token') && scopesIn(query.scope).has('offline_access')) {
    params.scope = [...scopesIn(params.scope).add('offline_access')].join(' ');
  }
  if (oidc.requestParamOIDCScopes.size === 0) {
    throw new errors.InvalidScope('none of the scopes is known', String(params.scope ?? ''));
  }
}

function scopesIn(parameter: unknown): Set<string> {
  return new Set(typeof parameter === 'string' ? parameter.split(' ').filter(Boolean) : []);
}

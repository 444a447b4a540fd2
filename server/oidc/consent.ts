import type { Grant, KoaContextWithOIDC } from 'oidc-provider';
import type { Services } from '../services/services.ts';
import { findConsent } from '../session/consents.queries.ts';

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

/**
 * The library removes `offline_access` from requests without `prompt=consent`. Here it is kept, because it needs a
 * consent given once anyway. The library calls this for every authorization request.
 */
export function wantsOffline({ oidc, query }: KoaContextWithOIDC): void {
  const { params, client } = oidc;
  const asked = typeof query.scope === 'string' && query.scope.split(' ').includes('offline_access');
  if (!asked || params === undefined || client === undefined) return;
  const scopes = new Set(
    String(params.scope ?? '')
      .split(' ')
      .filter(Boolean),
  );
  if (client.grantTypeAllowed('refresh_token')) scopes.add('offline_access');
  params.scope = [...scopes].join(' ');
}

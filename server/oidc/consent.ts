import type { Grant, KoaContextWithOIDC } from 'oidc-provider';
import type { Services } from '../services/services.ts';
import { findConsent } from '../session/consents.queries.ts';

/**
 * What an application was granted in this session; else, without asking again, what somebody agreed to before, or what
 * the administrators' own applications ask for (D82).
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
 * The library drops `offline_access` from what is asked for without `prompt=consent`. Nobody gets it here without
 * having agreed to it once, so it stays; called with every authorization request, whatever it asks for.
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

import type { Grant, KoaContextWithOIDC } from 'oidc-provider';
import { lockUsers } from '../access/caller.queries.ts';
import { inTransaction } from '../database/transaction.ts';
import type { Services } from '../services/services.ts';
import { authorizeInSession, deleteIdleGrants } from '../session/artifacts.queries.ts';
import { type Consent, findConsent, saveConsent } from '../session/consents.queries.ts';
import { findName } from './account.queries.ts';
import { recordConsentGiven } from './client-events.ts';
import { errors } from './library.ts';
import { LIFETIMES } from './lifetimes.ts';

type Session = NonNullable<KoaContextWithOIDC['oidc']['session']>;

/**
 * The grant for an authorization request: the one of this session; else one created without asking, from a former
 * consent or for an application that administrators have marked as trusted (D82). Undefined where the user has to be
 * asked.
 */
export async function loadGrant(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  ctx: KoaContextWithOIDC,
): Promise<Grant | undefined> {
  const { oidc } = ctx;
  const { client, account, session, provider } = oidc;
  if (client === undefined || account === undefined || session === undefined) return undefined;
  // The library checks this only at the beginning; a URI that was removed meanwhile gets no code (D81).
  if (!client.redirectUriAllowed(String(oidc.params?.redirect_uri))) throw new errors.InvalidRedirectUri();
  const { clientId } = client;
  const { accountId } = account;
  const grantId = session.grantIdFor(clientId);
  const present = grantId === undefined ? undefined : await provider.Grant.find(grantId);
  const wanted = [...oidc.requestParamOIDCScopes];
  const agreed = client.first_party === true ? wanted : await findConsent(db, Number(accountId), clientId);
  const granted = new Set(present?.getOIDCScopeEncountered().split(' '));
  // What was granted while nobody was asked does not count once the application is to ask (D81): the page comes first.
  if (wanted.some((scope) => granted.has(scope) && !agreed.includes(scope))) return undefined;
  const more = wanted.filter((scope) => agreed.includes(scope) && !granted.has(scope));
  if (more.length === 0) return present;
  const grant = present ?? new provider.Grant({ accountId, clientId });
  grant.addOIDCScope(more.join(' '));
  await grant.save();
  if (present !== undefined) return grant;
  const times = { now: clock.now(), lifetime: LIFETIMES.grant * 1000 };
  await deleteIdleGrants(db, { characterId: Number(accountId), clientId }, times);
  if (await addToSession(db, session, accountId, grant)) return grant;
  await grant.destroy();
  return loadGrant({ db, clock }, ctx);
}

/**
 * Makes a grant the session's for this application; false if a concurrent request was first, whose grant and `sid` are
 * the session's now: tokens of any other grant would not work.
 */
async function addToSession(
  db: Services['db'],
  session: Session,
  accountId: string,
  grant: Grant,
): Promise<boolean> {
  const clientId = grant.clientId ?? '';
  const former = session.grantIdFor(clientId);
  session.ensureClientContainer(clientId);
  const own = { sid: session.sidFor(clientId) ?? '', grantId: grant.jti };
  // The library also stores empty parts.
  const found =
    (await authorizeInSession(db, { uid: session.uid, accountId }, { clientId, former }, own)) ?? {};
  const { sid = own.sid, grantId = own.grantId } = found;
  session.sidFor(clientId, sid);
  session.grantIdFor(clientId, grantId);
  return grantId === grant.jti;
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
    // Consents of one user wait for each other, so that what one tells of before is what the last told of after.
    await lockUsers(tx, [characterId]);
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

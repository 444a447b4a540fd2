import type { ExtScope } from '../../contract/scopes.ts';
import { connect } from '../../server/database/connection.ts';
import { saveGrant } from '../../server/grant/grant.queries.ts';
import { createAccessTokens } from '../../server/grant/refresh-tokens.ts';
import { createMetrics } from '../../server/observability/metrics.ts';
import { answerOf, type ProviderAnswer } from '../../server/provider/answer.ts';
import type { ProviderRequest } from '../../server/provider/client.ts';
import { ProviderError } from '../../server/provider/http.ts';
import { createProvider } from '../../server/provider/provider.ts';
import { createSso } from '../../server/provider/sso.ts';
import type { Clock } from '../../server/shared/clock.ts';
import { addUser } from '../fixtures/users.ts';
import type { TestApp, TestAppOptions } from './app.ts';
import { empty } from './database.ts';

/** Empties the cache and the budgets of the provider, as in a new service. */
export async function forgetProvider({ db }: TestApp): Promise<void> {
  await empty(db, 'provider_cache', 'provider_error_budget', 'provider_buckets', 'provider_callers');
}

/** Waits if the minute ends soon, because the provider's limits are reset with each minute. */
export function stayInTheMinute({ clock }: TestApp): void {
  const left = 60_000 - (clock.now().getTime() % 60_000);
  if (left < 20_000) clock.advance(left + 1_000);
}

/** A client with its own connections and memory, as in another process of the same service. */
export function otherProcess(
  app: TestApp,
  {
    limits,
    clock = app.app.services.clock,
    ...addresses
  }: {
    readonly limits?: TestAppOptions['providerLimits'];
    readonly clock?: Clock;
    readonly url?: string;
    readonly specUrl?: string;
    readonly compatibilityDate?: string;
  } = {},
) {
  const { settings, log, outages, vault, queue } = app.app.services;
  const { db, close } = connect({ url: app.databaseUrl, log, poolSize: 8 });
  const sso = createSso({ settings, clock, ...(limits && { limits }) });
  const access = createAccessTokens({ db, vault, clock, sso, queue, log });
  const provider = createProvider({
    metrics: createMetrics(),
    settings: { ...settings.extApi, ...addresses },
    db,
    clock,
    log,
    outages,
    access,
    limits,
  });
  return {
    ...provider,
    access,
    db,
    stop: async () => {
      await provider.document.stop();
      await close();
    },
  };
}

/** A made-up answer of the provider. */
export function madeAnswer(
  status: number,
  data: unknown,
  headers: Readonly<Record<string, string>> = {},
): ProviderAnswer {
  return answerOf({ status, headers, body: data === null ? '' : JSON.stringify(data) });
}

/** Status of the answer, or the kind of the error. */
export async function outcomeOf(asked: Promise<{ readonly status: number }>): Promise<number | string> {
  try {
    return (await asked).status;
  } catch (error) {
    if (error instanceof ProviderError) return error.fault;
    throw error;
  }
}

export const SKILLS: ExtScope = 'ext-skills.read_skills.v1';
export const LOCATION: ExtScope = 'ext-location.read_location.v1';
export const MAIL: ExtScope = 'ext-mail.read_mail.v1';
export const WALLET: ExtScope = 'ext-wallet.read_character_wallet.v1';

/** A user with a refresh token of the simulated provider, without a whole sign-in. */
export async function addGrant(
  app: TestApp,
  characterId: number,
  scopes: readonly ExtScope[] = [LOCATION, SKILLS, WALLET],
): Promise<void> {
  const { sso, vault } = app.app.services;
  const codeVerifier = 'v'.repeat(43);
  const login = await sso.loginUrl({ state: 'grant', scopes, codeVerifier });
  const back = new URL(await app.provider.authorize(login, { characterId }));
  const { identity, accessToken, refreshToken } = await sso.exchange(
    back.searchParams.get('code') ?? '',
    codeVerifier,
  );
  const known = await app.db
    .selectFrom('users')
    .select('character_id')
    .where('character_id', '=', characterId)
    .executeTakeFirst();
  if (known === undefined) await addUser(app, { id: characterId });
  if (refreshToken === undefined) throw new Error('no refresh token was granted');
  const grant = { characterId, scopes: identity.scopes, refreshToken, accessToken };
  await saveGrant(app.db, vault, { ...grant, accessExpiresOn: identity.expiresOn }, app.clock.now());
}

/** Lets all access tokens expire. */
export async function expireAccessTokens({ db, clock }: TestApp): Promise<void> {
  await db.updateTable('grants').set({ access_expires_on: clock.now() }).execute();
}

/** A request for a character's own record. */
export function ownRecord(
  characterId: number,
  what: 'skills' | 'location' | 'wallet' = 'skills',
  on: ProviderRequest['on'] = 'service',
): ProviderRequest {
  const scope = { skills: SKILLS, location: LOCATION, wallet: WALLET }[what];
  return { path: `/characters/${characterId}/${what}`, as: { characterId, scope }, on };
}

import type { ExtScope } from '../../contract/scopes.ts';
import { connect } from '../../server/database/connection.ts';
import { createAccessTokens } from '../../server/grant/access-tokens.ts';
import { saveGrant } from '../../server/grant/grant.queries.ts';
import { createMetrics } from '../../server/observability/metrics.ts';
import { answerOf, type ProviderAnswer } from '../../server/provider/answer.ts';
import type { ProviderRequest } from '../../server/provider/client.ts';
import { ProviderError } from '../../server/provider/http.ts';
import { createProvider } from '../../server/provider/provider.ts';
import { createSso } from '../../server/provider/sso.ts';
import { addUser } from '../fixtures/users.ts';
import type { TestApp, TestAppOptions } from './app.ts';
import { empty } from './database.ts';

/** Forgets what the provider answered and what is left of its limits: the next request finds a service that is new. */
export async function forgetProvider({ db }: TestApp): Promise<void> {
  await empty(db, 'provider_cache', 'provider_error_budget', 'provider_buckets', 'provider_callers');
}

/** Sees to it that no minute ends for a while, and with it what the provider counts and forbids in one. */
export function stayInTheMinute({ clock }: TestApp): void {
  const left = 60_000 - (clock.now().getTime() % 60_000);
  if (left < 20_000) clock.advance(left + 1_000);
}

/** What another process of the same service has: connections, memory and clients of its own. */
export function otherProcess(
  app: TestApp,
  {
    limits,
    ...addresses
  }: {
    readonly limits?: TestAppOptions['providerLimits'];
    readonly url?: string;
    readonly specUrl?: string;
  } = {},
) {
  const { settings, log, outages, clock, vault } = app.app.services;
  const { db, close } = connect({ url: app.databaseUrl, log, poolSize: 8 });
  const sso = createSso({ settings, clock, ...(limits && { limits }) });
  const provider = createProvider({
    metrics: createMetrics(),
    settings: { ...settings.extApi, ...addresses },
    db,
    clock,
    log,
    outages,
    access: createAccessTokens({ db, vault, clock, sso, log }),
    limits,
  });
  return {
    ...provider,
    db,
    stop: async () => {
      await provider.document.stop();
      await close();
    },
  };
}

/** An answer of the provider that no provider gave. */
export function madeAnswer(
  status: number,
  data: unknown,
  headers: Readonly<Record<string, string>> = {},
): ProviderAnswer {
  return answerOf({ status, headers, body: data === null ? '' : JSON.stringify(data) });
}

/** Status of the answer, or the fault of the error. */
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

/** A user whose refresh token was granted by the simulated provider, without the rest of a sign-in. */
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

/** The access tokens of everybody expire. */
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

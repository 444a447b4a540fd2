import { ProviderError } from '../provider/http.ts';
import type { Services } from '../services/services.ts';
import { admitUser } from './admit-user.ts';
import { bindingCookie, type InteractionStep, interactionOf, interactionUrl } from './interaction.ts';
import {
  type Admitted,
  COMPLETED,
  EXPIRED,
  OTHER_BROWSER,
  REFUSED_CODE,
  type Refusal,
  type SignInOutcome,
  type TooFewScopes,
  TRIED_TOO_OFTEN,
  UNKNOWN,
} from './outcome.ts';
import { INVITATION_LIFETIME, STATE_CODE_LIFETIME } from './start-login.ts';
import {
  findStateCode,
  giveTryBack,
  prolongStateCode,
  type StateCode,
  takeTry,
} from './state-code.queries.ts';

/** The dependency's name in the log. */
const SUBJECT = 'sign-in at the provider';

/** Query parameters of the sign-in callback. */
export interface CallbackQuery {
  readonly code?: string | undefined;
  readonly state?: string | undefined;
  readonly error?: string | undefined;
}

/**
 * Completes a sign-in: exchanges the code at the provider, then admits or refuses the character (D25–D29b). Only a
 * success uses the state code up, so requests with wrong codes, before or at the same time, cannot prevent the real
 * player's sign-in.
 *
 * @param cookies of the browser, which prove that it began this sign-in for OpenID Connect (D82)
 */
export async function completeSignIn(
  services: Services,
  query: CallbackQuery,
  cookies: string | undefined,
): Promise<SignInOutcome> {
  // Anything that cannot be a state code is not looked up (PostgreSQL would reject U+0000).
  const state = /^[\w-]{1,100}$/.test(query.state ?? '')
    ? await findStateCode(services.db, query.state ?? '')
    : undefined;
  const interaction = state && interactionOf(services.settings, state, cookies);
  // Another browser began this sign-in: this one learns nothing about it and cannot use its state code.
  if (interaction === 'another') return { kind: 'refused', refusal: OTHER_BROWSER, waysOn: {} };
  const outcome = await outcomeOf(services, query, state);
  services.metrics.signIns.inc({ outcome: outcome.kind === 'admitted' ? 'signed-in' : outcome.kind });
  const goOn = (to: InteractionStep) => interaction && interactionUrl(services.settings, interaction, to);
  if (outcome.kind === 'admitted') {
    return { kind: 'signed-in', redirectTo: outcome.callback ?? (goOn('login') as string) };
  }
  const again =
    outcome.kind === 'too-few-scopes' && state !== undefined
      ? await secondTry(services, state, outcome)
      : undefined;
  const application =
    state?.destination.to === 'application' ? new URL(state.destination.callback).origin : undefined;
  const waysOn = { application, again, giveUp: goOn('deny'), asAnother: goOn('again') };
  // The second try may come when the first cookie is too old.
  const cookie =
    again !== undefined && state !== undefined && interaction !== undefined
      ? bindingCookie(services.settings, state.state_code, interaction)
      : undefined;
  return { kind: 'refused', refusal: outcome, waysOn, cookie };
}

async function outcomeOf(
  services: Services,
  query: CallbackQuery,
  state: StateCode | undefined,
): Promise<Admitted | Refusal> {
  if (!query.state) return { kind: 'bad-request', reason: 'The address lacks the parameter “state”.' };
  if (!query.code && !query.error)
    return { kind: 'bad-request', reason: 'The address lacks the parameter “code”.' };
  if (state === undefined) return UNKNOWN;
  const fault = faultOf(state, services.clock.now());
  if (fault !== undefined) return fault;
  if (query.code) return redeem(services, state, query.code);
  return { kind: query.error === 'access_denied' ? 'cancelled' : 'told-of-failure' };
}

/** Why a state code cannot be used; undefined when it can. */
function faultOf(state: StateCode, now: Date): Refusal | undefined {
  if (state.used_on !== null) return COMPLETED;
  return state.expires_on <= now ? EXPIRED : undefined;
}

/**
 * Exchanges the authorization code. Only a refusal by the provider costs one of the state code's tries, a failure of
 * the provider does not (D26).
 */
async function redeem(services: Services, state: StateCode, code: string): Promise<Admitted | Refusal> {
  const { db, sso, clock, log, outages } = services;
  if (!(await takeTry(db, state.state_code))) {
    const present = await findStateCode(db, state.state_code);
    return present === undefined ? UNKNOWN : (faultOf(present, clock.now()) ?? TRIED_TOO_OFTEN);
  }
  /** Whether the try counts, or does not matter any more. */
  let taken = false;
  try {
    const outcome = await admitUser(services, state, await sso.exchange(code, state.code_verifier));
    taken = outcome.kind === 'admitted';
    outages.worked(SUBJECT);
    return outcome;
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    taken = error.fault === 'refused-code';
    if (taken) {
      log.info('a sign-in came back with a code that the provider does not accept');
      return REFUSED_CODE;
    }
    outages.failed(SUBJECT, { err: error }, 'a sign-in failed at the provider');
    return { kind: 'provider-failed' };
  } finally {
    // An error of this is not thrown: the outcome that is known already counts.
    if (!taken) {
      await giveTryBack(db, state.state_code).catch((error: unknown) =>
        log.warn({ err: error }, 'a sign-in that did not succeed has cost a try'),
      );
    }
  }
}

/**
 * A login URL to repeat the sign-in for the granted and the missing scopes; prolongs the state code, but not beyond
 * what an invitation lives: else one could be kept alive for ever (D28).
 */
async function secondTry(
  { db, sso, clock }: Services,
  { state_code: code, code_verifier: codeVerifier }: StateCode,
  { required, provided }: TooFewScopes,
): Promise<string> {
  const now = clock.now().getTime();
  const times = {
    until: new Date(now + STATE_CODE_LIFETIME),
    madeAfter: new Date(now - INVITATION_LIFETIME),
  };
  await prolongStateCode(db, code, times);
  const scopes = [...new Set([...provided, ...required])].sort();
  return sso.loginUrl({ state: code, scopes, codeVerifier });
}

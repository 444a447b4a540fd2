import { ProviderError } from '../provider/http.ts';
import type { Services } from '../services/services.ts';
import { admitUser } from './admit-user.ts';
import { type InteractionStep, interactionOf, interactionUrl } from './interaction.ts';
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
import { LIVES } from './start-login.ts';
import {
  findStateCode,
  giveTryBack,
  prolongStateCode,
  type StateCode,
  takeTry,
} from './state-code.queries.ts';

/** As the log names it. */
const SUBJECT = 'sign-in at the provider';

/** What the provider sends along. */
export interface CallbackQuery {
  readonly code?: string | undefined;
  readonly state?: string | undefined;
  readonly error?: string | undefined;
}

/**
 * Ends a sign-in: asks the provider who it is, and admits or refuses (D25–D29b). A success alone uses the state code
 * up, so whatever else comes with it, at the same time or before, takes nothing from the one who signs in.
 *
 * @param cookies the browser's, by which it proves that it began a sign-in for OpenID Connect (D82)
 */
export async function completeSignIn(
  services: Services,
  query: CallbackQuery,
  cookies: string | undefined,
): Promise<SignInOutcome> {
  // State codes are short text; what cannot be one need not be looked up (nor could U+0000 be).
  const state = /^[\w-]{1,100}$/.test(query.state ?? '')
    ? await findStateCode(services.db, query.state ?? '')
    : undefined;
  const interaction = state && interactionOf(state, cookies);
  // Whoever began it is somebody else: this browser is told nothing, and takes nothing from that one.
  if (interaction === 'another') return { kind: 'refused', refusal: OTHER_BROWSER, waysOn: {} };
  const outcome = await end(services, query, state);
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
  return { kind: 'refused', refusal: outcome, waysOn };
}

async function end(
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
  return { kind: query.error === 'access_denied' ? 'cancelled' : 'provider-failed' };
}

/** Why a state code cannot be signed in with. */
function faultOf(state: StateCode, now: Date): Refusal | undefined {
  if (state.used_on !== null) return COMPLETED;
  return state.expires_on <= now ? EXPIRED : undefined;
}

/** A code that the provider refuses costs the state code a try, and nothing else does (D26). */
async function redeem(services: Services, state: StateCode, code: string): Promise<Admitted | Refusal> {
  const { db, sso, clock, log, outages } = services;
  if (!(await takeTry(db, state.state_code))) {
    const present = await findStateCode(db, state.state_code);
    return present === undefined ? UNKNOWN : (faultOf(present, clock.now()) ?? TRIED_TOO_OFTEN);
  }
  let refused = false;
  try {
    const outcome = await admitUser(services, state, await sso.exchange(code, state.code_verifier));
    outages.worked(SUBJECT);
    return outcome;
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    refused = error.fault === 'refused-code';
    if (refused) {
      log.info('a sign-in came back with a code that the provider does not accept');
      return REFUSED_CODE;
    }
    outages.failed(SUBJECT, { err: error }, 'a sign-in failed at the provider');
    return { kind: 'provider-failed' };
  } finally {
    if (!refused) await giveTryBack(db, state.state_code);
  }
}

/** A login URL of the same sign-in for the scopes that were granted and those that are missing, with time to use it. */
async function secondTry(
  { db, sso, clock }: Services,
  { state_code: code, code_verifier: codeVerifier }: StateCode,
  { required, provided }: TooFewScopes,
): Promise<string> {
  await prolongStateCode(db, code, new Date(clock.now().getTime() + LIVES));
  const scopes = [...new Set([...provided, ...required])].sort();
  return sso.loginUrl({ state: code, scopes, codeVerifier });
}

import type { Kysely } from 'kysely';
import type { ExtScope } from '../../contract/scopes.ts';
import { LASTING_LEVEL } from '../access/office.ts';
import { constraintOf } from '../database/errors.ts';
import type { Database } from '../database/tables.ts';
import { inTransaction } from '../database/transaction.ts';
import type { Parts } from '../parts.ts';
import { ProviderError } from '../provider/http.ts';
import type { SignOn } from '../provider/sso.ts';
import { type Findings, findCharacter } from '../registry/findings.ts';
import { raiseCeos, saveFindings } from '../registry/save.ts';
import { insertToken } from '../token/token.queries.ts';
import { newUserToken } from '../token/token.ts';
import { callbackUrl } from './event.ts';
import { saveGrant } from './grant.queries.ts';
import { revokeGrants } from './grant.ts';
import {
  endVisit,
  findKnownCorporation,
  findKnownUser,
  handOver,
  judgeUser,
  type KnownUser,
  makeGuest,
  recordSignIn,
} from './sign-in.queries.ts';
import { claimStateCode, releaseStateCode, type StateCode } from './state-code.queries.ts';

/** How a provider callback ends (D26). */
export type SignInOutcome =
  | { readonly kind: 'signed-in'; readonly redirectTo: string }
  | { readonly kind: 'bad-request'; readonly reason: string }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'provider-failed' }
  | { readonly kind: 'not-allowed'; readonly name: string }
  | {
      readonly kind: 'too-few-scopes';
      readonly name: string;
      readonly characterId: number;
      readonly required: readonly ExtScope[];
      readonly provided: readonly ExtScope[];
    };

const UNKNOWN: SignInOutcome = {
  kind: 'bad-request',
  reason: 'This sign-in is unknown, was used already, or has expired.',
};

/** What the provider sends along. */
export interface CallbackQuery {
  readonly code?: string | undefined;
  readonly state?: string | undefined;
  readonly error?: string | undefined;
}

/** Ends a sign-in: claims the state code, asks the provider who it is, and admits or refuses (D25–D29b). */
export async function completeSignIn(parts: Parts, query: CallbackQuery): Promise<SignInOutcome> {
  const { db, clock, sso, log } = parts;
  if (!query.state) return { kind: 'bad-request', reason: 'The address lacks the parameter “state”.' };
  if (!query.code && !query.error)
    return { kind: 'bad-request', reason: 'The address lacks the parameter “code”.' };
  // State codes are short text; what cannot be one need not be looked up (nor could U+0000 be).
  const state = /^[\w-]{1,100}$/.test(query.state)
    ? await claimStateCode(db, query.state, clock.now())
    : undefined;
  if (state === undefined) return UNKNOWN;
  let outcome: SignInOutcome | undefined;
  try {
    outcome = query.code
      ? await admit(parts, state, await sso.exchange(query.code, state.code_verifier))
      : refusedByProvider(query.error);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    log.warn({ err: error }, 'a sign-in failed at the provider');
    outcome = { kind: 'provider-failed' };
  } finally {
    if (isReusable(state, outcome)) await releaseStateCode(db, state.state_code);
  }
  return outcome;
}

function refusedByProvider(error: string | undefined): SignInOutcome {
  return error === 'access_denied' ? { kind: 'cancelled' } : { kind: 'provider-failed' };
}

/** The provider's and our own failures cost nobody the code; an invitation is used up by a sign-in alone. */
function isReusable(state: StateCode, outcome: SignInOutcome | undefined): boolean {
  if (outcome === undefined || outcome.kind === 'provider-failed') return true;
  return state.corporation_id !== null && outcome.kind !== 'signed-in';
}

type Standing = { readonly as: 'member' } | { readonly as: 'guest'; readonly host: number };

async function admit(parts: Parts, state: StateCode, signOn: SignOn): Promise<SignInOutcome> {
  const { db, api, log } = parts;
  const { identity } = signOn;
  if (identity.unknownScopes.length > 0) {
    log.warn({ scopes: identity.unknownScopes }, 'a grant holds scopes that are not known; they are dropped');
  }
  const findings = await findCharacter(
    api,
    { id: identity.characterId, name: identity.characterName },
    (id) => findKnownCorporation(db, id),
  );
  if (findings === undefined)
    throw new ProviderError('unusable', 'the provider does not know who just signed in');
  await noticeHandover(parts, signOn);
  const known = await findKnownUser(db, identity.characterId);
  let refusal: SignInOutcome = { kind: 'not-allowed', name: identity.characterName };
  for (const standing of standings(known, state)) {
    const outcome = await attempt(parts, state, signOn, findings, standing);
    if (outcome.kind !== 'not-allowed') return outcome;
    refusal = outcome;
  }
  return refusal;
}

/**
 * As what somebody may be admitted, in this order: by its own affiliation, as the guest that it is already, as
 * the guest that an invitation makes it. So an invitation changes nothing for those admitted without it (D28),
 * and never costs an administrator the level.
 */
function standings(known: KnownUser | undefined, state: StateCode): Standing[] {
  const ways: Standing[] = [{ as: 'member' }];
  if (known !== undefined && known.clearance_level < 0 && known.corporation_id !== null) {
    ways.push({ as: 'guest', host: known.corporation_id });
  }
  if (state.corporation_id !== null && (known?.clearance_level ?? 0) < LASTING_LEVEL) {
    ways.push({ as: 'guest', host: state.corporation_id });
  }
  return ways;
}

/** A new owner starts from nothing, before the sign-in is judged and whatever comes of it (D29b). */
async function noticeHandover({ db, queue, clock, log }: Parts, { identity }: SignOn): Promise<void> {
  await inTransaction(db, async (tx) => {
    if (!(await handOver(tx, identity.characterId, identity.ownerHash, clock.now()))) return;
    await revokeGrants(tx, queue, [identity.characterId]);
    const user = await findKnownUser(tx, identity.characterId);
    if (user?.corporation_id != null) await raiseCeos(tx, [user.corporation_id], clock.now());
    log.info(
      { character_id: identity.characterId },
      'a character was handed to another person; its rights are gone',
    );
  });
}

/** Thrown to undo everything that an attempt has written (D26b). */
class Refused extends Error {
  readonly outcome: SignInOutcome;
  constructor(outcome: SignInOutcome) {
    super('refused');
    this.outcome = outcome;
  }
}

/** One transaction: stores who signs in as if admitted, judges what is stored, and keeps all or nothing. */
async function attempt(
  parts: Parts,
  state: StateCode,
  signOn: SignOn,
  findings: Findings,
  standing: Standing,
): Promise<SignInOutcome> {
  const { db, keys, queue, clock } = parts;
  const { characterId, characterName } = signOn.identity;
  const token = newUserToken({
    owner: characterId,
    parent: state.app_token,
    appToken: state.app_token,
    kid: keys.currentKid,
    now: clock.now(),
    by: 'dyn',
  });
  try {
    await inTransaction(db, async (tx) => {
      if (standing.as === 'member') {
        await endVisit(tx, characterId);
        await saveFindings(tx, findings, clock.now());
      } else await makeGuest(tx, { characterId, characterName, host: standing.host }, clock.now());
      await requireAdmission(tx, signOn);
      await recordSignIn(tx, characterId, signOn.identity.ownerHash, clock.now());
      await keepGrant(parts, tx, signOn);
      await insertToken(tx, token);
      await queue.send(tx, 'deliver-sign-in', {
        token: token.uuid,
        state_code: state.state_code,
        attempt: 0,
      });
    });
  } catch (error) {
    if (error instanceof Refused) return error.outcome;
    // The app token was deleted meanwhile, and its state codes with it (D21).
    if (constraintOf(error)?.constraint === 'tokens_parent_fkey') return UNKNOWN;
    throw error;
  }
  return {
    kind: 'signed-in',
    redirectTo: callbackUrl(state.callback, state.state_code, await keys.sign(token)),
  };
}

async function requireAdmission(tx: Kysely<Database>, { identity }: SignOn): Promise<void> {
  const { characterId, characterName: name, scopes: provided } = identity;
  const judged = await judgeUser(tx, characterId);
  if (judged === undefined || !judged.admitted) throw new Refused({ kind: 'not-allowed', name });
  const { required } = judged;
  if (required.some((scope) => !provided.includes(scope))) {
    throw new Refused({ kind: 'too-few-scopes', name, characterId, required, provided });
  }
}

async function keepGrant(parts: Parts, tx: Kysely<Database>, signOn: SignOn): Promise<void> {
  const { identity, accessToken, refreshToken } = signOn;
  if (refreshToken === undefined) return;
  const { characterId, scopes, expiresOn } = identity;
  const grant = { characterId, scopes, refreshToken, accessToken, accessExpiresOn: expiresOn };
  await saveGrant(tx, parts.vault, grant, parts.clock.now());
}

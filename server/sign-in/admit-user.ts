import type { Kysely, Transaction } from 'kysely';
import type { Actor } from '../../contract/event.ts';
import {
  hasAuthority,
  isAdministrator,
  isBuiltIn,
  isGuest,
  MEMBER_LEVEL,
} from '../access/clearance-levels.ts';
import { distanceTo } from '../access/distance.ts';
import { findPositions } from '../access/position.queries.ts';
import { constraintOf } from '../database/errors.ts';
import type { Database } from '../database/tables.ts';
import { inTransaction, tried } from '../database/transaction.ts';
import { onAccountOf } from '../event/origin.ts';
import { findValidScopes, forgetOtherOwners, saveGrant } from '../grant/grant.queries.ts';
import { recordGrant } from '../grant/grant-events.ts';
import { revoke } from '../grant/revoke.ts';
import { ProviderError } from '../provider/http.ts';
import type { SignOn } from '../provider/sso.ts';
import { readRevision } from '../registry/organizations.queries.ts';
import { placeCeos } from '../registry/place-ceos.ts';
import { fetchCharacter, type ProviderSnapshot } from '../registry/provider-snapshot.ts';
import { followSnapshot, writeSnapshot } from '../registry/save-snapshot.ts';
import type { Services } from '../services/services.ts';
import { endUnwelcome } from '../session/end-sessions.ts';
import type { Standings } from '../standing/read-standings.queries.ts';
import { insertToken } from '../token/token.queries.ts';
import { newUserToken } from '../token/token.ts';
import { callbackUrl } from './call-application.ts';
import { noticeHandover } from './notice-handover.ts';
import { type Admitted, COMPLETED, isRecorded, OTHER_OWNER, type Refusal, UNKNOWN } from './outcome.ts';
import {
  endVisit,
  findKnownCorporation,
  findKnownUser,
  judgeUser,
  type KnownUser,
  makeGuest,
  recordSignIn,
  storeSeenGuest,
} from './sign-in.queries.ts';
import { recordRefused, recordSignedIn } from './sign-in-events.ts';
import { type StateCode, useStateCode } from './state-code.queries.ts';
import { notAllowedFor } from './why-not-allowed.ts';

type Capacity = { readonly as: 'member' | 'guest' } | { readonly as: 'invited'; readonly host: number };

/**
 * Admits or refuses the character that the provider identified: as a member, or as a guest where an invitation allows
 * it (D26b–D29b).
 */
export async function admitUser(
  services: Services,
  state: StateCode,
  signOn: SignOn,
): Promise<Admitted | Refusal> {
  const { db, api, clock, log } = services;
  const { identity } = signOn;
  const askedAt = await readRevision(db);
  if (identity.unknownScopes.length > 0) {
    log.warn({ scopes: identity.unknownScopes }, 'a grant holds scopes that are not known; they are dropped');
  }
  const fetched = await fetchCharacter(
    api,
    { id: identity.characterId, name: identity.characterName },
    (id) => findKnownCorporation(db, id),
  );
  if (fetched === undefined)
    throw new ProviderError('unusable', 'the provider does not know who just signed in');
  const snapshot = await placeCeos(db, api, fetched, identity.characterId);
  await noticeHandover(services, identity);
  const outcome = await attempt(services, state, signOn, { snapshot, askedAt });
  if (isRecorded(outcome)) {
    const refused = { reason: outcome.kind, actor: whoSignsIn(identity.characterId, state.destination) };
    await recordRefused(db, identity, refused, clock.now());
  }
  return outcome;
}

/**
 * The capacities in which a character may be admitted that is not as a member, in order of preference: as the guest that
 * it is already, as a guest by this invitation. An invitation never lowers an administrator's level (D28).
 */
function visitsOf(known: KnownUser | undefined, host: number | null): Capacity[] {
  const visits: Capacity[] = [];
  if (known !== undefined && isGuest(known.clearance_level) && known.corporation_id !== null) {
    visits.push({ as: 'guest' });
  }
  if (host !== null && !isAdministrator(known?.clearance_level ?? MEMBER_LEVEL)) {
    visits.push({ as: 'invited', host });
  }
  return visits;
}

/** The corporation that a code invites to, while whoever made it may still use tokens (D27b), and invite to it (D28). */
async function hostOf(
  db: Kysely<Database>,
  { corporation_id: host, invited_by }: StateCode,
): Promise<number | null> {
  if (host === null || invited_by === null) return host;
  const inviter = { owner_id: invited_by, sponsor_id: null };
  const { caller, target } = await findPositions(db, inviter, 'corporation', host);
  const judged = await judgeUser(db, invited_by);
  if (caller === undefined || target === undefined || judged === undefined) return null;
  if (!judged.admitted && !isAdministrator(judged.level)) return null;
  return hasAuthority(caller.level, distanceTo(caller, target), 'read') ? host : null;
}

/** Whose rights an invitation goes by; none for another code. The built-in user never changes. */
function invitersOf({ invited_by: by }: StateCode): number[] {
  return by === null || isBuiltIn(by) ? [] : [by];
}

/** Thrown to roll back everything that an attempt has written (D26b). */
class Refused extends Error {
  readonly refusal: Refusal;
  constructor(refusal: Refusal) {
    super('refused');
    this.refusal = refusal;
  }
}

/** What the provider said of the character, and the revision of the registry when it was asked. */
interface Asked {
  readonly snapshot: ProviderSnapshot;
  readonly askedAt: number;
}

/** One transaction: stores the character as if it were admitted, judges what is stored, then commits or rolls back. */
async function attempt(
  services: Services,
  state: StateCode,
  signOn: SignOn,
  { snapshot, askedAt }: Asked,
): Promise<Admitted | Refusal> {
  const { db, keys, clock, signInLimit } = services;
  const { characterId } = signOn.identity;
  const { destination } = state;
  const token =
    destination.to === 'application' ? tokenFor(services, characterId, destination.app_token) : undefined;
  const home = snapshot.characters.find(({ character_id: id }) => id === characterId)?.corporation_id ?? null;
  const leave = await signInLimit({ character: characterId, corporation: home });
  try {
    await onAccountOf({ actor: whoSignsIn(characterId, destination) }, () =>
      inTransaction(db, async (tx) => {
        const times = { now: clock.now(), askedAt };
        const store = async (latest: ProviderSnapshot, locked: Standings) => {
          const now = clock.now();
          const storeMember = async () => {
            await endVisit(tx, characterId);
            return writeSnapshot(tx, latest, locked, now);
          };
          return storeAdmitted(tx, state, signOn, storeMember, now);
        };
        const special = { certain: characterId, bystanders: invitersOf(state) };
        const { users, corporations } = await followSnapshot(tx, snapshot, times, store, special);
        if (!(await recordSignIn(tx, characterId, signOn.identity.ownerHash, clock.now())))
          throw new Refused(OTHER_OWNER);
        await storeGrant(services, tx, signOn);
        await endUnwelcome(services, tx, { users: [characterId, ...users], corporations });
        if (token !== undefined) await giveToken(services, tx, token, state);
        await recordSignedIn(tx, signOn.identity, token?.uuid, clock.now());
        // Last, so that the lock on the state code is held only until the commit, and nothing is waited for while
        // holding it.
        if (!(await useStateCode(tx, state.state_code, characterId, clock.now())))
          throw new Refused(COMPLETED);
      }),
    );
  } catch (error) {
    if (error instanceof Refused) return error.refusal;
    // The app token was deleted meanwhile, and its state codes with it (D21).
    if (constraintOf(error)?.constraint === 'tokens_parent_fkey') return UNKNOWN;
    throw error;
  } finally {
    leave();
  }
  const callback =
    destination.to === 'application' && token !== undefined
      ? callbackUrl(destination.callback, state.state_code, await keys.sign(token))
      : undefined;
  return { kind: 'admitted', callback };
}

/**
 * Stores the character in the first capacity in which it may log in: as a member by its own affiliation, so that an
 * invitation changes nothing for who is admitted without it (D28), else as a guest. All are judged in one transaction,
 * under the locks of {@link followSnapshot}: in between nobody lets the character in, or takes away the right to invite.
 *
 * @param storeMember returns the corporations whose alliance changed
 * @returns these
 * @throws Refused if there is no such capacity, with the reason of the last
 */
async function storeAdmitted(
  tx: Transaction<Database>,
  state: StateCode,
  signOn: SignOn,
  storeMember: () => Promise<readonly number[]>,
  now: Date,
): Promise<readonly number[]> {
  const { characterId, characterName } = signOn.identity;
  const guest = { characterId, characterName };
  const storeAs = (capacity: Capacity) =>
    tried(tx, async () => {
      let moved: readonly number[] = [];
      if (capacity.as === 'invited') await makeGuest(tx, { ...guest, host: capacity.host }, now);
      else if (capacity.as === 'guest') await storeSeenGuest(tx, guest, now);
      else moved = await storeMember();
      const refusal = await findRefusal(tx, signOn, state.destination);
      return { result: { moved, refusal }, kept: refusal === undefined };
    });
  let stored = await storeAs({ as: 'member' });
  if (stored.refusal?.kind === 'not-allowed') {
    for (const visit of visitsOf(await findKnownUser(tx, characterId), await hostOf(tx, state))) {
      stored = await storeAs(visit);
      if (stored.refusal?.kind !== 'not-allowed') break;
    }
  }
  if (stored.refusal !== undefined) throw new Refused(stored.refusal);
  return stored.moved;
}

/** The actor of the sign-in's events: the character that signs in, through the application. */
function whoSignsIn(character_id: number, destination: StateCode['destination']): Actor {
  const app_token = destination.to === 'application' ? destination.app_token : null;
  return { kind: 'user', character_id, token: null, app_token, on_behalf_of: null };
}

type UserToken = ReturnType<typeof newUserToken>;

function tokenFor({ keys, clock }: Services, owner: number, appToken: string): UserToken {
  const kid = keys.currentKid;
  return newUserToken({ owner, parent: appToken, appToken, kid, now: clock.now(), by: 'dyn' });
}

/** Stores the user token and enqueues the job that calls the application (D29). */
async function giveToken(
  { queue }: Services,
  tx: Kysely<Database>,
  token: UserToken,
  { state_code }: StateCode,
): Promise<void> {
  await insertToken(tx, token);
  await queue.send(tx, 'deliver-sign-in', { token: token.uuid, state_code, attempt: 0 });
}

/**
 * Whether scopes count that the character granted before (D26): OpenID Connect and the console ask the game for public
 * data, whoever signs in. Applications with an app token name the scopes that they want.
 */
function countsGrants(destination: StateCode['destination']): boolean {
  return destination.to === 'interaction' || destination.is_console;
}

/** Why the character, as it is stored, is not admitted; undefined if it is. */
async function findRefusal(
  tx: Kysely<Database>,
  { identity }: SignOn,
  destination: StateCode['destination'],
): Promise<Refusal | undefined> {
  const { characterId, characterName: name, scopes: provided } = identity;
  const judged = await judgeUser(tx, characterId);
  if (judged === undefined) throw new Error('who signs in was not stored');
  if (!judged.admitted) return { kind: 'not-allowed', ...notAllowedFor({ name, characterId }, judged) };
  const { required } = judged;
  const kept = countsGrants(destination) ? await findValidScopes(tx, characterId) : [];
  const granted: readonly string[] = [...provided, ...kept];
  const suffices = required.every((scope) => granted.includes(scope));
  return suffices ? undefined : { kind: 'too-few-scopes', name, characterId, required, provided };
}

async function storeGrant(services: Services, tx: Kysely<Database>, signOn: SignOn): Promise<void> {
  const { identity, accessToken, refreshToken } = signOn;
  await forgetOtherOwners(tx, identity, services.clock.now());
  if (refreshToken === undefined) return;
  const { characterId, scopes, expiresOn } = identity;
  const grant = { characterId, scopes, refreshToken, accessToken, accessExpiresOn: expiresOn };
  const { given, taken } = await saveGrant(tx, services.vault, grant, services.clock.now());
  await revoke(tx, services.queue, taken);
  await recordGrant(tx, identity, given, services.clock.now());
}

import type { Person } from '../../contract/person.ts';
import { answersFor } from '../access/account.ts';
import { type Admission, readmit } from '../access/admission.ts';
import { recogniseLocked } from '../access/authenticate.ts';
import type { Caller } from '../access/caller.queries.ts';
import { isBuiltIn, isGuest } from '../access/clearance-levels.ts';
import { objectId } from '../database/object-id.ts';
import { inTransaction } from '../database/transaction.ts';
import type { Services } from '../services/services.ts';
import { DomainError, forbidden, invalid } from '../shared/domain-error.ts';
import { findMembership, findProven, lockPersons } from './membership.queries.ts';
import { foundPerson, moveTo } from './membership.ts';
import { getPersonOf, mainKept } from './person.ts';

/** Milliseconds after its sign-in during which a user token proves that its holder owns the character (D101). */
const PROVES_FOR = 10 * 60_000;

/**
 * Moves the character of a user token to the caller's person (D101). Both characters are locked before both tokens are
 * checked, so a concurrent hand-over, deletion or link happens entirely before or after this.
 */
export async function linkCharacter(
  { db, keys, clock }: Pick<Services, 'db' | 'keys' | 'clock'>,
  admission: Admission,
  userToken: string,
): Promise<Person> {
  const claims = await inBody(() => keys.verify(userToken));
  return inTransaction(db, async (tx) => {
    const caller = await readmit(tx, admission, [claims.ownerId]);
    if (isBuiltIn(caller.owner_id)) throw forbidden({ never: "the built-in user is nobody's character" });
    const other = await inBody(() => recogniseLocked({ db: tx, clock }, claims));
    const now = clock.now();
    requireProof(caller, other, now);
    await lockPersons(tx);
    const own = await findMembership(tx, caller.owner_id);
    const former = await findMembership(tx, other.owner_id);
    if (own === undefined || own.person_id !== former?.person_id) {
      const by = answersFor(caller);
      const proven = await findProven(tx, other.uuid);
      if (proven !== undefined && proven.by_id !== by && proven.to_person !== own?.person_id) {
        throw refused('It proved its character to somebody else already: sign in anew.');
      }
      if (former?.main_id === other.owner_id) throw mainKept(other.owner_id);
      const person = own ?? { person_id: objectId(now), main_id: caller.owner_id };
      if (own === undefined) await foundPerson(tx, person, now);
      await moveTo(tx, person.person_id, [other.owner_id], {
        happened: 'linked',
        by,
        now,
        // Told once: the first time, by which it is known whom it proved the character to.
        ...(proven === undefined && { proof: other.uuid }),
      });
    }
    return getPersonOf({ db: tx, clock }, caller.owner_id);
  });
}

/** Requires a recent sign-in of another character through the caller's own application. */
function requireProof(caller: Caller, other: Caller, now: Date): void {
  if (other.token_type !== 'use' || isBuiltIn(other.owner_id)) {
    throw refused('It is no user token of a character.');
  }
  if (other.app_token !== caller.app_token) throw refused('It comes from another application.');
  if (other.owner_id === caller.owner_id) throw refused('It is of the very character that asks.');
  if (isGuest(other.level)) throw refused('Its owner is a guest.');
  if (other.created_on.getTime() < now.getTime() - PROVES_FOR) {
    throw refused('It is of a sign-in more than 10 minutes ago: sign in anew.');
  }
}

function refused(why: string): DomainError {
  return invalid(['body', 'user_token'], why);
}

/** Turns refusals of the token in the body into a 422, because the token in the header is valid. */
async function inBody<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DomainError && typeof error.detail === 'string') throw refused(error.detail);
    throw error;
  }
}

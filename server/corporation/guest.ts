import { randomUUID } from 'node:crypto';
import type { Transaction } from 'kysely';
import { generateRandomCodeVerifier } from 'oauth4webapi';
import type { GuestCode } from '../../contract/corporation.ts';
import { answersFor } from '../access/account.ts';
import { type Admission, readmit } from '../access/admission.ts';
import { ADMINISTRATOR_LEVEL, isAdministrator } from '../access/clearance-levels.ts';
import type { Database } from '../database/tables.ts';
import { inTransaction } from '../database/transaction.ts';
import { recordEvents } from '../event/record.ts';
import { lockGrouping } from '../group/autogroup.queries.ts';
import { lockGroupsOf } from '../group/group.queries.ts';
import { isBarredByAdministrator } from '../policy/policy.queries.ts';
import type { Services } from '../services/services.ts';
import { DomainError, forbidden, notFound } from '../shared/domain-error.ts';
import { INVITATION_LIFETIME } from '../sign-in/start-login.ts';
import { countInvitations, insertStateCode } from '../sign-in/state-code.queries.ts';
import { removeUsers } from '../user/remove-users.ts';
import { isShutOut, lockGuest } from './guest.queries.ts';

/** Maximum number of valid invitations of one corporation. */
const MOST_CODES = 100;

/**
 * Creates an invitation of a registered corporation, which is bound to the first app token that presents it (D25, D28);
 * refused when the corporation has the maximum number of valid ones.
 */
export async function createGuestCode(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  admission: Admission,
  corporationId: number,
): Promise<GuestCode> {
  const now = clock.now();
  const state_code = randomUUID();
  await inTransaction(db, async (tx) => {
    const caller = await readmit(tx, admission);
    const living = await countInvitations(tx, corporationId, now);
    if (living >= MOST_CODES) throw tooManyCodes(corporationId);
    await insertStateCode(tx, {
      state_code,
      app_token: null,
      corporation_id: corporationId,
      invited_by: answersFor(caller),
      code_verifier: generateRandomCodeVerifier(),
      created_on: now,
      expires_on: new Date(now.getTime() + INVITATION_LIFETIME),
    });
    const targets = [{ type: 'corporation' as const, id: String(corporationId), name: null }];
    await recordEvents(tx, [{ type: 'corporation.guest_invited', targets }], now);
  });
  return { state_code };
}

function tooManyCodes(corporationId: number): DomainError {
  const has = `Corporation ${corporationId} has ${MOST_CODES} living guest codes already`;
  return new DomainError('too_many_guest_codes', `${has}: one of them must be used or expire first.`);
}

/**
 * Deletes a guest of this corporation with all its data (D19b, D28); 404 for any other user. Below level 9 it is refused
 * for a guest whom a group forbids to log in (D27), or level 9 bars from a group (D111): invited again, it would be let in.
 */
export async function removeGuest(
  services: Pick<Services, 'db' | 'queue' | 'clock' | 'touches'>,
  admission: Admission,
  corporationId: number,
  characterId: number,
): Promise<void> {
  await inTransaction(services.db, async (tx) => {
    await lockGroupsOf(tx, [characterId]);
    const caller = await readmit(tx, admission, [characterId]);
    if (!(await lockGuest(tx, corporationId, characterId))) throw notFound('guest', characterId);
    if (!isAdministrator(caller.level)) await requireNoBar(tx, caller.level, characterId);
    const rehearsed = await services.touches(tx, { users: [characterId] });
    if (!rehearsed) await lockGrouping(tx, false);
    await removeUsers(services, tx, [characterId], { by: answersFor(caller), now: services.clock.now() });
  });
}

async function requireNoBar(tx: Transaction<Database>, has: number, characterId: number): Promise<void> {
  let what: string;
  if (await isShutOut(tx, characterId)) what = 'forbids to log in';
  else if (await isBarredByAdministrator(tx, characterId)) what = 'bars from another group';
  else return;
  throw forbidden({ level: ADMINISTRATOR_LEVEL, has, to: `deleting a guest whom a group ${what}` });
}

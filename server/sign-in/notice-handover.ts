import { inTransaction } from '../database/transaction.ts';
import { GAME, onAccountOf } from '../event/origin.ts';
import { revokeGrants } from '../grant/revoke.ts';
import { lockGrouping } from '../group/autogroup.queries.ts';
import { findMemberships, lockGroupsOf, setUpdated } from '../group/group.queries.ts';
import { forgetJoining } from '../policy/forget-joining.ts';
import type { Identity } from '../provider/identity.ts';
import { raiseCeos } from '../registry/save-snapshot.queries.ts';
import type { Services } from '../services/services.ts';
import { deleteConsents } from '../session/consents.queries.ts';
import { endSessions } from '../session/end-sessions.ts';
import { readStandings } from '../standing/read-standings.queries.ts';
import { changedStandings, recordStandings } from '../standing/standing-events.ts';
import { forgetVoice } from '../voice/voice.queries.ts';
import { recordUnbound } from '../voice/voice-events.ts';
import { disableWebhooksOf } from '../webhook/disable.ts';
import {
  findKnownUser,
  handOver,
  isHandedOver,
  lockHandedOver,
  restoreUpdatedOn,
} from './sign-in.queries.ts';
import { recordHandedOver, recordLosses } from './sign-in-events.ts';

/**
 * Resets a character that has a new owner. Committed before the sign-in is judged, so that it stays even if the sign-in
 * is refused (D29b).
 */
export async function noticeHandover(
  services: Pick<Services, 'db' | 'queue' | 'clock' | 'log'>,
  identity: Pick<Identity, 'characterId' | 'characterName' | 'ownerHash'>,
): Promise<void> {
  const { db, queue, clock, log } = services;
  await inTransaction(db, async (tx) => {
    if (!(await isHandedOver(tx, identity.characterId, identity.ownerHash))) return;
    const users = [identity.characterId];
    await lockGroupsOf(tx, users);
    const former = await lockHandedOver(tx, identity.characterId, identity.ownerHash);
    if (former === undefined) return;
    await lockGrouping(tx, false);
    // All events of the hand-over get the same time; from then on the character's events belong to its new owner (D94).
    const now = clock.now();
    const standings = await readStandings(tx, { users });
    const memberships = await findMemberships(tx, users);
    // Before the first event: it may wait for a policy that names the character, whose event comes before then.
    const ended = await forgetJoining(tx, identity.characterId, now);
    const event_id = await recordHandedOver(tx, identity, now);
    // Everything else is a consequence of that and not done by anybody here.
    await onAccountOf({ actor: GAME, cause: { event_id, run_id: null, job: null } }, async () => {
      await handOver(tx, identity.characterId, identity.ownerHash, now);
      await setUpdated(tx, memberships, now);
      const released = await forgetVoice(tx, identity.characterId);
      await revokeGrants(tx, queue, [identity.characterId]);
      await endSessions(services, tx, [identity.characterId]);
      await deleteConsents(tx, identity.characterId);
      await disableWebhooksOf(tx, services, identity.characterId, now);
      const user = await findKnownUser(tx, identity.characterId);
      if (user?.corporation_id != null) await raiseCeos(tx, [user.corporation_id], users, now);
      await restoreUpdatedOn(tx, former);
      await recordLosses(tx, { memberships, ended }, now);
      await recordUnbound(tx, released, now);
      await recordStandings(tx, await changedStandings(tx, standings), now);
    });
    log.info({ character_id: identity.characterId }, 'a character has a new owner; its rights were removed');
  });
}

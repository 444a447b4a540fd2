import type { Transaction } from 'kysely';
import type { Database } from '../database/tables.ts';
import { type NewEvent, recordEvents, userTarget } from '../event/record.ts';
import { revokeGrants } from '../grant/revoke.ts';
import { findMemberships, setUpdated } from '../group/group.queries.ts';
import { departureEvents } from '../group/group-events.ts';
import { endedEvent } from '../policy/apply-judgement.ts';
import { endApplicationsOf } from '../policy/pending.queries.ts';
import type { Services } from '../services/services.ts';
import { endSessions } from '../session/end-sessions.ts';
import { readStandings } from '../standing/read-standings.queries.ts';
import { changedStandings, recordStandings } from '../standing/standing-events.ts';
import { deleteUsers, findVoiceIdentities, type VoiceIdentity } from './user.queries.ts';

/**
 * Deletes users with all their data, revokes their refresh tokens and ends their sessions (D19b, D84). Records the
 * events, including, as consequences, the persons and groups that they left, the applications that ended and the voice
 * identities; `by` is the user who does it.
 */
export async function removeUsers(
  services: Pick<Services, 'queue' | 'clock'>,
  tx: Transaction<Database>,
  characterIds: readonly number[],
  { by, now }: { readonly by: number | null; readonly now: Date },
): Promise<void> {
  await revokeGrants(tx, services.queue, characterIds);
  await endSessions(services, tx, characterIds);
  const standings = await readStandings(tx, { users: characterIds });
  const memberships = await findMemberships(tx, characterIds);
  const identities = await findVoiceIdentities(tx, characterIds);
  const ended = await endApplicationsOf(tx, characterIds, now);
  const partings = await deleteUsers(tx, characterIds, { by, now });
  await setUpdated(tx, memberships, now);
  const deletions = await recordStandings(tx, await changedStandings(tx, standings), now);
  const causeOf = (characterId: number) => {
    const event_id = deletions.get(characterId);
    return event_id === undefined ? undefined : { event_id };
  };
  await recordEvents(
    tx,
    [
      ...partings.map(({ event, leaver }) => because(event, causeOf(leaver))),
      ...departureEvents(memberships, causeOf),
      ...ended.map((one) => endedEvent(one, causeOf(one.character_id))),
      ...identities.map((one) => unboundEvent(one, causeOf(one.character_id))),
    ],
    now,
  );
}

function unboundEvent(
  { client_database_id: id, character_id }: VoiceIdentity,
  cause: NewEvent['cause'],
): NewEvent {
  const targets = [{ type: 'voice_identity' as const, id: String(id), name: null }, userTarget(character_id)];
  return because({ type: 'voice.unbound', targets }, cause);
}

function because(event: NewEvent, cause: NewEvent['cause']): NewEvent {
  return cause === undefined ? event : { ...event, cause };
}

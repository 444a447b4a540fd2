import type { Transaction } from 'kysely';
import type { Database } from '../database/tables.ts';
import { listChanged, type NewEvent, recordEvents } from '../event/record.ts';
import type { Services } from '../services/services.ts';
import { endUnwelcome } from '../session/end-sessions.ts';
import type { Departure, Ended } from './judge.queries.ts';

/**
 * Completes a judgement by policies, after its rows were changed: records the events of members who were removed and of
 * applications that ended, and ends sessions whose login permission was lost.
 */
export async function carryOut(
  services: Pick<Services, 'queue' | 'clock'>,
  db: Transaction<Database>,
  departures: readonly Departure[],
  ended: readonly Ended[],
  now: Date,
): Promise<void> {
  const groups = new Map(departures.map(({ group_id, group_name }) => [group_id, group_name]));
  const left = [...groups].flatMap(([id, name]) => {
    const removed = departures
      .filter(({ group_id }) => group_id === id)
      .map(({ character_id }) => character_id);
    const targets = [{ type: 'group' as const, id, name }];
    const reason = 'no longer eligible';
    return listChanged({ type: 'group.members_changed', targets, reason }, 'members', { added: [], removed });
  });
  await recordEvents(db, [...left, ...ended.map((one) => decided(one, one.state))], now);
  await endUnwelcome(services, db, { users: departures.map(({ character_id }) => character_id) });
}

/** The event for the final state of an application. */
export function decided(
  application: Omit<Ended, 'state'>,
  state: string,
  reason: string | null = null,
): NewEvent {
  const changes = [{ field: 'state', before: 'pending', after: state }];
  return { type: 'application.decided', targets: targetsOf(application), changes, reason };
}

export function created(application: Omit<Ended, 'state'>): NewEvent {
  return { type: 'application.created', targets: targetsOf(application) };
}

function targetsOf({ application_id, group_id, group_name, character_id }: Omit<Ended, 'state'>) {
  return [
    { type: 'application' as const, id: application_id, name: group_name },
    { type: 'group' as const, id: group_id, name: group_name },
    { type: 'user' as const, id: String(character_id), name: '' },
  ];
}

import type { Transaction } from 'kysely';
import type { Database } from '../database/tables.ts';
import { listChanged, type NewEvent, recordEvents, userTarget } from '../event/record.ts';
import type { Services } from '../services/services.ts';
import { endUnwelcome } from '../session/end-sessions.ts';
import type { Departure } from './judge.queries.ts';
import type { Ended } from './pending.queries.ts';

/** The effects of a judgement by policies. */
interface Consequences {
  readonly departures: readonly Departure[];
  readonly ended: readonly Ended[];
  /** The event that caused them. */
  readonly cause?: NewEvent['cause'];
}

/**
 * Applies a judgement by policies, whose rows have been changed: records the events of members who were removed and of
 * applications that ended, and ends sessions whose login permission was lost.
 */
export async function applyJudgement(
  services: Pick<Services, 'queue' | 'clock'>,
  db: Transaction<Database>,
  { departures, ended, cause }: Consequences,
  now: Date,
): Promise<void> {
  const groups = new Map(departures.map(({ group_id, group_name }) => [group_id, group_name]));
  const left = [...groups].flatMap(([id, name]) => {
    const removed = departures
      .filter(({ group_id }) => group_id === id)
      .map(({ character_id }) => character_id);
    const targets = [{ type: 'group' as const, id, name }];
    const event = { type: 'group.members_changed' as const, targets, reason: 'no longer eligible' };
    return listChanged({ ...event, ...because(cause) }, 'members', { added: [], removed });
  });
  await recordEvents(db, [...left, ...ended.map((one) => endedEvent(one, cause))], now);
  await endUnwelcome(services, db, { users: departures.map(({ character_id }) => character_id) });
}

type NamedApplication = Omit<Ended, 'state'>;

/** The event for the final state of an application. */
export function decided(
  application: NamedApplication,
  state: string,
  reason: string | null = null,
): NewEvent {
  const changes = [{ field: 'state', before: 'pending', after: state }];
  return { type: 'application.decided', targets: targetsOf(application), changes, reason };
}

/** The event for an application that ended without a decision. */
export function endedEvent(application: Ended, cause?: NewEvent['cause']): NewEvent {
  return { ...decided(application, application.state), ...because(cause) };
}

export function created(application: NamedApplication): NewEvent {
  return { type: 'application.created', targets: targetsOf(application) };
}

function because(cause: NewEvent['cause']): Pick<NewEvent, 'cause'> {
  return cause === undefined ? {} : { cause };
}

function targetsOf({ application_id, group_id, group_name, character_id, character_name }: NamedApplication) {
  return [
    { type: 'application' as const, id: application_id, name: group_name },
    { type: 'group' as const, id: group_id, name: group_name },
    userTarget(character_id, character_name),
  ];
}

import type { Kysely } from 'kysely';
import type { Target } from '../../contract/event.ts';
import type { Database } from '../database/tables.ts';
import { listChanged, type NewEvent, recordEvents, valueChanges } from '../event/record.ts';
import type { ListDifference } from '../shared/list-change.ts';
import type { Autogroup } from '../standing/read-standings.queries.ts';
import type { ByKind } from './coalition.queries.ts';

interface Values {
  readonly coalition_name: string;
  readonly ticker: string;
  readonly authorized_to_login: boolean | null;
  readonly mandatory_ext_scopes: readonly string[];
}

const FIELDS = ['coalition_name', 'ticker', 'authorized_to_login', 'mandatory_ext_scopes'] as const;

function targetsOf(id: string, name: string): Target[] {
  return [{ type: 'coalition', id, name }];
}

export async function recordCoalitionCreated(
  db: Kysely<Database>,
  coalition: Values & { readonly coalition_id: string },
  now: Date,
): Promise<void> {
  const targets = targetsOf(coalition.coalition_id, coalition.coalition_name);
  const changes = valueChanges({}, coalition, FIELDS);
  await recordEvents(db, [{ type: 'coalition.created', targets, changes }], now);
}

/** Records an update. Returns the cause for the events that follow from it; nothing if nothing changed. */
export async function recordCoalitionUpdated(
  db: Kysely<Database>,
  id: string,
  before: Values,
  after: Omit<Values, 'coalition_name'>,
  members: ByKind<ListDifference<number>>,
  now: Date,
): Promise<{ readonly cause?: NonNullable<NewEvent['cause']> }> {
  const { coalition_name } = before;
  const targets = targetsOf(id, coalition_name);
  const changes = valueChanges(before, { coalition_name, ...after }, FIELDS);
  const event = { type: 'coalition.members_changed', targets } as const;
  const [event_id] = await recordEvents(
    db,
    [
      ...(changes.length > 0 ? [{ type: 'coalition.updated' as const, targets, changes }] : []),
      ...listChanged(event, 'member_alliances', members.alliances),
      ...listChanged(event, 'member_corporations', members.corporations),
    ],
    now,
  );
  return event_id === undefined ? {} : { cause: { event_id } };
}

/** Records a deletion. Returns the cause for the events that follow from it, such as the deletion of its autogroup. */
export async function recordCoalitionDeleted(
  db: Kysely<Database>,
  id: string,
  before: Values,
  now: Date,
): Promise<{ readonly cause: NonNullable<NewEvent['cause']> }> {
  const targets = targetsOf(id, before.coalition_name);
  const changes = valueChanges<Partial<Values>>(before, {}, FIELDS);
  const [event_id = ''] = await recordEvents(db, [{ type: 'coalition.deleted', targets, changes }], now);
  return { cause: { event_id } };
}

/** Records the deletion of autogroups; call it after the events of their members' leaving. */
export async function recordAutogroupsDeleted(
  db: Kysely<Database>,
  groups: readonly Autogroup[],
  cause: NonNullable<NewEvent['cause']>,
  now: Date,
): Promise<void> {
  const events = groups.map(({ group_id, group_name }): NewEvent => {
    const changes = valueChanges<{ group_name?: string }>({ group_name }, {}, ['group_name']);
    const targets: Target[] = [{ type: 'group', id: group_id, name: group_name }];
    return { type: 'group.deleted', targets, changes, cause };
  });
  await recordEvents(db, events, now);
}

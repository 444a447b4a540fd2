import type { Kysely } from 'kysely';
import type { Database } from '../database/tables.ts';
import { listChanged, type NewEvent, recordEvents, valueChanges } from '../event/record.ts';
import type { ListDifference } from '../shared/list-change.ts';
import type { Membership, NewGroup } from './group.queries.ts';

/** The cause of the events that follow from an event of a group; none where nothing was recorded. */
interface Caused {
  readonly cause?: NonNullable<NewEvent['cause']>;
}

/** The fields of a group in events, without its members. */
export interface GroupValues {
  readonly group_name: string;
  readonly description: string;
  readonly authorized_to_login: boolean | null;
  readonly owner_id: number | null;
}

function told({ owner_id, ...values }: Omit<GroupValues, 'group_name'> & { readonly group_name?: string }) {
  return { ...values, owner: owner_id };
}

const FIELDS = ['group_name', 'description', 'authorized_to_login', 'owner'] as const;

function targetsOf(group_id: string, group_name: string) {
  return [{ type: 'group' as const, id: group_id, name: group_name }];
}

/** Records a new group, with its owner as only member. */
export async function recordGroupCreated(db: Kysely<Database>, group: NewGroup, now: Date): Promise<void> {
  const { group_id, group_name, description, owner_id } = group;
  const targets = targetsOf(group_id, group_name);
  const values = told({ group_name, description, authorized_to_login: null, owner_id });
  const changes = valueChanges({}, values, FIELDS);
  const [event_id = ''] = await recordEvents(db, [{ type: 'group.created', targets, changes }], now);
  const event = { type: 'group.members_changed', targets, cause: { event_id } } as const;
  await recordEvents(db, listChanged(event, 'members', { added: [owner_id], removed: [] }), now);
}

export async function recordGroupUpdated(
  db: Kysely<Database>,
  groupId: string,
  before: GroupValues,
  after: Omit<GroupValues, 'group_name'>,
  members: ListDifference<number>,
  now: Date,
): Promise<Caused> {
  const targets = targetsOf(groupId, before.group_name);
  const { group_name } = before;
  const changes = valueChanges(told(before), told({ group_name, ...after }), FIELDS);
  const [event_id] = await recordEvents(
    db,
    [
      ...(changes.length > 0 ? [{ type: 'group.updated' as const, targets, changes }] : []),
      ...listChanged({ type: 'group.members_changed', targets }, 'members', members),
    ],
    now,
  );
  return event_id === undefined ? {} : { cause: { event_id } };
}

/** Records a deletion. The members' leaving is recorded first, for readers that follow memberships only. */
export async function recordGroupDeleted(
  db: Kysely<Database>,
  groupId: string,
  before: GroupValues,
  members: Iterable<number>,
  now: Date,
): Promise<Required<Caused>> {
  const targets = targetsOf(groupId, before.group_name);
  const changes = valueChanges<Partial<ReturnType<typeof told>>>(told(before), {}, FIELDS);
  const left = { added: [], removed: [...members] };
  const ids = await recordEvents(
    db,
    [
      ...listChanged({ type: 'group.members_changed', targets }, 'members', left),
      { type: 'group.deleted', targets, changes },
    ],
    now,
  );
  return { cause: { event_id: ids.at(-1) ?? '' } };
}

/**
 * The events of characters that left all their groups at once; groups that they owned have no owner now.
 *
 * @param causeOf the event by which a character left
 */
export function departureEvents(
  memberships: readonly Membership[],
  causeOf: (characterId: number) => NewEvent['cause'],
): NewEvent[] {
  return memberships.flatMap(({ group_id, group_name, character_id, is_owner }) => {
    const cause = causeOf(character_id);
    const event = { targets: targetsOf(group_id, group_name), ...(cause && { cause }) };
    const owner = { field: 'owner', before: character_id, after: null };
    const members = { added: [], removed: [character_id] };
    return [
      ...(is_owner ? [{ ...event, type: 'group.updated' as const, changes: [owner] }] : []),
      ...listChanged({ ...event, type: 'group.members_changed' }, 'members', members),
    ];
  });
}

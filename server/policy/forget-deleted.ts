import type { Transaction } from 'kysely';
import type { GroupPolicy } from '../../contract/policy.ts';
import type { Database } from '../database/tables.ts';
import { type NewEvent, recordEvents, valueChanges } from '../event/record.ts';
import { endedEvent } from './apply-judgement.ts';
import { endApplications } from './pending.queries.ts';
import { lockNaming, type PolicyOf, storeNamed } from './policy.queries.ts';

/** Ids of deleted records. */
interface Gone {
  readonly coalitions: readonly string[];
  readonly groups: readonly string[];
}

/** Events contain a policy as JSON text. */
export function toldPolicy(policy: GroupPolicy): { readonly policy: string } {
  return { policy: JSON.stringify(policy) };
}

/**
 * Removes deleted coalitions and groups from the policies that name them, and records that. Call it after the deletion,
 * when no concurrent transaction can store a policy that names them any more.
 *
 * @param cause the event of the deletion
 */
export async function forgetDeleted(
  tx: Transaction<Database>,
  gone: Gone,
  cause: NewEvent['cause'],
  now: Date,
): Promise<void> {
  const before = await lockNaming(tx, gone);
  if (before.length === 0) return;
  const after = before.map((one): PolicyOf => ({ ...one, policy: without(one.policy, gone) }));
  await storeNamed(tx, after);
  const updates = before.map(({ group_id, group_name, policy }, n): NewEvent => {
    const targets = [{ type: 'group' as const, id: group_id, name: group_name }];
    const next = (after[n] as PolicyOf).policy;
    const closes = next.joining !== policy.joining;
    return {
      type: 'group.updated',
      targets,
      changes: valueChanges(toldPolicy(policy), toldPolicy(next), ['policy']),
      reason: closes ? 'joining is closed: what limited it was deleted' : null,
      ...(cause && { cause }),
    };
  });
  const ids = await recordEvents(tx, updates, now);
  const causes = new Map(before.map(({ group_id }, n) => [group_id, { event_id: ids[n] ?? '' }]));
  const ended = await endApplications(tx, now, { groupIds: [...causes.keys()] });
  await recordEvents(
    tx,
    ended.map((one) => endedEvent(one, causes.get(one.group_id))),
    now,
  );
}

/**
 * The policy without deleted coalitions and groups. Joining is closed where the change would let users in who could not
 * join before: when an alternative list of conditions becomes empty, or an excluded group is gone (D110).
 */
function without(policy: GroupPolicy, gone: Gone): GroupPolicy {
  const { joining, eligible, moderators } = policy;
  const left = (ids: readonly string[], lost: readonly string[]) => ids.filter((id) => !lost.includes(id));
  const next = {
    ...eligible,
    coalitions: left(eligible.coalitions, gone.coalitions),
    groups_any: left(eligible.groups_any, gone.groups),
    groups_none: left(eligible.groups_none, gone.groups),
  };
  const opens =
    (organizationsOf(eligible) > 0 && organizationsOf(next) === 0) ||
    (eligible.groups_any.length > 0 && next.groups_any.length === 0) ||
    eligible.groups_none.length > next.groups_none.length;
  return {
    ...policy,
    joining: opens ? 'closed' : joining,
    eligible: next,
    moderators: { ...moderators, groups: left(moderators.groups, gone.groups) },
  };
}

function organizationsOf({ alliances, corporations, coalitions }: GroupPolicy['eligible']): number {
  return alliances.length + corporations.length + coalitions.length;
}

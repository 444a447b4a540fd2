import { isDeepStrictEqual } from 'node:util';
import type { Transaction } from 'kysely';
import type { GroupPolicy, PutGroupPolicy } from '../../contract/policy.ts';
import { answersFor } from '../access/account.ts';
import { type Admission, readmit } from '../access/admission.ts';
import type { Caller } from '../access/caller.queries.ts';
import { ADMINISTRATOR_LEVEL, isAdministrator } from '../access/clearance-levels.ts';
import type { Database } from '../database/tables.ts';
import { undone } from '../database/transaction.ts';
import { type NewEvent, recordEvents, valueChanges } from '../event/record.ts';
import { lockGroup } from '../group/group.queries.ts';
import { autogroup, requireOwner } from '../group/group.ts';
import { inLineOfGroup } from '../group/in-line.ts';
import { applyJudgement } from '../policy/apply-judgement.ts';
import { toldPolicy } from '../policy/forget-deleted.ts';
import { type Departure, type Judgement, judgeMembers, rememberEligible } from '../policy/judge.queries.ts';
import { endApplications } from '../policy/pending.queries.ts';
import {
  CLOSED,
  findPolicy,
  findUnknown,
  lockModerators,
  lockPolicy,
  storePolicy,
} from '../policy/policy.queries.ts';
import type { Services } from '../services/services.ts';
import { DomainError, forbidden, notFound, notFoundAmong } from '../shared/domain-error.ts';
import { changedStandings, LOGIN, recordStandings } from '../standing/standing-events.ts';

/** The policy of a group; 404 when the group does not exist or the caller may not see its policy. */
export async function getPolicy(
  { db }: Pick<Services, 'db'>,
  caller: Caller,
  groupId: string,
): Promise<GroupPolicy> {
  const found = await findPolicy(db, groupId, answersFor(caller));
  if (found === undefined) throw notFound('group', groupId);
  if (!found.may_see && !isAdministrator(caller.level)) throw notFound('policy of group', groupId);
  return found.policy ?? CLOSED;
}

/**
 * Sets the policy of a group (D110). Its owner and level 9 may do so, but level 9 alone if the group sets
 * `authorized_to_login`, because membership then decides who may log in, or if the policy's reach is `person`, because
 * the list of members then reveals who belongs to whose person (D100). Applicants are judged at once, and members where
 * it changes what is asked of them; a rehearsal shows the effect after the grace of every member, without those who
 * would leave by the policy before, too (D121).
 */
export async function setPolicy(
  services: Pick<Services, 'db' | 'lines' | 'clock' | 'queue' | 'touches'>,
  admission: Admission,
  groupId: string,
  body: PutGroupPolicy,
): Promise<GroupPolicy> {
  const { db, clock, touches } = services;
  await requireOwner({ db }, admission.caller, groupId);
  return inLineOfGroup(groupId, services, admission, async (tx) => {
    const group = await lockGroup(tx, groupId);
    const caller = await readmit(tx, admission);
    await requireOwner({ db: tx }, caller, groupId);
    if (group === undefined) throw notFound('group', groupId);
    if (group.is_autogroup) throw autogroup('its members');
    if (group.authorized_to_login !== null) {
      requireAdministrator(caller, 'setting the policy of a group whose authorized_to_login is set');
    }
    await lockModerators(tx, body.moderators?.users ?? []);
    const stored = await lockPolicy(tx, groupId);
    const before = stored?.policy ?? CLOSED;
    // One that is not in force counts as closed, and is shown so: only who says so opens it.
    const after = changed({ ...before, joining: stored?.joining ?? before.joining }, body);
    if ([before, after].some(({ reach }) => reach === 'person')) {
      requireAdministrator(caller, 'setting a policy whose reach is person');
    }
    // Checks the given ids alone: stored ones may have been deleted since, which is not the caller's fault.
    await requireKnown(tx, groupId, {
      eligible: body.eligible == null ? CLOSED.eligible : after.eligible,
      moderators: body.moderators == null ? CLOSED.moderators : after.moderators,
    });
    const rehearsed = await touches(tx, { groups: [groupId] });
    const now = clock.now();
    // Else who ceased to be eligible before would count as put out by the change, and pass the guard (D63).
    const sameForMembers =
      stored?.in_force === true && isDeepStrictEqual(askedOfMembers(before), askedOfMembers(after));
    const judged = async (except: readonly Departure[]) =>
      sameForMembers ? NOBODY : judgeMembers(tx, now, { groupId, graceOver: rehearsed, except });
    const anyway = rehearsed ? await undone(tx, () => judged([])) : undefined;
    await rememberEligible(tx, groupId);
    const byAdministrator = isAdministrator(caller.level);
    // A later time is that of a clock that was ahead.
    const asked = sameForMembers && stored.updated_on < now ? stored.updated_on : now;
    await storePolicy(tx, groupId, after, byAdministrator, asked);
    const { departures, standings } = await judged(anyway?.departures ?? []);
    const ended = await endApplications(tx, now, { groupIds: [groupId] });
    const targets = [{ type: 'group' as const, id: groupId, name: group.group_name }];
    const changes = valueChanges(
      { ...toldPolicy(before), by_administrator: stored?.by_administrator ?? false },
      { ...toldPolicy(after), by_administrator: byAdministrator },
      ['policy', 'by_administrator'],
    );
    const updated: NewEvent[] = changes.length > 0 ? [{ type: 'group.updated', targets, changes }] : [];
    const [event_id] = await recordEvents(tx, updated, now);
    const because = event_id === undefined ? {} : { cause: { event_id } };
    await applyJudgement(services, tx, { departures, ended, ...because }, now);
    // Who stays gains and loses nothing here: a login that changes meanwhile is told by whoever changes it (D91).
    await recordStandings(tx, await changedStandings(tx, standings, {}, LOGIN), now, because);
    return after;
  });
}

const NOBODY: Judgement = { judged: 0, departures: [], standings: new Map() };

/** What decides who leaves by a policy in force, and when. */
function askedOfMembers({ eligible, reach, grace_hours }: GroupPolicy) {
  return { eligible, reach, grace_hours };
}

function requireAdministrator({ level }: Caller, to: string): void {
  if (isAdministrator(level)) return;
  throw forbidden({ level: ADMINISTRATOR_LEVEL, has: level, to });
}

/** The policy after a change: absent fields stay, conditions and moderators are each replaced as a whole. */
function changed(before: GroupPolicy, body: PutGroupPolicy): GroupPolicy {
  const { eligible, moderators, ...values } = body;
  const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value != null));
  return {
    ...before,
    ...(given as Partial<GroupPolicy>),
    eligible:
      eligible == null
        ? before.eligible
        : {
            alliances: each(eligible.alliances),
            corporations: each(eligible.corporations),
            coalitions: each(eligible.coalitions),
            groups_any: each(eligible.groups_any),
            groups_none: each(eligible.groups_none),
            min_level: eligible.min_level ?? CLOSED.eligible.min_level,
          },
    moderators:
      moderators == null
        ? before.moderators
        : { users: each(moderators.users), groups: each(moderators.groups) },
  };
}

function each<T extends number | string>(ids: readonly T[] | null | undefined): T[] {
  return [...new Set(ids ?? [])].sort((one, other) => (one < other ? -1 : 1));
}

async function requireKnown(
  tx: Transaction<Database>,
  groupId: string,
  policy: Pick<GroupPolicy, 'eligible' | 'moderators'>,
): Promise<void> {
  const { groups_any, groups_none } = policy.eligible;
  if ([...groups_any, ...groups_none].includes(groupId)) {
    throw new DomainError('invalid_request', [
      { loc: ['body', 'eligible'], msg: 'The group itself cannot be a condition', type: 'value_error' },
    ]);
  }
  const unknown = await findUnknown(tx, policy);
  const [first] = unknown;
  if (first === undefined) return;
  throw notFoundAmong(
    first.kind,
    unknown.filter(({ kind }) => kind === first.kind).map(({ id }) => id),
  );
}

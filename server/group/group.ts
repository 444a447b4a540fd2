import type { Kysely, Transaction } from 'kysely';
import type { Group, PostGroup, PutGroup } from '../../contract/group.ts';
import { type Admission, readmit } from '../access/admission.ts';
import type { Caller } from '../access/caller.queries.ts';
import { ADMINISTRATOR_LEVEL, isAdministrator, isBuiltIn } from '../access/clearance-levels.ts';
import { type JsonBytes, type JsonText, withField } from '../database/json-text.ts';
import { nameKey } from '../database/name-key.ts';
import { objectId } from '../database/object-id.ts';
import { sharedRead } from '../database/shared-read.ts';
import type { Database } from '../database/tables.ts';
import { inTransaction } from '../database/transaction.ts';
import { recordEvents } from '../event/record.ts';
import { endedEvent } from '../policy/apply-judgement.ts';
import { forgetDeleted } from '../policy/forget-deleted.ts';
import { endApplications, endApplicationsTo } from '../policy/pending.queries.ts';
import type { Services } from '../services/services.ts';
import { endUnwelcome } from '../session/end-sessions.ts';
import { DomainError, forbidden, notFound, notFoundAmong } from '../shared/domain-error.ts';
import {
  changeList,
  difference,
  isEmpty,
  type ListChange,
  type ListDifference,
  mentioned,
} from '../shared/list-change.ts';
import { readStandings } from '../standing/read-standings.queries.ts';
import { changedStandings, LOGIN, recordStandings } from '../standing/standing-events.ts';
import { lockGroupNames } from './autogroup.queries.ts';
import {
  changeMembers,
  deleteGroup,
  findGroup,
  findMemberIds,
  findOwner,
  findUsersNamed,
  type GroupRow,
  insertGroup,
  lockGroup,
  lockMembers,
  setGroup,
} from './group.queries.ts';
import { recordGroupCreated, recordGroupDeleted, recordGroupUpdated } from './group-events.ts';
import { inLineOfGroup } from './in-line.ts';

/** A group; concurrent callers share one statement and its bytes. */
export const getGroup = sharedRead(
  async (db, groupId: string): Promise<JsonBytes<Group>> => Buffer.from(await wholeGroup(db, groupId)),
);

async function wholeGroup(db: Kysely<Database>, groupId: string): Promise<JsonText<Group>> {
  const row = await findGroup(db, groupId);
  if (row === undefined) throw notFound('group', groupId);
  const { members, created_on, updated_on, ...values } = row;
  const dates = { created_on: created_on.toISOString(), updated_on: updated_on.toISOString() };
  return withField({ ...values, ...dates }, 'members', members);
}

/**
 * Creates a group with the caller as owner and only member (Group rule 1); 409 when the name is taken, also by an
 * autogroup.
 */
export async function createGroup(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  admission: Admission,
  { group_name, description }: PostGroup,
): Promise<JsonText<Group>> {
  const now = clock.now();
  const group_id = objectId(now);
  const group = {
    group_id,
    group_name,
    name_key: nameKey(group_name),
    description,
    owner_id: admission.caller.owner_id,
  };
  return inTransaction(db, async (tx) => {
    await readmit(tx, admission);
    await lockGroupNames(tx);
    await insertGroup(tx, group, now);
    await recordGroupCreated(tx, group, now);
    return wholeGroup(tx, group_id);
  });
}

/**
 * Applies an update atomically; updates of one group run one after another. The caller's right is checked twice: before
 * the lock, so that others cannot hold it up, and again under the lock.
 */
export async function updateGroup(
  services: Pick<Services, 'db' | 'lines' | 'clock' | 'queue' | 'touches'>,
  admission: Admission,
  groupId: string,
  body: PutGroup,
): Promise<JsonText<Group>> {
  const { db, clock } = services;
  await requireOwner({ db }, admission.caller, groupId);
  return inLineOfGroup(groupId, services, admission, async (tx) => {
    const before = await lockGroup(tx, groupId);
    await requireOwner({ db: tx }, await readmit(tx, admission), groupId);
    if (before === undefined) throw notFound('group', groupId);
    const votes = body.authorized_to_login != null || before.authorized_to_login !== null;
    const asked = { add: body.add_members, replace: body.members, remove: body.remove_members };
    const isForPeople = changesPeople(asked, body.owner);
    if (before.is_autogroup && isForPeople) throw autogroup('its members and owner');
    const people = await resolve({ db: tx }, groupId, asked, body.owner);
    const owner_id = people.owner ?? before.owner_id;
    if (owner_id !== null && owner_id !== before.owner_id) await lockMembers(tx, groupId, [owner_id]);
    const { added, removed } = isForPeople
      ? await memberDifference(tx, groupId, people.list, owner_id)
      : { added: [], removed: [] };
    // Who left meanwhile is told of by others.
    const change = { added, removed: await lockMembers(tx, groupId, removed) };
    const now = clock.now();
    const after = {
      authorized_to_login: body.authorized_to_login ?? before.authorized_to_login,
      description: body.description ?? before.description,
      owner_id,
    };
    await services.touches(tx, { groups: [groupId], users: change.added });
    const same = before.authorized_to_login === after.authorized_to_login;
    // A login that changes meanwhile for somebody else is told by whoever changes it (D91).
    const concerned = same
      ? { users: [...change.added, ...change.removed] }
      : { groups: [groupId], users: change.added };
    const standings = await readStandings(tx, votes ? concerned : {});
    // Members are added first, because a foreign key requires the owner to be a member, and removed last, when a former
    // owner is no longer the owner.
    await changeMembers(tx, groupId, { added: change.added, removed: [] });
    if (!isEmpty(change) || !sameValues(before, after)) {
      await setGroup(tx, groupId, { ...after, updated_on: now });
    }
    await changeMembers(tx, groupId, { added: [], removed: change.removed });
    const because = await recordGroupUpdated(tx, groupId, before, after, change, now);
    await recordStandings(tx, await changedStandings(tx, standings, {}, LOGIN), now, because);
    if (!same || change.added.length > 0) {
      const ended = await endApplications(tx, now, { groupIds: [groupId] });
      const events = ended.map((one) => endedEvent(one, because.cause));
      await recordEvents(tx, events, now);
    }
    const touched = { users: [...change.added, ...change.removed] };
    await endUnwelcome(services, tx, same ? touched : { ...touched, groups: [groupId] });
    return wholeGroup(tx, groupId);
  });
}

/**
 * Throws a 403 below level 9 for groups that the caller does not own, whether they exist or not (D6). Groups of the
 * built-in user count as its own only for tokens with the full level: the token of a demoted sponsor does not reach
 * them (D23).
 */
export async function requireOwner(
  { db }: Pick<Services, 'db'>,
  caller: Caller,
  groupId: string,
): Promise<void> {
  const { owner_id, level } = caller;
  if (isAdministrator(level)) return;
  if (!isBuiltIn(owner_id) && (await findOwner(db, groupId)) === owner_id) return;
  throw forbidden({ level: ADMINISTRATOR_LEVEL, has: level, to: "changing somebody else's group" });
}

/** How the members change: the owner is one afterwards, whatever was removed (Group rule 3). */
async function memberDifference(
  tx: Transaction<Database>,
  groupId: string,
  list: ListChange<number>,
  ownerId: number | null,
): Promise<ListDifference<number>> {
  const members = await findMemberIds(tx, groupId);
  const next = changeList(members, list);
  if (ownerId !== null) next.add(ownerId);
  return difference(members, next);
}

function changesPeople({ add, replace, remove }: ListChange<string>, owner: string | null | undefined) {
  return [add, replace, remove, owner].some((value) => value != null);
}

export function autogroup(what: string): DomainError {
  return new DomainError('autogroup_kept', `This is an autogroup: the service itself keeps ${what}.`);
}

/**
 * Resolves names to ids; all must exist (Group rule 4). Who is to be removed is looked for among the members first, as
 * they are after the additions and the new owner (Group rule 3): a namesake seen later, who is none, is not meant.
 */
async function resolve(
  { db }: Pick<Services, 'db'>,
  groupId: string,
  asked: ListChange<string>,
  owner: string | null | undefined,
): Promise<{ list: ListChange<number>; owner: number | undefined }> {
  const names = mentioned(asked);
  if (owner != null) names.add(owner);
  const { users, members } = await findUsersNamed(db, groupId, names);
  const missing = [...names].filter((name) => !users.has(name));
  if (missing.length > 0) throw notFoundAmong('user', missing);
  const ids = (list: readonly string[] | null | undefined) => list?.map((name) => users.get(name) as number);
  const joining = new Set([...(asked.add ?? []), owner]);
  const leaving = (name: string) => (joining.has(name) ? undefined : members.get(name));
  const remove = asked.remove?.map((name) => leaving(name) ?? (users.get(name) as number));
  return {
    list: { add: ids(asked.add), replace: ids(asked.replace), remove },
    owner: owner == null ? undefined : users.get(owner),
  };
}

type Values = Pick<GroupRow, 'authorized_to_login' | 'description'> & { readonly owner_id: number | null };

function sameValues(one: Values, other: Values): boolean {
  return (
    one.authorized_to_login === other.authorized_to_login &&
    one.description === other.description &&
    one.owner_id === other.owner_id
  );
}

export async function removeGroup(
  services: Pick<Services, 'db' | 'lines' | 'clock' | 'queue' | 'touches'>,
  admission: Admission,
  groupId: string,
): Promise<void> {
  await inLineOfGroup(groupId, services, admission, async (tx) => {
    const group = await lockGroup(tx, groupId);
    const now = services.clock.now();
    await readmit(tx, admission);
    if (group === undefined) throw notFound('group', groupId);
    if (group.is_autogroup) throw autogroup('it, and it cannot be deleted');
    await services.touches(tx, { groups: [groupId] });
    const members = await lockMembers(tx, groupId);
    // A group without a setting gives and takes no login.
    const votes = group.authorized_to_login !== null;
    const standings = await readStandings(tx, votes ? { groups: [groupId] } : {});
    await deleteGroup(tx, groupId);
    const { cause } = await recordGroupDeleted(tx, groupId, group, members, now);
    const ended = await endApplicationsTo(tx, groupId, now);
    const events = ended.map((one) => endedEvent(one, cause));
    await recordEvents(tx, events, now);
    await recordStandings(tx, await changedStandings(tx, standings, {}, LOGIN), now, { cause });
    await forgetDeleted(tx, { coalitions: [], groups: [groupId] }, cause, now);
    await endUnwelcome(services, tx, { users: members });
  });
}

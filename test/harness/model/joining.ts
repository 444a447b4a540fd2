import { asksSomething, counts, isEligible, maySee, moderates, remember, shownOf } from './eligibility.ts';
import { type Expected, is } from './expected.ts';
import type { PeopleCommand, PolicyChange } from './people-commands.ts';
import { charactersOf, chooseMain, link, merge, split, unlink } from './persons.ts';
import {
  CHARACTERS,
  type ModelApplication,
  type ModelGroup,
  type ModelPolicy,
  type ModelUser,
  ownerOf,
  type World,
} from './world.ts';

const HOUR = 3_600;
const DAY = 24 * HOUR;

/** The policy of a group for which none was set. */
export const CLOSED: ModelPolicy = {
  ...{ joining: 'closed', visible_to: 'everyone', reach: 'character', questions: [] },
  ...{ grace_hours: 24, reapply_hours: 24, expire_days: 30, ofAdministrator: false },
  eligible: {
    alliances: [],
    corporations: [],
    coalitions: [],
    groups_any: [],
    groups_none: [],
    min_level: 0,
  },
  moderators: { users: new Set(), groups: [] },
};

interface How {
  /** The id for an application that is created. */
  readonly newId: string;
  /** Whether to treat every grace as over. */
  readonly rehearsed: boolean;
}

export function applyToPeople(
  world: World,
  by: ModelUser,
  command: PeopleCommand,
  how: How,
): Expected | undefined {
  if (by.level < 0) return is(403);
  switch (command.do) {
    case 'link':
      return link(world, by, command.character);
    case 'unlink':
      return unlink(world, by, command.character);
    case 'choose main':
      return chooseMain(world, by, command.character);
    case 'merge':
      return by.level < 9 ? is(403) : merge(world, command);
    case 'split':
      return by.level < 9 ? is(403) : split(world, command);
    case 'set policy':
      return setPolicy(world, by, world.groups[command.which], command.body, how);
    case 'join':
      return join(world, by, world.groups[command.which], command.answers, how);
    case 'decide':
      return decide(world, by, world.applications[command.application], command.decision);
    case 'withdraw':
      return withdraw(world, by, world.applications[command.application]);
    case 'leave':
      return leave(by, world.groups[command.which]);
  }
}

/** The state that everybody sees: what had its time is expired, whether or not somebody said so. */
export const stateOf = (world: World, { state, expires }: ModelApplication) =>
  state === 'pending' && expires <= world.time ? 'expired' : state;

const isPending = (world: World, application: ModelApplication) => stateOf(world, application) === 'pending';

/** Whether this user may join the group, or apply to it, now. */
function mayJoin(world: World, user: ModelUser, group: ModelGroup, policy: ModelPolicy): boolean {
  const { id, proven = Number.NEGATIVE_INFINITY } = user;
  const own = world.applications.filter(
    (one) => one.group === group && one.character === id && one.made >= proven,
  );
  return (
    user.id !== 0 &&
    policy.joining !== 'closed' &&
    counts(group) &&
    !group.members.has(user.id) &&
    isEligible(world, user, policy) &&
    !own.some((one) => isPending(world, one)) &&
    !own.some(
      ({ state, decided = 0 }) => state === 'rejected' && decided + policy.reapply_hours * HOUR > world.time,
    )
  );
}

/** The groups listed as joinable for a user, and whether it may join them. */
export function joinableBy(
  world: World,
  user: ModelUser,
): { readonly group: ModelGroup; readonly may: boolean }[] {
  return world.groups.flatMap((group) => {
    const { policy } = group;
    if (policy === null || policy.joining === 'closed' || !counts(group)) return [];
    return maySee(world, user, group, policy) ? [{ group, may: mayJoin(world, user, group, policy) }] : [];
  });
}

// Changes (D110, D111) --------------------------------------------------------------------------------

function setPolicy(
  world: World,
  by: ModelUser,
  group: ModelGroup | undefined,
  body: PolicyChange,
  { rehearsed }: How,
): Expected {
  if (by.level < 9 && (group === undefined || ownerOf(world, group)?.id !== by.id)) return is(403);
  if (group === undefined) return is(404);
  if (group.of !== undefined) return is(409);
  if (group.letsIn !== null && by.level < 9) return is(403);
  const before = shownOf(group) ?? CLOSED;
  if ([before.reach, body.reach].includes('person') && by.level < 9) return is(403);
  const { eligible = {}, moderators = {} } = body;
  const groupsAt = (places: readonly number[] = []) =>
    [...new Set(places)].map((place) => world.groups[place]);
  const [any, none] = [groupsAt(eligible.groups_any), groupsAt(eligible.groups_none)];
  if ([...any, ...none].includes(group)) return is(422);
  const coalitions = (eligible.coalitions ?? []).map((place) => world.coalitions[place]?.id);
  const users = (moderators.users ?? []).map((place) => world.users.get(CHARACTERS[place]?.id ?? -1)?.id);
  const groups = groupsAt(moderators.groups);
  if ([...any, ...none, ...coalitions, ...users, ...groups].includes(undefined)) return is(404);
  const tried = rehearsed ? structuredClone(world) : undefined;
  // Who leaves anyway does not leave because of this.
  const anyway = tried && judge(tried, [tried.groups[world.groups.indexOf(group)] as ModelGroup], true);
  remember(world, group, group.members);
  const former = group.policy !== null && counts(group) ? askedOfMembers(group.policy) : undefined;
  group.policy = {
    ...before,
    ...body,
    eligible:
      body.eligible === undefined
        ? before.eligible
        : {
            alliances: eligible.alliances ?? [],
            corporations: eligible.corporations ?? [],
            coalitions: coalitions as string[],
            groups_any: any as ModelGroup[],
            groups_none: none as ModelGroup[],
            min_level: eligible.min_level ?? 0,
          },
    moderators:
      body.moderators === undefined
        ? before.moderators
        : { users: new Set(users as number[]), groups: groups as ModelGroup[] },
    ofAdministrator: by.level >= 9,
  };
  if (askedOfMembers(group.policy) !== former) judge(world, [group], rehearsed, anyway);
  endApplications(world, [group]);
  return is(200);
}

/** What decides who leaves, as text: equal for equal demands. */
function askedOfMembers({ eligible, reach, grace_hours }: ModelPolicy): string {
  const { alliances, corporations, coalitions, groups_any, groups_none, min_level } = eligible;
  const named = [groups_any, groups_none].map((groups) => groups.map(({ name }) => name));
  const lists = [alliances, corporations, coalitions, ...named];
  const sets = lists.map((ids) => [...new Set<unknown>(ids)].sort());
  return JSON.stringify([reach, grace_hours, min_level, sets]);
}

function join(
  world: World,
  by: ModelUser,
  group: ModelGroup | undefined,
  answers: readonly string[],
  { newId }: How,
): Expected {
  if (group === undefined) return is(404);
  const { policy } = group;
  if (by.id === 0) return is(403);
  if (policy === null || !maySee(world, by, group, policy)) return is(409);
  if (!mayJoin(world, by, group, policy)) return is(409);
  if (answers.length !== policy.questions.length) return is(422);
  const open = policy.joining === 'open';
  const application: ModelApplication = {
    ...{
      id: newId,
      group,
      character: by.id,
      made: world.time,
      expires: world.time + policy.expire_days * DAY,
    },
    state: open ? 'approved' : 'pending',
  };
  for (const former of world.applications) {
    if (former.group === group && former.character === by.id && former.state === 'pending')
      former.state = 'expired';
  }
  world.applications.push(application);
  if (open) {
    group.members.add(by.id);
    group.wasEligible.add(by.id);
  }
  return { status: 200, application };
}

function decide(
  world: World,
  by: ModelUser,
  application: ModelApplication | undefined,
  decision: 'approved' | 'rejected',
): Expected {
  if (application === undefined) return is(by.level < 9 ? 403 : 404);
  const { group, character } = application;
  if (charactersOf(world, by.id).includes(character) || !moderates(world, by, group)) return is(403);
  if (!isPending(world, application)) return is(409);
  if (decision === 'approved') {
    const { policy } = group;
    if (policy?.joining !== 'application' || !counts(group)) return is(409);
    if (!isEligible(world, world.users.get(character) as ModelUser, policy)) return is(409);
    if (group.members.has(character)) return is(409);
    group.members.add(character);
    group.wasEligible.add(character);
  }
  Object.assign(application, { state: decision, decided: world.time });
  return { status: 200, application };
}

function withdraw(world: World, by: ModelUser, application: ModelApplication | undefined): Expected {
  if (application?.character !== by.id) return is(404);
  if (!isPending(world, application)) return is(409);
  application.state = 'withdrawn';
  return is(200);
}

function leave(by: ModelUser, group: ModelGroup | undefined): Expected {
  if (group === undefined) return is(404);
  if (group.of !== undefined || group.owner === by.id) return is(409);
  if (!group.members.delete(by.id)) return is(404);
  group.ineligible.delete(by.id);
  group.wasEligible.delete(by.id);
  return is(200);
}

/** A member, and the name of the group. */
type Member = `${string}: ${number}`;

/**
 * Judges all members of these groups at once; the owner stays, and who never was eligible, and everybody where nothing is
 * asked (D110). Returns who leaves.
 *
 * @param except who stays in any case
 */
export function judge(
  world: World,
  groups: readonly ModelGroup[],
  graceOver: boolean,
  except: readonly Member[] = [],
): Member[] {
  const judged = groups.flatMap((group) => {
    const { name, policy, owner, members, wasEligible } = group;
    if (policy === null || !counts(group)) return [];
    const others = [...members].filter((id) => id !== owner && !except.includes(`${name}: ${id}`));
    return others.map((id) => {
      const since = group.ineligible.get(id) ?? world.time;
      const over = graceOver || since + policy.grace_hours * HOUR <= world.time;
      const eligible = isEligible(world, world.users.get(id) as ModelUser, policy);
      const stays = eligible || !asksSomething(policy) || !wasEligible.has(id);
      return { group, id, since, over, eligible, stays };
    });
  });
  for (const { group, id, since, over, eligible, stays } of judged) {
    if (eligible) group.wasEligible.add(id);
    if (stays || over) group.ineligible.delete(id);
    else group.ineligible.set(id, since);
    if (stays || !over) continue;
    group.members.delete(id);
    group.wasEligible.delete(id);
  }
  return judged.flatMap(({ group, id, over, stays }) =>
    stays || !over ? [] : [`${group.name}: ${id}` as const],
  );
}

/** Judges everybody until nobody leaves any more. */
export function judgeToTheEnd(world: World, except: readonly Member[] = []): Member[] {
  const left = judge(world, world.groups, false, except);
  return left.length === 0 ? left : [...left, ...judgeToTheEnd(world, except)];
}

/** Ends applications that have expired or whose applicant can no longer join (D111). */
export function endApplications(world: World, groups: readonly ModelGroup[]): void {
  for (const application of world.applications) {
    const { group, character, state, expires } = application;
    if (state !== 'pending' || !groups.includes(group)) continue;
    if (expires <= world.time) application.state = 'expired';
    else if (
      group.policy?.joining !== 'application' ||
      !counts(group) ||
      group.members.has(character) ||
      !isEligible(world, world.users.get(character) as ModelUser, group.policy)
    )
      application.state = 'void';
  }
}

/** Ends a character's moderatorships and applications with the rights of its owner (D29b). */
export function forgetJoining(world: World, id: number): void {
  for (const group of world.groups) {
    if (group.policy === null) continue;
    const { moderators } = group.policy;
    const users = new Set([...moderators.users].filter((one) => one !== id));
    group.policy = { ...group.policy, moderators: { ...moderators, users } };
  }
  endAll(world, ({ character }) => character === id);
}

function endAll(world: World, which: (application: ModelApplication) => boolean): void {
  for (const application of world.applications) {
    if (application.state !== 'pending' || !which(application)) continue;
    application.state = isPending(world, application) ? 'void' : 'expired';
  }
}

/** What is deleted is named by no policy any more; who could not join before does not get in by that (D110, D111). */
export function forgetDeleted(
  world: World,
  gone: { readonly coalition?: string; readonly groups: readonly ModelGroup[] },
): void {
  endAll(world, ({ group }) => gone.groups.includes(group));
  const left = (groups: readonly ModelGroup[]) => groups.filter((one) => !gone.groups.includes(one));
  for (const group of world.groups) {
    const { policy } = group;
    if (policy === null) continue;
    const { eligible, moderators } = policy;
    const next = {
      ...eligible,
      coalitions: eligible.coalitions.filter((id) => id !== gone.coalition),
      groups_any: left(eligible.groups_any),
      groups_none: left(eligible.groups_none),
    };
    const groups = left(moderators.groups);
    const organizations = ({ alliances, corporations, coalitions }: ModelPolicy['eligible']) =>
      [...alliances, ...corporations, ...coalitions].length;
    const opens =
      next.groups_none.length < eligible.groups_none.length ||
      (next.groups_any.length === 0 && eligible.groups_any.length > 0) ||
      (organizations(next) === 0 && organizations(eligible) > 0);
    const names =
      opens ||
      organizations(next) < organizations(eligible) ||
      next.groups_any.length < eligible.groups_any.length ||
      groups.length < moderators.groups.length;
    if (!names) continue;
    const joining = opens ? 'closed' : policy.joining;
    group.policy = { ...policy, joining, eligible: next, moderators: { ...moderators, groups } };
    endApplications(world, [group]);
  }
}

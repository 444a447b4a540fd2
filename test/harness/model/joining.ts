import { type Expected, is } from './expected.ts';
import type { PeopleCommand, PolicyChange } from './people-commands.ts';
import { charactersOf, chooseMain, link, merge, split, unlink } from './persons.ts';
import {
  allianceOf,
  CHARACTERS,
  coalitionsOf,
  type ModelApplication,
  type ModelGroup,
  type ModelPolicy,
  type ModelUser,
  membersOf,
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

// Who may be a member, and who decides (D110) ---------------------------------------------------------------

const isIn = (world: World, user: ModelUser, groups: readonly ModelGroup[]) =>
  groups.some((group) => world.groups.includes(group) && membersOf(world, group).includes(user));

/** Whether this character meets all conditions except `groups_none`. */
function meets(world: World, user: ModelUser, { eligible }: ModelPolicy): boolean {
  const { alliances, corporations, coalitions, groups_any, min_level } = eligible;
  const alliance = allianceOf(world, user.corporation);
  const bodies = [...alliances, ...corporations, ...coalitions];
  const own = [
    user.corporation,
    alliance,
    ...coalitionsOf(world, user.corporation, alliance).map(({ id }) => id),
  ];
  return (
    user.level >= Math.max(0, min_level) &&
    (bodies.length === 0 || bodies.some((id) => own.includes(id))) &&
    (groups_any.length === 0 || isIn(world, user, groups_any))
  );
}

function isEligible(world: World, user: ModelUser, policy: ModelPolicy): boolean {
  const ids = policy.reach === 'person' ? charactersOf(world, user.id) : [user.id];
  const people = ids.map((id) => world.users.get(id) as ModelUser);
  return (
    user.level >= 0 &&
    people.some((one) => meets(world, one, policy)) &&
    !people.some((one) => isIn(world, one, policy.eligible.groups_none))
  );
}

/**
 * Whether a policy is in force: level 9 must have set it if the group sets `authorized_to_login` or the reach is
 * `person`.
 */
const counts = ({ letsIn, policy }: ModelGroup) =>
  (letsIn === null && policy?.reach !== 'person') || policy?.ofAdministrator === true;

export function moderates(world: World, user: ModelUser, { owner, policy }: ModelGroup): boolean {
  if (user.level >= 9 || owner === user.id) return true;
  if (user.level < 0 || policy === null) return false;
  return policy.moderators.users.has(user.id) || isIn(world, user, policy.moderators.groups);
}

function maySee(world: World, user: ModelUser, group: ModelGroup, policy: ModelPolicy): boolean {
  return (
    policy.visible_to === 'everyone' ||
    group.members.has(user.id) ||
    moderates(world, user, group) ||
    (policy.visible_to === 'eligible' && isEligible(world, user, policy))
  );
}

const isPending = (world: World, { state, expires }: ModelApplication) =>
  state === 'pending' && expires > world.time;

/** Whether this user may join the group, or apply to it, now. */
function mayJoin(world: World, user: ModelUser, group: ModelGroup, policy: ModelPolicy): boolean {
  const own = world.applications.filter((one) => one.group === group && one.character === user.id);
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
  const before = group.policy ?? CLOSED;
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
  judge(world, [group], rehearsed);
  endApplications(world, [group]);
  return is(200);
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
  if (policy === null) return is(409);
  if (!maySee(world, by, group, policy)) return is(404);
  if (by.id === 0) return is(403);
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
  if (open) group.members.add(by.id);
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
  return is(200);
}

/** Judges all members of these groups; the owner stays (D110). */
export function judge(world: World, groups: readonly ModelGroup[], graceOver: boolean): void {
  const judged = groups.flatMap((group) => {
    const { policy, owner, members } = group;
    if (policy === null || !counts(group)) return [];
    const others = [...members].filter((id) => id !== owner);
    return others.map((id) => {
      const since = group.ineligible.get(id) ?? world.time;
      const over = graceOver || since + policy.grace_hours * HOUR <= world.time;
      return {
        group,
        id,
        since,
        over,
        eligible: isEligible(world, world.users.get(id) as ModelUser, policy),
      };
    });
  });
  for (const { group, id, since, over, eligible } of judged) {
    if (eligible || over) group.ineligible.delete(id);
    else group.ineligible.set(id, since);
    if (!eligible && over) group.members.delete(id);
  }
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
  for (const application of world.applications) {
    if (application.character === id && application.state === 'pending') application.state = 'void';
  }
}

import { charactersOf } from './persons.ts';
import {
  allianceOf,
  coalitionsOf,
  type ModelGroup,
  type ModelPolicy,
  type ModelUser,
  membersOf,
  type World,
} from './world.ts';

// Who may be a member, and who decides (D110).

const isIn = (world: World, user: ModelUser, groups: readonly ModelGroup[]) =>
  groups.some((group) => world.groups.includes(group) && membersOf(world, group).includes(user));

/** Does this character meet everything that is asked, but for the groups that one must not be in? */
function meets(world: World, user: ModelUser, { eligible }: ModelPolicy): boolean {
  const { alliances, corporations, coalitions, groups_any, min_level } = eligible;
  const alliance = allianceOf(world, user.corporation);
  const organizations = [...alliances, ...corporations, ...coalitions];
  const own = [
    user.corporation,
    alliance,
    ...coalitionsOf(world, user.corporation, alliance).map(({ id }) => id),
  ];
  return (
    user.level >= Math.max(0, min_level) &&
    (organizations.length === 0 || organizations.some((id) => own.includes(id))) &&
    (groups_any.length === 0 || isIn(world, user, groups_any))
  );
}

export function isEligible(world: World, user: ModelUser, policy: ModelPolicy): boolean {
  const ids = policy.reach === 'person' ? charactersOf(world, user.id) : [user.id];
  const people = ids.map((id) => world.users.get(id) as ModelUser);
  return (
    user.level >= 0 &&
    people.some((one) => meets(world, one, policy)) &&
    !people.some((one) => isIn(world, one, policy.eligible.groups_none))
  );
}

/** May this user be in the group? Where there is no policy, everybody but guests may. */
const isEligibleAtAll = (world: World, user: ModelUser, { policy }: ModelGroup) =>
  policy === null ? user.level >= 0 : isEligible(world, user, policy);

/** Remembers which of these members of a group are eligible: those may cease to be it (D110). */
export function remember(world: World, group: ModelGroup, ids: Iterable<number>): void {
  for (const id of ids) {
    if (isEligibleAtAll(world, world.users.get(id) as ModelUser, group)) group.wasEligible.add(id);
  }
}

/** Does the policy ask anything? */
export const asksSomething = ({ eligible: { min_level, ...named } }: ModelPolicy) =>
  min_level > 0 || Object.values(named).some((ids) => ids.length > 0);

/** A group with a login switch, and a policy that reaches persons, obey nobody below level 9. */
export const counts = ({ letsIn, policy }: ModelGroup) =>
  (letsIn === null && policy?.reach !== 'person') || policy?.ofAdministrator === true;

/** The policy that is shown, and from which a change begins: one that does not count is closed. */
export const shownOf = (group: ModelGroup): ModelPolicy | null =>
  group.policy && (counts(group) ? group.policy : { ...group.policy, joining: 'closed' });

export function moderates(world: World, user: ModelUser, group: ModelGroup): boolean {
  const { owner, policy } = group;
  if (user.level >= 9) return true;
  if (!world.groups.includes(group)) return false;
  if (owner === user.id) return true;
  if (user.level < 0 || policy === null) return false;
  return policy.moderators.users.has(user.id) || isIn(world, user, policy.moderators.groups);
}

export function maySee(world: World, user: ModelUser, group: ModelGroup, policy: ModelPolicy): boolean {
  return (
    policy.visible_to === 'everyone' ||
    group.members.has(user.id) ||
    moderates(world, user, group) ||
    (policy.visible_to === 'eligible' && isEligible(world, user, policy))
  );
}

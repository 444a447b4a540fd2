import type { Coalition, Group, GroupPolicy, User } from '../../../sdk/src/index.ts';
import { CLOSED } from './joining.ts';
import {
  allianceOf,
  coalitionsOf,
  type ModelCoalition,
  type ModelGroup,
  type ModelPolicy,
  type ModelUser,
  membersOf,
  ownerOf,
  type World,
} from './world.ts';

interface Named {
  readonly id: string | number;
  readonly name: string;
}

/** Order by name ignoring case, then by id (D9). */
export function inListOrder<T extends Named>(list: readonly T[]): T[] {
  const order = (a: string | number, b: string | number) => (a < b ? -1 : a > b ? 1 : 0);
  return [...list].sort((a, b) => order(a.name.toLowerCase(), b.name.toLowerCase()) || order(a.id, b.id));
}

const short = ({ id, name }: ModelUser) => ({ character_id: id, character_name: name });

/** The record that the service should answer, without the fields that only the service knows. */
export function coalitionRecord(world: World, coalition: ModelCoalition): Partial<Coalition> {
  const alliances = [...coalition.alliances].map((id) => world.alliances.get(id) as Named & { id: number });
  const corporations = [...coalition.corporations].map(
    (id) => world.corporations.get(id) as Named & { id: number },
  );
  return {
    coalition_id: coalition.id,
    coalition_name: coalition.name,
    ticker: coalition.ticker,
    authorized_to_login: coalition.letsIn,
    mandatory_ext_scopes: [...coalition.scopes] as Coalition['mandatory_ext_scopes'],
    member_alliances: inListOrder(alliances).map(({ id, name }) => ({
      alliance_id: id,
      alliance_name: name,
    })),
    member_corporations: inListOrder(corporations).map(({ id, name }) => ({
      corporation_id: id,
      corporation_name: name,
    })),
  };
}

export function groupRecord(world: World, group: ModelGroup): Partial<Group> {
  const owner = ownerOf(world, group);
  return {
    group_name: group.name,
    description: group.description,
    authorized_to_login: group.letsIn,
    is_autogroup: group.of !== undefined,
    owner: owner === undefined ? null : short(owner),
    members: inListOrder(membersOf(world, group)).map(short),
  };
}

export function userRecord(world: World, user: ModelUser): Partial<User> {
  const alliance = allianceOf(world, user.corporation);
  const coalitions = coalitionsOf(world, user.corporation, alliance);
  const leads = user.level >= 0 && world.corporations.get(user.corporation ?? -1)?.ceo === user.id;
  const ticker = alliance !== null ? '[AL] ' : user.corporation !== null ? '[CO] ' : '';
  return {
    ...short(user),
    clearance_level: user.level,
    corporation: user.corporation === null ? null : String(user.corporation),
    alliance,
    coalitions: coalitions.map(({ id }) => id).sort(),
    cumulated_mandatory_ext_scopes: [
      ...new Set(coalitions.flatMap(({ scopes }) => scopes)),
    ].sort() as User['cumulated_mandatory_ext_scopes'],
    is_ceo_of_corporation: leads,
    is_ceo_of_alliance: leads && world.alliances.get(alliance ?? -1)?.executor === user.corporation,
    tickered_name: `${ticker}${user.name}`,
  };
}

/** The policy that the service should show. */
export function policyRecord(policy: ModelPolicy | null, idOf: (group: ModelGroup) => string): GroupPolicy {
  const { eligible, moderators, ofAdministrator: _, questions, ...values } = policy ?? CLOSED;
  const idsOf = (groups: readonly ModelGroup[]) => groups.map(idOf).sort();
  const numbers = (ids: Iterable<number>) => [...new Set(ids)].sort((a, b) => a - b);
  return {
    ...values,
    questions: [...questions],
    eligible: {
      alliances: numbers(eligible.alliances),
      corporations: numbers(eligible.corporations),
      coalitions: [...new Set(eligible.coalitions)].sort(),
      groups_any: idsOf(eligible.groups_any),
      groups_none: idsOf(eligible.groups_none),
      min_level: eligible.min_level,
    },
    moderators: { users: numbers(moderators.users), groups: idsOf(moderators.groups) },
  };
}

import type { CoalitionChange, Command, GroupChange } from './commands.ts';
import { remember } from './eligibility.ts';
import { type Expected, is } from './expected.ts';
import {
  applyToPeople,
  endApplications,
  forgetDeleted,
  forgetJoining,
  judge,
  judgeToTheEnd,
} from './joining.ts';
import { detach } from './persons.ts';
import { changesBetweenWorlds } from './previewed.ts';
import type { By } from './steps.ts';
import {
  bars,
  CHARACTERS,
  type ModelCoalition,
  type ModelGroup,
  type ModelUser,
  mayRaise,
  mayUpdate,
  mayUseTokens,
  mayWrite,
  nameAutogroups,
  newGroup,
  ownerOf,
  same,
  userNamed,
  type World,
} from './world.ts';

/** The character at an index of the list; it need not be a user. */
export const characterAt = (place: number) => CHARACTERS[place] as (typeof CHARACTERS)[number];

/** The caller of a command; undefined when the character is no user. */
export function caller(world: World, { by, do: what }: Command & { readonly by: By }): ModelUser | undefined {
  const user = world.users.get(by === 'root' ? 0 : characterAt(by).id);
  // Without a sign-in nobody has a token to apply with, and the first one would not end what was applied for before.
  return what === 'join' && user !== undefined && user.id !== 0 && user.proven === undefined
    ? undefined
    : user;
}

/**
 * Applies a command to the model; `newId` is the id that the service gives to a new coalition or application. Undefined
 * when the command is no request, or its caller is no user.
 */
export function apply(world: World, command: Command, newId: string): Expected | undefined {
  world.time += 1;
  if ('by' in command) return answer(world, command, newId);
  happen(world, command);
  return undefined;
}

/** @param rehearsed treats every grace as over */
function answer(
  world: World,
  command: Extract<Command, { readonly by: By }>,
  newId: string,
  rehearsed = false,
): Expected | undefined {
  const by = caller(world, command);
  if (by === undefined) return undefined;
  if (!mayUseTokens(world, by)) return is(401);
  switch (command.do) {
    case 'preview': {
      const tried = structuredClone(world);
      const expected = answer(tried, command.of, newId, true);
      if (expected?.status !== 200) return expected;
      // Who leaves anyway does not leave because of this.
      judgeToTheEnd(tried, judgeToTheEnd(structuredClone(world)));
      return { status: 200, changes: changesBetweenWorlds(world, tried) };
    }
    case 'create coalition': {
      if (by.level < 9) return is(403);
      if (world.coalitions.some((one) => same(one.name, command.name))) return is(409);
      const made = { name: command.name, ticker: 'NEW', letsIn: true, scopes: [] };
      world.coalitions.push({ ...made, id: newId, alliances: new Set(), corporations: new Set() });
      return { status: 201, coalition: world.coalitions.at(-1) as ModelCoalition };
    }
    case 'update coalition':
      return updateCoalition(world, by, world.coalitions[command.which], command.body);
    case 'delete coalition': {
      if (by.level < 9) return is(403);
      const doomed = world.coalitions[command.which];
      if (doomed === undefined) return is(404);
      world.coalitions = world.coalitions.filter((one) => one !== doomed);
      const groups = world.groups.filter(({ of }) => of?.id === doomed.id);
      world.groups = world.groups.filter((one) => !groups.includes(one));
      forgetDeleted(world, { coalition: doomed.id, groups });
      return is(200);
    }
    case 'create group': {
      if (by.level < 9) return is(403);
      if (world.groups.some((one) => same(one.name, command.name))) return is(409);
      const made = newGroup({ name: command.name, owner: by.id, members: new Set([by.id]) });
      remember(world, made, made.members);
      world.groups.push(made);
      return { status: 201, group: made };
    }
    case 'update group':
      return updateGroup(world, by, world.groups[command.which], command.body);
    case 'delete group': {
      if (by.level < 9) return is(403);
      const doomed = world.groups[command.which];
      if (doomed === undefined) return is(404);
      if (doomed.of !== undefined) return is(409);
      world.groups = world.groups.filter((one) => one !== doomed);
      forgetDeleted(world, { groups: [doomed] });
      return is(200);
    }
    case 'set level': {
      if (by.level < 0) return is(403);
      const target = world.users.get(characterAt(command.character).id);
      // Nobody gives more than the own level, whoever is meant (D6, D16).
      if (target === undefined) return is(by.level < command.level ? 403 : 404);
      if (!mayRaise(world, by, target, command.level)) return is(403);
      target.level = command.level;
      return { status: 200, user: target };
    }
    case 'delete user': {
      if (by.level < 9) return is(403);
      const target = world.users.get(characterAt(command.character).id);
      if (target === undefined) return is(404);
      if (target.level > by.level) return is(403);
      leaveEverything(world, target.id);
      world.users.delete(target.id);
      world.applications = world.applications.filter((one) => one.character !== target.id);
      return is(200);
    }
    default:
      return applyToPeople(world, by, command, { newId, rehearsed });
  }
}

/** Removes a user from its groups, moderatorships and person. */
function leaveEverything(world: World, id: number): void {
  detach(world, [id]);
  for (const group of world.groups) {
    group.members.delete(id);
    group.ineligible.delete(id);
    group.wasEligible.delete(id);
    if (group.owner === id) group.owner = null;
  }
  forgetJoining(world, id);
}

/** Applies the lists of a request body in the interface's order; undefined when they contradict each other. */
function applyLists<T>(before: ReadonlySet<T>, { add, full, remove }: Lists<T>): Set<T> {
  let list = [...before];
  list.push(...(add ?? []));
  if (full != null) list = [...full];
  return new Set(list.filter((one) => !remove?.includes(one)));
}

interface Lists<T> {
  readonly add: readonly T[] | null | undefined;
  readonly full: readonly T[] | null | undefined;
  readonly remove: readonly T[] | null | undefined;
}

const contradicts = ({ add, full, remove }: Lists<unknown>) =>
  full != null && (add != null || remove != null);
const all = <T>({ add, full, remove }: Lists<T>) => [...(add ?? []), ...(full ?? []), ...(remove ?? [])];
const apart = (one: ReadonlySet<number>, other: ReadonlySet<number>) => [
  ...[...one].filter((id) => !other.has(id)),
  ...[...other].filter((id) => !one.has(id)),
];

function updateCoalition(
  world: World,
  by: ModelUser,
  coalition: ModelCoalition | undefined,
  body: CoalitionChange,
): Expected {
  const alliances = {
    add: body.add_member_alliances,
    full: body.member_alliances,
    remove: body.remove_member_alliances,
  };
  const corporations = {
    add: body.add_member_corporations,
    full: body.member_corporations,
    remove: body.remove_member_corporations,
  };
  if (by.level < 6) return is(403);
  if (contradicts(alliances) || contradicts(corporations)) return is(422);
  if (body.authorized_to_login != null && by.level < 9) return is(403);
  if (coalition === undefined) return is(404);
  if (!mayUpdate(world, by, coalition)) return is(403);
  if (!all(alliances).every((id) => world.alliances.has(id))) return is(404);
  if (!all(corporations).every((id) => world.corporations.has(id))) return is(404);
  const nextAlliances = applyLists(coalition.alliances, alliances);
  const nextCorporations = applyLists(coalition.corporations, corporations);
  const judged = [
    ...apart(coalition.alliances, nextAlliances).map((id) => mayWrite(world, by, 'alliance', id)),
    ...apart(coalition.corporations, nextCorporations).map((id) => mayWrite(world, by, 'corporation', id)),
  ];
  if (judged.includes(false)) return is(403);
  if (judged.length > 0 && bars(world, coalition) && by.level < 9) return is(403);
  coalition.alliances = nextAlliances;
  coalition.corporations = nextCorporations;
  coalition.letsIn = body.authorized_to_login ?? coalition.letsIn;
  coalition.ticker = body.ticker ?? coalition.ticker;
  if (body.mandatory_ext_scopes != null) coalition.scopes = [...new Set(body.mandatory_ext_scopes)].sort();
  if (judged.length > 0) nameAutogroups(world);
  return { status: 200, coalition };
}

function updateGroup(
  world: World,
  by: ModelUser,
  group: ModelGroup | undefined,
  body: GroupChange,
): Expected {
  const lists = { add: body.add_members, full: body.members, remove: body.remove_members };
  if (by.level < 0) return is(403);
  if (contradicts(lists)) return is(422);
  if (body.authorized_to_login != null && by.level < 9) return is(403);
  if (by.level < 9 && (group === undefined || ownerOf(world, group)?.id !== by.id)) return is(403);
  if (group === undefined) return is(404);
  const people = [lists.add, lists.full, lists.remove, body.owner].some((value) => value != null);
  if (group.of !== undefined && people) return is(409);
  const names = [...all(lists), ...(body.owner == null ? [] : [body.owner])];
  if (names.some((name) => userNamed(world, name) === undefined)) return is(404);
  const idOf = (name: string) => (userNamed(world, name) as ModelUser).id;
  const ids = (list: readonly string[] | null | undefined) => list?.map(idOf);
  const before = { letsIn: group.letsIn, members: group.members };
  group.members = applyLists(group.members, {
    add: ids(lists.add),
    full: ids(lists.full),
    remove: ids(lists.remove),
  });
  group.letsIn = body.authorized_to_login ?? group.letsIn;
  group.description = body.description ?? group.description;
  if (body.owner != null) group.owner = idOf(body.owner);
  if (group.owner !== null) group.members.add(group.owner);
  for (const id of group.ineligible.keys()) if (!group.members.has(id)) group.ineligible.delete(id);
  for (const id of group.wasEligible) if (!group.members.has(id)) group.wasEligible.delete(id);
  const added = [...group.members].filter((id) => !before.members.has(id));
  remember(world, group, added);
  if (added.length > 0 || group.letsIn !== before.letsIn) endApplications(world, [group]);
  return { status: 200, group };
}

/** Applies a change in the game, with the levels that follow from offices and memberships (D19). */
function happen(world: World, command: Exclude<Command, { readonly by: By }>): void {
  if (command.do === 'invite') {
    const { id, name } = characterAt(command.character);
    // An invitation does not demote an administrator (D28).
    if ((world.users.get(id)?.level ?? 0) >= 9) return;
    const known = world.users.get(id);
    world.users.set(id, {
      ...known,
      id,
      name,
      level: -1,
      corporation: command.corporation,
      seen: world.time,
    });
    return;
  }
  if (command.do === 'wait') {
    world.time += command.hours * 3_600;
    return;
  }
  if (command.do === 'judge') {
    judge(world, world.groups, false);
    endApplications(world, world.groups);
    return;
  }
  if (command.do === 'sign in') {
    signIn(world, characterAt(command.character).id, command.owner);
    return;
  }
  if (command.do === 'find character') {
    const found = characterAt(command.character);
    moveCharacter(world, found, command.corporation);
    if (command.corporation !== null) raiseCeos(world, command.corporation);
    if (command.signsIn) signIn(world, found.id, presentOwner(world, found.id));
  } else if (command.do === 'find corporation') {
    const { corporation, alliance, name } = command;
    moveCorporation(world, corporation, { alliance, name, ceo: characterAt(command.ceo).id });
  } else {
    const found = world.alliances.get(command.alliance);
    const executor = world.corporations.get(command.executor);
    if (found === undefined || executor === undefined) throw new Error('unknown to the model');
    const replaced = found.executor === command.executor ? undefined : ceoInOffice(world, found.executor);
    const before = found.executor;
    found.executor = command.executor;
    found.name = command.name;
    moveCorporation(world, command.executor, { ...executor, alliance: found.id }, replaced);
    raiseCeos(world, before);
  }
  nameAutogroups(world);
}

/** By whom a character signs in that was not sold. */
export const presentOwner = (world: World, id: number) => world.users.get(id)?.owner ?? 'seller';

/** A sign-in; with another owner than before, the user is reset (D29b). */
function signIn(world: World, id: number, owner: string): void {
  const user = world.users.get(id);
  if (user === undefined) return;
  if (user.owner !== undefined && user.owner !== owner) {
    leaveEverything(world, id);
    if (user.level < 0) user.corporation = null;
    user.level = 0;
    delete user.proven;
    if (user.corporation !== null) raiseCeos(world, user.corporation, id);
  }
  user.owner = owner;
  user.proven ??= world.time;
}

function moveCharacter(
  world: World,
  { id, name }: { readonly id: number; readonly name: string },
  corporation: number | null,
): void {
  const user = world.users.get(id);
  if (user === undefined) {
    world.users.set(id, { id, name, level: 0, corporation, seen: world.time });
    return;
  }
  user.seen = world.time;
  if (user.level < 0) {
    if (user.corporation === corporation) user.level = 0;
    return;
  }
  if (user.corporation !== corporation && user.level < 9) user.level = 0;
  user.corporation = corporation;
}

/** The CEO of a corporation; undefined when it has left, which ended the office. */
function ceoInOffice(world: World, corporation: number): number | undefined {
  const ceo = world.corporations.get(corporation)?.ceo;
  return world.users.get(ceo ?? -1)?.corporation === corporation ? ceo : undefined;
}

/** @param deposed a CEO that lost the office of its alliance in the same snapshot */
function moveCorporation(
  world: World,
  id: number,
  found: { readonly alliance: number | null; readonly name: string; readonly ceo: number },
  deposed?: number,
): void {
  const corporation = world.corporations.get(id);
  if (corporation === undefined) throw new Error('unknown to the model');
  if (corporation.alliance !== found.alliance) {
    for (const user of world.users.values()) {
      if (user.corporation === id && user.level >= 3 && user.level <= 8) user.level = 0;
    }
  }
  const former = corporation.ceo === found.ceo ? [deposed] : [deposed, ceoInOffice(world, id)];
  Object.assign(corporation, { alliance: found.alliance, name: found.name, ceo: found.ceo });
  for (const ceo of former) {
    const user = world.users.get(ceo ?? -1);
    if (user !== undefined && user.level > 0 && user.level < 9) user.level = 0;
  }
  raiseCeos(world, id);
}

/**
 * Raises CEOs of corporations and of executors to the level of their office.
 *
 * @param only the only user that is raised
 */
function raiseCeos(world: World, id: number, only?: number): void {
  const alliance = world.alliances.get(world.corporations.get(id)?.alliance ?? -1);
  for (const corporation of [id, alliance?.executor ?? id]) {
    const organization = world.corporations.get(corporation);
    const user = world.users.get(organization?.ceo ?? -1);
    if (user === undefined || user.corporation !== corporation || user.level < 0) continue;
    if (only !== undefined && user.id !== only) continue;
    const leads = world.alliances.get(organization?.alliance ?? -1)?.executor === corporation;
    user.level = Math.max(user.level, leads ? 4 : 2);
  }
}

import { type ModelGroup, type ModelUser, mayUseTokens, membersOf, type World } from './world.ts';

/** The differences between the users of two worlds, in the words of {@link changesOf}. */
export function changesBetweenWorlds(before: World, after: World): Set<string> {
  const found = new Map<string, number[]>();
  const note = (what: string, id: number) => found.set(what, [...(found.get(what) ?? []), id]);
  for (const [id, was] of before.users) {
    const is = after.users.get(id);
    const could = mayUseTokens(before, was);
    const can = is !== undefined && mayUseTokens(after, is);
    if (could !== can) note(`login ${can ? 'gained' : 'lost'}`, id);
    if (was.level !== is?.level) {
      const gained = is !== undefined && is.level > was.level;
      note(`level ${gained ? 'gained' : 'lost'} ${was.level} ${is?.level ?? null}`, id);
    }
    const [former, present] = [groupsOf(before, was), groupsOf(after, is)];
    for (const [group, name] of former) if (!present.has(group)) note(`group lost ${name}`, id);
    for (const [group, name] of present) if (!former.has(group)) note(`group gained ${name}`, id);
  }
  return new Set([...found].map(([what, ids]) => `${what}: ${ids.sort((a, b) => a - b).join()}`));
}

/** Autogroups are identified by their organization, not by their name. */
const keyOf = ({ name, of }: ModelGroup) => (of === undefined ? name : `${of.kind} ${of.id}`);

function groupsOf(world: World, user: ModelUser | undefined): ReadonlyMap<string, string> {
  const own =
    user === undefined ? [] : world.groups.filter((group) => membersOf(world, group).includes(user));
  return new Map(own.map((group) => [keyOf(group), group.name]));
}
